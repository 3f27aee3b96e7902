import path from "node:path";
import ts from "typescript";
import { compilerOptions } from "../support/compilerOptions.js";
import { root } from "../support/root.js";

/** Where the host app would be, so that the repository's packages and paths resolve. */
const HOST = path.join(root, "test/readme/host");

/**
 * Type-checks files that exist only here, with the repository's own settings.
 * Returns the messages of each file.
 */
export function compile(
  files: ReadonlyMap<string, string>,
): Map<string, string[]> {
  const options = compilerOptions();
  const texts = new Map(
    [...files].map(([file, text]) => [path.join(HOST, file), text]),
  );
  const host = ts.createCompilerHost(options);
  const disk = { ...host };
  host.fileExists = (file) => texts.has(file) || disk.fileExists(file);
  host.readFile = (file) => texts.get(file) ?? disk.readFile(file);
  host.directoryExists = (directory) =>
    [...texts.keys()].some((file) => file.startsWith(`${directory}/`)) ||
    disk.directoryExists?.(directory) === true;

  const program = ts.createProgram([...texts.keys()], options, host);
  return new Map(
    [...files.keys()].map((file) => {
      const source = program.getSourceFile(path.join(HOST, file));
      const diagnostics = [
        ...program.getSyntacticDiagnostics(source),
        ...program.getSemanticDiagnostics(source),
      ];
      return [file, diagnostics.map(describe)];
    }),
  );
}

function describe({ file, start, messageText }: ts.Diagnostic): string {
  const text = ts.flattenDiagnosticMessageText(messageText, "\n");
  if (file === undefined || start === undefined) return text;
  const { line } = file.getLineAndCharacterOfPosition(start);
  return `line ${line + 1}: ${text}`;
}
