import { license, version } from "../../package.json";
import { SITE } from "./docs.js";

const LINKS = [
  { title: "Documentation", path: "start" },
  { title: "Recipes", path: "docs/recipes" },
  { title: "Migrating", path: "docs/migrating" },
  { title: "Changelog", path: "CHANGELOG" },
];

export function Footer() {
  return (
    <footer className="footer">
      <div className="page">
        <p>
          <strong>convex-rate-limiter</strong>{" "}
          <span className="muted">
            {version} · {license}
          </span>
        </p>
        <nav aria-label="Documentation">
          <ul>
            {LINKS.map(({ title, path }) => (
              <li key={path}>
                <a href={SITE + path}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
    </footer>
  );
}
