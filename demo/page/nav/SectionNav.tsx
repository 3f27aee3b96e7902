import { SECTIONS } from "../sections.js";
import "./nav.css";

/** Where one can go on the page. */
export function SectionNav() {
  return (
    <nav className="nav" aria-label="Sections">
      <ul>
        {SECTIONS.map(({ id, nav }) => (
          <li key={id}>
            <a href={`#${id}`}>{nav}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
