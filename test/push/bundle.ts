import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../support/root.js";
import type { Bundle } from "./isolate.js";

type Definition = {
  /** The paths of the components that it mounts. */
  dependencies: string[];
  schema: Bundle | null;
};

/** What `convex deploy` sends to a deployment. */
export type Push = {
  appDefinition: Definition & { changedModules: Bundle[] };
  componentDefinitions: (Definition & {
    definitionPath: string;
    functions: Bundle[];
  })[];
};

/** Nothing listens here, so a command that contacts its deployment fails. */
const NOWHERE = `CONVEX_SELF_HOSTED_URL=http://127.0.0.1:9
CONVEX_SELF_HOSTED_ADMIN_KEY=none
`;

/** What `convex` runs: a quarter of its time goes if nothing has to import it first. */
const CONVEX = path.join(root, "node_modules/convex/dist/cli.bundle.cjs");

/**
 * Has Convex's own command bundle the app in `folder`, and keeps what it would send. Throws what
 * the command says if it refuses.
 */
export async function bundleApp(folder: string): Promise<Push> {
  const out = await mkdtemp(path.join(tmpdir(), "push-"));
  try {
    const deployment = path.join(out, "deployment.env");
    await writeFile(deployment, NOWHERE);
    const request = path.join(out, "request");
    await run(
      folder,
      process.execPath,
      CONVEX,
      "deploy",
      "--env-file",
      deployment,
      "--typecheck",
      "disable",
      "--codegen",
      "disable",
      "--push-all-modules",
      "--write-push-request",
      request,
    );
    return JSON.parse(await readFile(`${request}.json`, "utf8")) as Push;
  } finally {
    await rm(out, { recursive: true });
  }
}

async function run(
  cwd: string,
  command: string,
  ...args: string[]
): Promise<void> {
  // A deployment that the caller is set up for is none of these tests' business.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("CONVEX_")),
  );
  try {
    await promisify(execFile)(command, args, { cwd, env });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(" ")}\n${stdout}\n${stderr}`, {
      cause: error,
    });
  }
}
