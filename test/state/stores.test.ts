import { describe, expect, test } from "vitest";
import schema from "../../src/component/schema.js";
import { STORES } from "../../src/state/stores.js";

/*
 * Housekeeping loops over one list. A table that is not on it, or says too little there, would grow
 * for ever, or keep a key that was to be forgotten.
 */

test("housekeeping knows all tables of the schema, and no others", () => {
  expect([...STORES.keys()].sort()).toEqual(Object.keys(schema.tables).sort());
});

/** The job of a sweep deletes its row there. */
const { sweeps: _, ...kept } = schema.tables;

describe.each(Object.entries(kept))("the table %s", (table, { validator }) => {
  const tasks = Object.keys(STORES.get(table) ?? {});

  test("is vacuumed", () => {
    expect(tasks).toContain("vacuum");
  });

  test("forgets keys if it stores them", () => {
    const hasKeys = /\bkeys?\b/.test(Object.keys(validator.fields).join());
    const isForgotten = tasks.some((task) => task.startsWith("forget"));
    expect(isForgotten).toBe(hasKeys);
  });

  test("is listed, cleared and named if it is the state of limits", () => {
    const ofState = ["keys", "clear", "newestSince", "limitsBeside", "reset"];
    const isState = ["rateLimits", "holds"].includes(table);
    const own = ofState.filter((task) => tasks.includes(task));
    expect(own).toEqual(isState ? ofState : []);
  });
});
