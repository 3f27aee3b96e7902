import { useEffect, useState } from "react";

/** The part of the page that is being read: the last one that begins above the middle. */
export function useCurrentSection(ids: readonly string[]): string | undefined {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    const sections = ids.flatMap((id) => {
      const element = document.getElementById(id);
      return element === null ? [] : [element];
    });
    const look = () => {
      const isAtEnd =
        innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
      const begun = sections.filter(
        (section) => section.getBoundingClientRect().top < innerHeight / 2,
      );
      setCurrent((isAtEnd ? sections : begun).at(-1)?.id);
    };
    // Told when a section crosses the middle, and not on every step of the scrolling.
    const middle = new IntersectionObserver(look, {
      rootMargin: "-50% 0px -50% 0px",
    });
    for (const section of sections) middle.observe(section);
    addEventListener("scrollend", look);
    return () => {
      middle.disconnect();
      removeEventListener("scrollend", look);
    };
  }, [ids]);
  return current;
}
