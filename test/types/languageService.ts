import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { compilerOptions } from "../support/compilerOptions.js";
import { root } from "../support/root.js";

const here = fileURLToPath(new URL(".", import.meta.url));

/** What an editor shows of a piece of source. */
type Piece = {
  /** The documentation where the mouse rests, at `|`. */
  hover: () => string;
  /** The signature or type where the mouse rests. */
  signature: () => string;
  /** The strings or fields that are offered at `|`. */
  offered: () => string[];
  /** The errors, each with the text that is underlined. */
  errors: () => { at: string; message: string }[];
};

/**
 * A file in an editor: TypeScript's language service, as every editor uses it. All pieces
 * are written before the first is looked at, so that they are compiled once.
 */
export class Editor {
  private readonly file = path.join(here, "pieces.ts");
  private readonly options = compilerOptions();
  private readonly service = ts.createLanguageService({
    getCompilationSettings: () => this.options,
    getScriptFileNames: () => [this.file],
    getScriptVersion: (file) => (file === this.file ? this.text : ""),
    getScriptSnapshot: (file) => {
      const text = file === this.file ? this.text : ts.sys.readFile(file);
      return text === undefined ? text : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (file) => file === this.file || ts.sys.fileExists(file),
    readFile: (file) => ts.sys.readFile(file),
    directoryExists: (folder) => ts.sys.directoryExists(folder),
    getDirectories: (folder) => ts.sys.getDirectories(folder),
  });

  /** @param text What all pieces may use. */
  constructor(private text: string) {}

  /** Adds a piece to the file. A `|` in it is not written, but is where to look. */
  write(source: string): Piece {
    const start = this.text.length;
    const end = start + source.length;
    const cursor = start + source.indexOf("|");
    this.text += `${source.replace("|", "")}\n`;
    return {
      hover: () => {
        const info = this.service.getQuickInfoAtPosition(this.file, cursor);
        const text = ts.displayPartsToString(info?.documentation);
        const tags = (info?.tags ?? []).map(
          ({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`,
        );
        return [text, ...tags].join("\n");
      },
      signature: () => {
        const info = this.service.getQuickInfoAtPosition(this.file, cursor);
        return ts.displayPartsToString(info?.displayParts);
      },
      offered: () => {
        const { service, file } = this;
        const offered = service.getCompletionsAtPosition(file, cursor, {});
        return (offered?.entries ?? []).map(({ name }) => name).sort();
      },
      errors: () =>
        this.service
          .getSemanticDiagnostics(this.file)
          .filter(({ start: at = 0 }) => at >= start && at < end)
          .map(({ start: at = 0, length = 0, messageText }) => ({
            at: this.text.slice(at, at + length),
            message: ts.flattenDiagnosticMessageText(messageText, "\n"),
          })),
    };
  }
}
