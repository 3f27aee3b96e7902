import type { ComponentType } from "react";
import { Answers } from "./answers/Answers.js";
import { Exports } from "./exports/Exports.js";
import { Figures } from "./figures/Figures.js";
import { Messages } from "./messages/Messages.js";
import { Operators } from "./operators/Operators.js";
import { Playground } from "./playground/Playground.js";
import { Renders } from "./renders/Renders.js";
import { Reservations } from "./reservations/Reservations.js";
import { Rollout } from "./rollout/Rollout.js";
import { Shards } from "./shards/Shards.js";
import { Together } from "./together/Together.js";

export type SectionEntry = {
  /** In the address. */
  id: string;
  /** In the navigation. */
  nav: string;
  title: string;
  lead: string;
  /** The functions that the section calls. */
  source: string;
  Content: ComponentType;
};

/** The parts of the page, in order. Each has a folder of its own. */
export const SECTIONS: SectionEntry[] = [
  {
    id: "kinds",
    nav: "Kinds",
    title: "One limit, two kinds",
    lead: "A token bucket refills all the time, a fixed window at once. Take tokens and watch.",
    source: "demo/convex/playground.ts",
    Content: Playground,
  },
  {
    id: "quotas",
    nav: "Quotas",
    title: "A plan’s quota",
    lead: "A hundred exports a month, from midnight on the first where the customer is. Free users leave some for paying ones; a job takes what there is.",
    source: "demo/convex/exports.ts",
    Content: Exports,
  },
  {
    id: "reservations",
    nav: "Reservations",
    title: "Reserve now, run later",
    lead: "One job every two seconds. Each reserves a token that does not exist yet, and the scheduler runs it when it does. No polling, no retries.",
    source: "demo/convex/jobs.ts",
    Content: Reservations,
  },
  {
    id: "holds",
    nav: "Holds",
    title: "Hold the most, settle the cost",
    lead: "Hold the most that an answer may cost, and settle when it is written: the rest comes back, once. A hold that nobody settles expires and keeps what it took.",
    source: "demo/convex/answers.ts",
    Content: Answers,
  },
  {
    id: "at-once",
    nav: "At once",
    title: "Three at a time",
    lead: "A limit on what runs at once has places instead of a rate. Each render holds one and renews its lease while it works. One that crashes renews nothing: its place is free when its lease ends, without any job that cleans up.",
    source: "demo/convex/renders.ts",
    Content: Renders,
  },
  {
    id: "together",
    nav: "Together",
    title: "Several limits, all or none",
    lead: "Each operation takes from the organisation, the user and its own limit in one transaction. If one denies, the others keep their tokens, and the answer names it.",
    source: "demo/convex/organisations.ts",
    Content: Together,
  },
  {
    id: "shards",
    nav: "Shards",
    title: "Many rows, one limit",
    lead: "Spread over several rows, or appended record by record, a limit takes more writes at once and loses no token: granted and left always add up to the capacity.",
    source: "demo/convex/playground.ts",
    Content: Shards,
  },
  {
    id: "hook",
    nav: "Hook",
    title: "The limit in your own interface",
    lead: "Three messages at once, ten a minute. With useRateLimit the button knows before the server has to refuse. Open a second tab: it counts along.",
    source: "demo/convex/messages.ts",
    Content: Messages,
  },
  {
    id: "operators",
    nav: "Operators",
    title: "Who is limited, and by how much",
    lead: "The keys of the message limit above. Reset, ban or raise one: it takes effect in the next transaction, without a deploy. A ban lasts a minute, the next one ten, then an hour.",
    source: "demo/convex/operators.ts",
    Content: Operators,
  },
  {
    id: "rollout",
    nav: "Rollout",
    title: "A new limit, for a few users first",
    lead: "Enforced for a share of the users and a dry run for the others, now or from a time that you set. Whoever is in stays in as the share grows. No deploy.",
    source: "demo/convex/rollout.ts",
    Content: Rollout,
  },
  {
    id: "denials",
    nav: "Denials",
    title: "Denials over time",
    lead: "A limit with stats counts its calls: granted and denied, minute by minute, and the keys denied most. No call conflicts for it.",
    source: "demo/convex/figures.ts",
    Content: Figures,
  },
];
