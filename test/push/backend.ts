import { AsyncLocalStorage } from "node:async_hooks";
import { convexTest, type TestConvex } from "convex-test";
import {
  componentsGeneric,
  defineSchema,
  type FunctionReference,
  type GenericActionCtx,
  type GenericDataModel,
  type GenericSchema,
  type SchemaDefinition,
} from "convex/server";
import {
  ConvexError,
  convexToJson,
  type JSONValue,
  jsonToConvex,
  type Value,
} from "convex/values";
import { type Analysis, analyseDefinitions, kindOf } from "./analyse.js";
import {
  type Bundle,
  type Environment,
  Isolate,
  type Syscalls,
} from "./isolate.js";
import type { Push } from "./push.js";

type Schema = SchemaDefinition<GenericSchema, boolean>;
type ActionCtx = GenericActionCtx<GenericDataModel>;

/** How a deployment calls a function of a bundle: JSON in, JSON out. */
type Invocable = {
  invokeQuery(args: string): Promise<string>;
  invokeMutation(args: string): Promise<string>;
  invokeAction(requestId: string, args: string): Promise<string>;
  invokeHttpAction(request: Request): Promise<Response>;
};

type Router = {
  lookup(path: string, method: string): [Invocable, ...unknown[]] | null;
};

/**
 * A backend that runs a push: the database and the scheduler are convex-test's, the functions the
 * pushed bundles, each module in an isolate of its own, imported when it is first called.
 */
export async function startPush(
  push: Push,
  environment: Environment = {},
): Promise<TestConvex<Schema>> {
  const { schema, changedModules } = push.appDefinition;
  const t = convexTest({
    schema: await importSchema(schema),
    modules: importModules(changedModules, syscalls, environment),
  });
  const definitions = await analyseDefinitions(push);
  const mount = async (of: string, under: string): Promise<void> => {
    for (const { name, path } of definitions.get(of)!.childComponents) {
      const component = push.componentDefinitions.find(
        ({ definitionPath }) => definitionPath === path,
      )!;
      t.registerComponent(
        under + name,
        (await importSchema(component.schema)) ?? defineSchema({}),
        importModules(component.functions, componentSyscalls),
      );
      await mount(path, `${under}${name}/`);
    }
  };
  await mount("", "");
  return t;
}

/** Runs each cron of each component once, whatever its schedule. */
export async function runCrons(
  t: TestConvex<Schema>,
  { definitions, contents }: Analysis,
): Promise<void> {
  for (const { name, path } of definitions.get("")!.childComponents) {
    for (const cron of Object.values(contents.get(path)!.crons)) {
      const [module, exported] = cron.name.split(":") as [string, string];
      const f = componentsGeneric()[name]![module]![exported]!;
      await t.action((ctx) =>
        ctx.runMutation(f as FunctionReference<"mutation">, cron.args[0]),
      );
    }
  }
}

async function importSchema(bundle: Bundle | null) {
  if (bundle === null) return undefined;
  const exports = await new Isolate([bundle]).import(bundle.path);
  return exports.default as Schema;
}

function importModules(
  bundles: readonly Bundle[],
  calls: Syscalls,
  environment?: Environment,
) {
  const modules: Record<string, () => Promise<unknown>> = {
    // By this convex-test knows the folder.
    "./_generated/api.js": async () => ({}),
  };
  for (const { path } of bundles) {
    if (path.startsWith("_deps/")) continue;
    let imported: Promise<object> | undefined;
    modules[`./${path}`] = () =>
      (imported ??= importModule(
        new Isolate(bundles, calls, environment),
        path,
      ));
  }
  return modules;
}

async function importModule(isolate: Isolate, path: string): Promise<object> {
  const exports = await isolate.import(path);
  return Object.fromEntries(
    Object.entries(exports).map(([name, value]) => [name, toCallable(value)]),
  );
}

