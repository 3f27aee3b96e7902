import { Linter } from "eslint";
import type { ValidatorJSON } from "convex/values";
import { type Bundle, evaluate } from "./isolate.js";

/** What a deployment reads from the app, or from a component, of a push. */
export type Contents = {
  tables: Table[];
  functions: FunctionSpec[];
  crons: { name: string }[];
};

export type Table = { tableName: string; indexes: Index[] };

type Index = { indexDescriptor: string; fields: string[] };

export type FunctionSpec = {
  /** As `module:export`. */
  name: string;
  kind: "query" | "mutation" | "action";
  isPublic: boolean;
  args: ValidatorJSON;
  returns: ValidatorJSON | null;
};

/** Evaluates each module as a deployment does. Throws if one does not evaluate there. */
export async function analyse(
  schema: Bundle | null,
  modules: readonly Bundle[],
  environment?: object,
): Promise<Contents> {
  const contents: Contents = { tables: [], functions: [], crons: [] };
  if (schema !== null) {
    const exports = await evaluate([schema], schema.path);
    contents.tables = tablesOf(exports.default);
  }
  for (const { path } of modules) {
    const exports = await evaluate(modules, path, environment).catch(
      (error: unknown) => {
        throw new Error(`${path}: ${String(error)}`, { cause: error });
      },
    );
    if (path.startsWith("_deps/")) continue;
    contents.functions.push(...functionsOf(path, exports));
    if (path === "crons.js") {
      const crons = exports.default as { export(): string };
      contents.crons = Object.values(
        JSON.parse(crons.export()) as Record<string, { name: string }>,
      );
    }
  }
  return contents;
}

export const tablesOf = (schema: unknown): Table[] =>
  (JSON.parse((schema as { export(): string }).export()) as Contents).tables;

type Registered = {
  isPublic?: true;
  exportArgs(): string;
  exportReturns(): string;
};

/** The functions among a module's exports. */
export function functionsOf(path: string, exports: object): FunctionSpec[] {
  return Object.entries(exports as Record<string, object>).flatMap(
    ([exported, value]) => {
      const kind = (["query", "mutation", "action"] as const).find(
        (kind) =>
          `is${kind[0]!.toUpperCase()}${kind.slice(1)}` in Object(value),
      );
      if (kind === undefined || !("exportArgs" in value)) return [];
      const f = value as Registered;
      return {
        name: `${path.replace(/\.\w+$/, "")}:${exported}`,
        kind,
        isPublic: f.isPublic === true,
        args: JSON.parse(f.exportArgs()) as ValidatorJSON,
        returns: JSON.parse(f.exportReturns()) as ValidatorJSON | null,
      };
    },
  );
}

const IDENTIFIER = /^(?=.*[A-Za-z0-9])[A-Za-z_]\w{0,63}$/;
const MOST_INDEXES = 64;
const MOST_INDEX_FIELDS = 16;

/**
 * Why a backend would refuse a table, after `crates/common/src/schemas/json.rs` of
 * convex/convex-backend at 94a42c3 (August 2026).
 */
export function mistakesOf({ tableName, indexes }: Table): string[] {
  const mistakes: string[] = [];
  const require = (isRight: boolean, mistake: string) => {
    if (!isRight) mistakes.push(mistake);
  };
  const requireName = (name: string) =>
    require(IDENTIFIER.test(name) && !name.startsWith("_"), `name ${name}`);
  const requireDistinct = (values: readonly string[]) =>
    require(new Set(values).size === values.length, `twice: ${values.join()}`);

  requireName(tableName);
  require(indexes.length <= MOST_INDEXES, "too many indexes");
  requireDistinct(indexes.map(({ indexDescriptor }) => indexDescriptor));
  requireDistinct(indexes.map(({ fields }) => fields.join("+")));
  for (const { indexDescriptor, fields } of indexes) {
    requireName(indexDescriptor);
    require(!/^by_(id|creation_time)$/.test(
      indexDescriptor,
    ), `name ${indexDescriptor}`);
    require(fields.length > 0, "an index without fields");
    require(fields.length <= MOST_INDEX_FIELDS, "too many fields");
    requireDistinct(fields);
    for (const field of fields) field.split(".").forEach(requireName);
  }
  return mistakes;
}

/** The names that modules use and do not define, but for those of the language itself. */
export function freeNamesOf(modules: readonly Bundle[]): string[] {
  const names = new Set<string>();
  for (const { source } of modules) {
    const messages = new Linter().verify(source, {
      linterOptions: { noInlineConfig: true },
      rules: { "no-undef": "error" },
    });
    for (const { message } of messages)
      names.add(message.split("'")[1] ?? message);
  }
  return [...names].sort();
}
