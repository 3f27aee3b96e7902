import { useEffect, useRef } from "react";
import { SECTIONS } from "../sections.js";
import { useCurrentSection } from "./useCurrentSection.js";
import "./nav.css";

const IDS = SECTIONS.map(({ id }) => id);

/** Where one is on the page, and where else one can go. */
export function SectionNav() {
  const current = useCurrentSection(IDS);
  const list = useRef<HTMLUListElement>(null);
  // On a narrow screen the list is wider than its place.
  useEffect(() => {
    const link = list.current?.querySelector<HTMLElement>("[aria-current]");
    if (link === null || link === undefined) return;
    const place = list.current!;
    const middle = link.offsetLeft + link.offsetWidth / 2;
    place.scrollTo({ left: middle - place.clientWidth / 2 });
  }, [current]);
  return (
    <nav className="nav" aria-label="Sections">
      <ul ref={list}>
        {SECTIONS.map(({ id, nav }) => (
          <li key={id}>
            <a
              href={`#${id}`}
              aria-current={id === current ? "location" : undefined}
            >
              {nav}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
