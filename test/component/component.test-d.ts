import type { ComponentApi as PeerApi } from "@convex-dev/rate-limiter/_generated/component.js";
import type {
  FilterApi,
  FunctionArgs,
  FunctionReference,
  FunctionReturnType,
  ApiFromModules,
} from "convex/server";
import { describe, expectTypeOf, test } from "vitest";
import type { ComponentApi } from "../../src/component/_generated/component.js";
import type * as clear from "../../src/component/clear.js";
import type * as forget from "../../src/component/forget.js";
import type * as stats from "../../src/component/stats.js";
import type * as holds from "../../src/component/holds.js";
import type * as lib from "../../src/component/lib.js";
import type * as list from "../../src/component/list.js";
import type * as lookAtAnswers from "../../src/component/lookAtAnswers.js";
import type * as lookAtRows from "../../src/component/lookAtRows.js";
import type * as overrides from "../../src/component/overrides.js";
import type * as shrink from "../../src/component/shrink.js";
import type * as time from "../../src/component/time.js";
import type * as overrideWithCredit from "../../src/component/overrideWithCredit.js";
import type * as vacuum from "../../src/component/vacuum.js";

type AnyFunction = FunctionReference<
  "query" | "mutation" | "action",
  "public" | "internal"
>;

type Functions<Api> = {
  [Module in keyof Api]: {
    [Name in keyof Api[Module]]: Api[Module][Name] extends AnyFunction
      ? {
          type: Api[Module][Name]["_type"];
          args: FunctionArgs<Api[Module][Name]>;
          returns: FunctionReturnType<Api[Module][Name]>;
        }
      : never;
  };
};

type Registered = FilterApi<
  ApiFromModules<{
    clear: typeof clear;
    forget: typeof forget;
    stats: typeof stats;
    holds: typeof holds;
    lib: typeof lib;
    list: typeof list;
    lookAtAnswers: typeof lookAtAnswers;
    lookAtRows: typeof lookAtRows;
    overrides: typeof overrides;
    shrink: typeof shrink;
    time: typeof time;
    overrideWithCredit: typeof overrideWithCredit;
    vacuum: typeof vacuum;
  }>,
  FunctionReference<"query" | "mutation" | "action", "public">
>;

test("the types compared here hold the component's functions", () => {
  type Time = Functions<Registered>["time"]["getServerTime"];
  expectTypeOf<Time["type"]>().toEqualTypeOf<"mutation">();
  expectTypeOf<Time["returns"]>().toEqualTypeOf<number>();
  expectTypeOf<keyof Registered>().toEqualTypeOf<
    | "forget"
    | "stats"
    | "holds"
    | "lib"
    | "list"
    | "overrides"
    | "time"
    | "overrideWithCredit"
  >();
});

test("ComponentApi has the functions that are registered, with their arguments and results", () => {
  expectTypeOf<keyof ComponentApi>().toEqualTypeOf<keyof Registered>();
  expectTypeOf<Functions<Registered>>().toExtend<Functions<ComponentApi>>();
  expectTypeOf<Functions<ComponentApi>>().toExtend<Functions<Registered>>();
});

describe("the ComponentApi of @convex-dev/rate-limiter", () => {
  type Ours = Functions<ComponentApi>;
  type Theirs = Functions<PeerApi>;

  test("has no function that ours lacks", () => {
    expectTypeOf<keyof PeerApi>().toExtend<keyof ComponentApi>();
    expectTypeOf<keyof PeerApi["lib"]>().toExtend<keyof ComponentApi["lib"]>();
    expectTypeOf<keyof PeerApi["time"]>().toExtend<
      keyof ComponentApi["time"]
    >();
  });

  type Args<Api> = {
    [Name in keyof Theirs["lib"]]: Api extends { lib: infer Lib }
      ? Name extends keyof Lib
        ? Lib[Name] extends { type: infer Type; args: infer A }
          ? { type: Type; args: A }
          : never
        : never
      : never;
  };

  type Returns<Api> = {
    [Name in keyof Theirs["lib"]]: Api extends { lib: infer Lib }
      ? Name extends keyof Lib
        ? Lib[Name] extends { returns: infer R }
          ? R
          : never
        : never
      : never;
  };

  test("takes no argument that ours does not take", () => {
    expectTypeOf<Args<Theirs>>().toExtend<Args<Ours>>();
  });

  test("gives no result that ours does not give", () => {
    expectTypeOf<Returns<Ours>>().toExtend<Returns<Theirs>>();
  });
});
