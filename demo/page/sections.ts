import type { ComponentType } from "react";
import { Dashboard } from "./dashboard/Dashboard.js";
import { Holds } from "./holds/Holds.js";
import { Kinds } from "./kinds/Kinds.js";
import { Reservations } from "./reservations/Reservations.js";
import { Rollout } from "./rollout/Rollout.js";

export type SectionEntry = {
  /** In the address; the code beside it is in the folder of this name in `snippets`. */
  id: string;
  /** In the navigation. */
  nav: string;
  title: string;
  lead: string;
  Content: ComponentType;
};

/** The parts of the page, in order. Each has a folder of its own. */
export const SECTIONS: SectionEntry[] = [
  {
    id: "kinds",
    nav: "Kinds",
    title: "Two kinds of limit",
    lead: "A token bucket refills continuously. A fixed window refills all at once, when the next window starts. Take tokens from both and watch.",
    Content: Kinds,
  },
  {
    id: "holds",
    nav: "Holds",
    title: "Hold the most, pay the cost",
    lead: "An answer of a language model holds one of three places, and the most that it may cost. When it is done its place is free, and what it did not cost comes back. If it crashes, its place is free when its lease ends.",
    Content: Holds,
  },
  {
    id: "reservations",
    nav: "Reservations",
    title: "Reserve now, run later",
    lead: "One invoice every two seconds. Each call reserves a token that does not exist yet, and Convex’s scheduler runs the work when it does. No queue, no polling, no retries.",
    Content: Reservations,
  },
  {
    id: "rollout",
    nav: "Roll-out",
    title: "A new limit, for a few users first",
    lead: "Start with a dry run: it denies nobody and tells you whom it would deny. Then enforce it for a share of the users, without a deploy. Whoever is in stays in as the share grows.",
    Content: Rollout,
  },
  {
    id: "dashboard",
    nav: "Dashboard",
    title: "Who is limited, and who is denied",
    lead: "One call in convex/http.ts serves a page for operators: every limit in words, its keys, what was granted and denied. Ban, reset or raise a key there. It takes effect in the next transaction.",
    Content: Dashboard,
  },
];
