import path from "node:path";
import ts from "typescript";
import { root } from "./root.js";

/** The repository's own settings, for files that are not in it. */
export function compilerOptions(): ts.CompilerOptions {
  const file = path.join(root, "tsconfig.json");
  const read = ts.readConfigFile(file, (name) => ts.sys.readFile(name));
  const { options } = ts.parseJsonConfigFileContent(
    { ...(read.config as object), include: [], files: [] },
    ts.sys,
    root,
  );
  return options;
}
