import { ConnectionBanner, ConnectionDot } from "./connection.js";
import { Messages } from "./messages/Messages.js";
import { Operators } from "./operators/Operators.js";
import { Playground } from "./playground/Playground.js";
import { Reservations } from "./reservations/Reservations.js";
import { Section } from "./Section.js";
import { Shards } from "./shards/Shards.js";
import { ThemeToggle } from "./ThemeToggle.js";
import { Together } from "./together/Together.js";

const SECTIONS = [
  {
    id: "kinds",
    nav: "Two kinds",
    title: "One limit, two kinds",
    lead: "The same numbers as a token bucket, which refills all the time, and as a fixed window, which refills at once. Take tokens, or change a number and see it act.",
    Content: Playground,
  },
  {
    id: "reservations",
    nav: "Reservations",
    title: "Reserve now, run later",
    lead: "One job every two seconds. Each takes a token that does not exist yet, and the scheduler runs it when it does. Nobody polls, nobody retries.",
    Content: Reservations,
  },
  {
    id: "shards",
    nav: "Shards",
    title: "Many rows, one limit",
    lead: "Split over rows, a limit stands more writes at once. It must not lose a token by it: whatever the number of shards, what was granted and what is left make up the capacity.",
    Content: Shards,
  },
  {
    id: "together",
    nav: "Together",
    title: "Several limits, all or none",
    lead: "Each operation takes from the organisation, from the user and from its own limit in one transaction. If one refuses, the others keep their tokens, and the answer says which one it was.",
    Content: Together,
  },
  {
    id: "hook",
    nav: "Hook",
    title: "The limit in your own interface",
    lead: "A limit of three messages at once and ten a minute. The button knows before the server has to refuse.",
    Content: Messages,
  },
  {
    id: "operators",
    nav: "Operators",
    title: "Who is limited, and by how much",
    lead: "The keys of the message limit. Reset, ban or raise one: it holds from the next transaction on, without a deploy.",
    Content: Operators,
  },
];

export function App() {
  return (
    <>
      <a className="skip" href="#kinds">
        Skip to the playground
      </a>
      <header className="header">
        <div className="header-row page">
          <p className="wordmark">
            convex-rate-limiter <span>playground</span>
          </p>
          <nav className="nav" aria-label="Sections">
            <ul>
              {SECTIONS.map(({ id, nav }) => (
                <li key={id}>
                  <a href={`#${id}`}>{nav}</a>
                </li>
              ))}
            </ul>
          </nav>
          <div className="header-tools">
            <ConnectionDot />
            <ThemeToggle />
          </div>
        </div>
      </header>
      <main className="page">
        <div className="intro">
          <h1>See your limits at work</h1>
          <p>
            Every number on this page comes from a Convex mutation, and every
            chart follows a live query. Open a second tab: both show the same.
          </p>
        </div>
        {SECTIONS.map(({ id, title, lead, Content }) => (
          <Section key={id} id={id} title={title} lead={lead}>
            <Content />
          </Section>
        ))}
      </main>
      <ConnectionBanner />
    </>
  );
}
