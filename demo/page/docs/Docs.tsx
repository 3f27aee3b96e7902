import { useEffect, useState } from "react";
import { Footer } from "../Footer.js";
import { Header } from "../Header.js";
import { addressOf, CONTENTS, README } from "./address.js";
import { has, readPicture, readText, SHELVES } from "./library.js";
import { renderMarkdown } from "./renderMarkdown.js";
import "./docs.css";

/** The documentation and the source, to read. */
export function Docs() {
  const path = new URLSearchParams(location.search).get("file") ?? README;
  useEffect(() => {
    document.title = `${path} · convex-rate-limiter`;
  }, [path]);
  return (
    <>
      <Header />
      <div className="docs page">
        <Shelves current={path} />
        <main className="text">
          <p className="muted small text-path">{path}</p>
          <Text path={path} />
        </main>
      </div>
      <Footer />
    </>
  );
}

function Shelves({ current }: { current: string }) {
  return (
    <nav className="shelves" aria-label="Files">
      {SHELVES.map(({ title, paths }, i) => (
        <details key={title} open={i === 0 || paths.includes(current)}>
          <summary>{title}</summary>
          <ul>
            {paths.map((path) => (
              <li key={path}>
                <a
                  href={addressOf(path)}
                  aria-current={path === current ? "page" : undefined}
                >
                  {nameOf(path)}
                </a>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </nav>
  );
}

type Read = { text: string; html?: string };

function Text({ path }: { path: string }) {
  const [read, setRead] = useState<Read | "missing">();
  useEffect(() => {
    let isCurrent = true;
    void readFile(path).then((result) => {
      if (isCurrent) setRead(result ?? "missing");
    });
    return () => {
      isCurrent = false;
    };
  }, [path]);
  // The text was not there when the browser looked for the place in it.
  useEffect(() => {
    if (read !== undefined && location.hash !== "") {
      document.getElementById(location.hash.slice(1))?.scrollIntoView();
    }
  }, [read]);
  if (read === undefined) return <p className="muted">Loading</p>;
  if (read === "missing") return <p>There is no such file here.</p>;
  // The repository's own text.
  if (read.html !== undefined) {
    return <article dangerouslySetInnerHTML={{ __html: read.html }} />;
  }
  return (
    <pre className="code" tabIndex={0} aria-label={path}>
      <code>{read.text}</code>
    </pre>
  );
}

async function readFile(path: string): Promise<Read | undefined> {
  const text = await readText(path);
  if (text === undefined) return undefined;
  if (!path.endsWith(".md")) return { text };
  const links = { has, picture: readPicture };
  return { text, html: await renderMarkdown(text, path, links) };
}

/** `Readme`, `Contents`, `Scaling`, `client/http.ts`, `jobs.ts`. */
function nameOf(path: string): string {
  if (path === CONTENTS) return "Contents";
  const [, first, rest] = /^(?:docs\/)?(\w)(.*)\.md$/.exec(path) ?? [];
  return first === undefined || rest === undefined
    ? path.replace(/^(src|example\/convex)\//, "")
    : first.toUpperCase() + rest.toLowerCase();
}
