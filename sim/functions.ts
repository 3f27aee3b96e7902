import type { Address, Reference } from "./components.js";
import { Reader, Writer } from "./database.js";
import { Meta } from "./meta.js";
import { Scheduler } from "./scheduler.js";
import type { VisibleState, Transaction } from "./transaction.js";
import { check } from "./validators.js";

type Args = Record<string, unknown>;

/**
 * Runs the handler of a registered function in a transaction, and checks its arguments and result.
 * @param look What a stale query sees.
 */
export async function runFunction(
  transaction: Transaction,
  address: Address,
  args: Args,
  look?: VisibleState,
): Promise<unknown> {
  const registered = transaction.snapshot.mounts.function(address);
  const { path } = address;
  if (look === undefined) transaction.counts.calls++;
  transaction.counts.modules += transaction.snapshot.mounts.loads(address);
  const context = registered.isQuery
    ? queryContext(transaction, path, look)
    : mutationContext(transaction, path);
  if (!transaction.snapshot.mounts.checksValidators) {
    return await registered._handler(context, args);
  }
  check(registered, "args", address.name, args);
  const returned = (await registered._handler(context, args)) ?? null;
  check(registered, "returns", address.name, returned);
  return returned;
}

function queryContext(
  transaction: Transaction,
  path: string,
  look: VisibleState | undefined,
) {
  return {
    db: new Reader(transaction, path, look),
    meta: new Meta(transaction, "query", look),
    runQuery: (
      reference: Reference,
      args: Args = {},
      options?: { useStaleSnapshot?: boolean },
    ) => {
      if (options?.useStaleSnapshot === true) {
        throw new Error("a query cannot ask for a stale snapshot");
      }
      return nestedQuery(transaction, path, reference, args, look);
    },
  };
}

function mutationContext(transaction: Transaction, path: string) {
  return {
    db: new Writer(transaction, path),
    meta: new Meta(transaction, "mutation"),
    scheduler: new Scheduler(transaction, path),
    runQuery: (
      reference: Reference,
      args: Args = {},
      { useStaleSnapshot: stale = false } = {},
    ) => {
      const look = stale ? transaction.look() : undefined;
      return nestedQuery(transaction, path, reference, args, look);
    },
    runMutation: async (reference: Reference, args: Args = {}) => {
      const address = transaction.snapshot.mounts.address(path, reference);
      return await transaction.atomically(() =>
        runFunction(transaction, address, args),
      );
    },
  };
}

async function nestedQuery(
  transaction: Transaction,
  path: string,
  reference: Reference,
  args: Args,
  look: VisibleState | undefined,
) {
  const { mounts } = transaction.snapshot;
  const address = mounts.address(path, reference);
  if (mounts.function(address).isQuery !== true) {
    throw new Error(`${address.name} is no query`);
  }
  return await runFunction(transaction, address, args, look);
}