/** What convex-test calls in place of a bundle's export. */
function toCallable(value: unknown): unknown {
  const kind = kindOf(value);
  const invocable = value as Invocable;
  switch (kind) {
    case undefined:
      return isRouter(value) ? toCallableRouter(value) : value;
    case "query":
      return callable(invocable, (args) => invocable.invokeQuery(args));
    case "mutation":
      return callable(invocable, (args) => invocable.invokeMutation(args));
    case "action":
      return callable(invocable, (args) => invocable.invokeAction("", args));
  }
}

function callable(
  registered: object,
  invoke: (args: string) => Promise<string>,
): object {
  const _handler = (ctx: ActionCtx, args: Value) =>
    callers.run(ctx, async () => {
      try {
        const json = JSON.stringify([convexToJson(args)]);
        return jsonToConvex(JSON.parse(await invoke(json)) as JSONValue);
      } catch (error) {
        throw received(error);
      }
    });
  return Object.create(registered, { _handler: { value: _handler } }) as object;
}

// Nothing of another context is an instance of this one's classes.
const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null;

const isRouter = (value: unknown): value is Router =>
  isObject(value) && "isRouter" in value;

function toCallableRouter(router: Router) {
  return {
    lookup: (path: string, method: string) => {
      const found = router.lookup(path, method);
      if (found === null) return null;
      const [action, ...rest] = found;
      const _handler = (ctx: ActionCtx, request: Request) =>
        callers.run(ctx, () => action.invokeHttpAction(request));
      return [{ _handler }, ...rest];
    },
  };
}

/** A ConvexError leaves a bundle with its data as JSON. */
function received(error: unknown): unknown {
  if (!isObject(error) || !(Symbol.for("ConvexError") in error)) return error;
  const { data } = error as { data: string };
  return new ConvexError(jsonToConvex(JSON.parse(data) as JSONValue));
}

/** The context that convex-test made for the function that is running. */
const callers = new AsyncLocalStorage<ActionCtx>();

type Address = { name?: string; reference?: string; functionHandle?: string };

const syscalls: Syscalls = {
  syscall: (op, args) => hostConvex().syscall(op, args),
  jsSyscall: (op, args) => hostConvex().jsSyscall(op, args),
  isInAction: () => "runAction" in (callers.getStore() ?? {}),
  asyncSyscall: async (op, json) => {
    const args = JSON.parse(json) as Address & { args: JSONValue };
    // convex-test has these for the functions of the app, but not of components.
    const ctx = callers.getStore()!;
    switch (op) {
      case "1.0/actions/query":
        return sent(await ctx.runQuery(reference<"query">(args), argsOf(args)));
      case "1.0/actions/mutation":
        return sent(
          await ctx.runMutation(reference<"mutation">(args), argsOf(args)),
        );
      case "1.0/actions/action":
        return sent(
          await ctx.runAction(reference<"action">(args), argsOf(args)),
        );
      default:
        return hostConvex().asyncSyscall(op, json);
    }
  },
};

const componentSyscalls: Syscalls = {
  ...syscalls,
  asyncSyscall: async (op, json) => {
    if (op === "1.0/queryPage") {
      throw new Error("paginate() is only supported in the app.");
    }
    return syscalls.asyncSyscall(op, json);
  },
};

type HostConvex = Omit<Syscalls, "isInAction">;

function hostConvex(): HostConvex {
  return (globalThis as unknown as { Convex: HostConvex }).Convex;
}

const sent = (value: Value) => JSON.stringify(convexToJson(value));

type Args = Record<string, Value>;

const argsOf = ({ args }: { args: JSONValue }) => jsonToConvex(args) as Args;

function reference<Kind extends "query" | "mutation" | "action">({
  name,
  reference,
  functionHandle,
}: Address) {
  const address = functionHandle ??
    name ?? { [Symbol.for("toReferencePath")]: reference };
  return address as unknown as FunctionReference<Kind, "public", Args, Value>;
}
