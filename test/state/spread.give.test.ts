import { expect, test } from "vitest";
import { giveToSome } from "../../src/state/spread/give.js";
import { tenEach } from "../support/demands.js";
import { draws } from "../support/draws.js";
import { busyRows, rows, splitLimitOf, written } from "../support/splitRows.js";
import type { Row } from "../../src/core/view.js";
import { table } from "../support/table.js";

const KINDS = {
  quiet: { rows, config: {} },
  busy: { rows: busyRows, config: {} },
  window: { rows: busyRows, config: { kind: "fixed window", start: 0 } },
} as const;

type Options = {
  /** The row that held them. By default, no row has had less room since. */
  place?: number;
  /** The least room of each row since. */
  rooms?: number[];
  random?: number[];
  owes?: true;
  /** What a look shows, if that is older. */
  seen?: number[];
  /** Into how many parts row 3 is split. */
  into?: number;
};

/** Gives to rows of at most 10 each. Tells what fits, what is written, and what was read. */
async function given(
  kind: keyof typeof KINDS,
  values: number[],
  count: number,
  { place, rooms, random = [], owes, seen, into }: Options,
) {
  const { rows: rowsOf, config } = KINDS[kind];
  const known = (row: Row, i: number) => ({
    ...row,
    held: [{ since: 5, room: rooms?.[i - 1] ?? 10 - row.value }],
  });
  const stored = rowsOf(values).map((row, i) => ({
    ...known(row, i),
    ...(row.shard === 0 && { owes }),
    ...(row.shard === 3 && { into }),
    ...(kind === "window" && { ts: 960_000 }),
  }));
  const more = seen && { seen: rowsOf(seen).map(known) };
  const limit = tenEach(values.length, config);
  const split = splitLimitOf(limit, stored, more);
  const held = place === undefined ? undefined : { since: 5, shard: place };
  const credit = await giveToSome(split, count, draws(...random), held);
  const reads = [...split.reads].join(" ");
  if (credit === undefined) return `all after ${reads}`;
  const { credited, writes } = credit;
  return `${credited}: ${JSON.stringify(written(writes))} ${reads}`;
}

// "all": all rows are to be read.
test.each(
  table(`
    a random row with room                                 | quiet  | 9 2 5   | 3  | {"random":[0.4]}              | 3: {"2":5} 2
    one that a look shows, if that is full                 | quiet  | 10 2 5  | 3  | {"random":[0,0.5]}            | 3: {"3":8} 1 look 3
    the one that gave, whatever others hold                | quiet  | 0 0 5   | 3  | {"place":3}                   | 3: {"3":8} 3
    it, up to its capacity                                 | quiet  | 0 0 5   | 5  | {"place":3}                   | 5: {"3":10} 3
    a part of it, if it was split since                    | quiet  | 0 0 5   | 1  | {"place":3,"into":2,"random":[0.5]} | 1: {"3074":3.5} 3 3074
    another, if all were gathered in fewer since           | quiet  | 0 5     | 3  | {"place":3}                   | 3: {"1":3} 1
    it, as far as its refill has not replaced them         | quiet  | 0 10 10 | 3  | {"place":1,"rooms":[2]}       | 2: {"1":2} 1 look
    where others have had room ever since                  | quiet  | 0 0 5   | 3  | {"place":1,"rooms":[0,9,1]}   | 3: {"2":3} 1 look 2
    one that a look shows, if it has no room               | quiet  | 0 9 10  | 3  | {"place":3}                   | 3: {"1":3} 3 look 1
    a random one of those that have room for it            | quiet  | 5 5 10  | 3  | {"place":3,"random":[0.5]}    | 3: {"2":8} 3 look 2
    those with most room, if none has room for it          | quiet  | 8 7 10  | 4  | {"place":3}                   | 4: {"1":9,"2":10} 3 look 2 1
    all that have room                                     | quiet  | 8 7 10  | 99 | {"place":3}                   | 5: {"1":10,"2":10} 3 look 2 1
    none, if all are full                                  | quiet  | 10 10   | 1  | {}                            | 0: {} 1 look
    all, if they have less room than the look shows        | quiet  | 9 9 10  | 4  | {"place":3,"seen":[5,9,10]}   | all after 3 look 1
    those that have more room than the look shows          | quiet  | 3 9 10  | 4  | {"place":3,"seen":[5,9,10]}   | 4: {"1":7} 3 look 1
    all, if a row owes                                     | quiet  | -1 5 5  | 3  | {"place":1}                   | all after 1 look
    all, if another row owes                               | quiet  | -1 5 10 | 3  | {"place":3}                   | all after 3 look
    all, if rows may owe and one does                      | quiet  | 5 5 -1  | 3  | {"place":1,"owes":true}       | all after 1 look
    the row it was to go to, if rows may owe and none does | quiet  | 5 5 9   | 5  | {"place":1,"owes":true}       | 5: {"1":10} 1 look
    one with room, of many that have it                    | busy   | 5 5 10  | 3  | {"place":3,"random":[0.5]}    | 3: {"2":8} 3 look 2
    the one that gave, as much as fits, if few have room   | busy   | 5 10 9  | 3  | {"place":3}                   | 1: {"3":10} 3 look
    a random row, as much as fits                          | busy   | 9 8 0   | 3  | {}                            | 1: {"1":10} 1 look
    a row that owes                                        | busy   | -1 9 9  | 3  | {"place":1}                   | 3: {"1":2} 1 look
    those with most room, so that a window loses nothing   | window | 8 7 10  | 4  | {"place":3}                   | 4: {"1":9,"2":10} 3 look 2 1
`),
)(
  "tokens are given to %s (%s)",
  async (_claim, kind, values, count, options, expected) => {
    const held = values.split(" ").map(Number);
    const more = JSON.parse(options) as Options;
    const answer = await given(kind as "busy", held, Number(count), more);
    expect(answer).toBe(expected);
  },
);
