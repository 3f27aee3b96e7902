import { license, version } from "../../package.json";
import { addressOf } from "./docs.js";

const LINKS = [
  { title: "Documentation", path: "README.md" },
  { title: "Recipes", path: "docs/recipes.md" },
  { title: "Migrating", path: "docs/migrating.md" },
  { title: "Changelog", path: "CHANGELOG.md" },
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
                <a href={addressOf(path)}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
    </footer>
  );
}
