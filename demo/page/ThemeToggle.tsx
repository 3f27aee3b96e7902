import { useState, useSyncExternalStore } from "react";

/** What one gets. */
const MOON = "M16.5 12.2A7 7 0 0 1 7.8 3.5a7 7 0 1 0 8.7 8.7Z";
const SUN =
  "M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7ZM10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2M4 4l1.4 1.4M14.6 14.6 16 16M4 16l1.4-1.4M14.6 5.4 16 4";

const dark = matchMedia("(prefers-color-scheme: dark)");

function subscribe(onChange: () => void): () => void {
  dark.addEventListener("change", onChange);
  return () => dark.removeEventListener("change", onChange);
}

export function ThemeToggle() {
  const [chosen, setChosen] = useState(
    document.documentElement.dataset["theme"],
  );
  const isPreferred = useSyncExternalStore(subscribe, () => dark.matches);
  const isDark = chosen === undefined ? isPreferred : chosen === "dark";
  const toggle = () => {
    const theme = isDark ? "light" : "dark";
    document.documentElement.dataset["theme"] = theme;
    localStorage.setItem("theme", theme);
    setChosen(theme);
  };
  const label = isDark ? "Use the light theme" : "Use the dark theme";
  return (
    <button
      type="button"
      className="quiet theme-toggle"
      aria-label={label}
      title={label}
      onClick={toggle}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d={isDark ? SUN : MOON} />
      </svg>
    </button>
  );
}
