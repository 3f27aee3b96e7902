import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config.js";
export default mergeConfig(viteConfig, defineConfig({ test: { include: ["src/component/*.test.ts","src/client/{dropIn,transactions,hookAPI,schedule}.test.ts","test/corners/{debt,details,lists,clearing,scheduled,listOverrides}.test.ts"], setupFiles: ["./test/seed.ts"], env: { REACT_MAJOR: "19" }, server: { deps: { inline: ["convex-test","@convex-dev/rate-limiter","@convex-dev/batch-worker"] } } } }));
