import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const CONVEX = fileURLToPath(
  new URL("../../node_modules/convex/dist/cli.bundle.cjs", import.meta.url),
);

/** Whether the environment has a key by which Convex's command may push. */
export function hasKey(env: NodeJS.ProcessEnv): boolean {
  const { CONVEX_DEPLOY_KEY, CONVEX_SELF_HOSTED_ADMIN_KEY } = env;
  return (CONVEX_DEPLOY_KEY ?? CONVEX_SELF_HOSTED_ADMIN_KEY) !== undefined;
}

/** Pushes an app, by default that of this folder, in place of what is there. */
export async function pushApp(url: string, folder = FOLDER): Promise<void> {
  const args = ["deploy", "--typecheck", "disable", "--codegen", "disable"];
  const env = { ...process.env };
  if (env.CONVEX_SELF_HOSTED_ADMIN_KEY !== undefined) {
    env.CONVEX_SELF_HOSTED_URL = url;
  }
  try {
    await promisify(execFile)(process.execPath, [CONVEX, ...args], {
      cwd: folder,
      env,
    });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Error(`The push failed.\n${stderr}`, { cause: error });
  }
}
