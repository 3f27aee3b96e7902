import { useSyncExternalStore } from "react";

/** What one gets. */
const MOON = "M16.5 12.2A7 7 0 0 1 7.8 3.5a7 7 0 1 0 8.7 8.7Z";
const SUN =
  "M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7ZM10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2M4 4l1.4 1.4M14.6 14.6 16 16M4 16l1.4-1.4M14.6 5.4 16 4";

const dark = window.matchMedia("(prefers-color-scheme: dark)");

function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen === undefined ? dark.matches : chosen === "dark";
}

function subscribe(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, {
    attributeFilter: ["data-theme"],
  });
  dark.addEventListener("change", onChange);
  return () => {
    observer.disconnect();
    dark.removeEventListener("change", onChange);
  };
}

/** Whether the page is dark, by choice or by the system's setting. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, isDark);
}

export function ThemeToggle() {
  const isDark = useIsDark();
  const toggle = () => {
    const theme = isDark ? "light" : "dark";
    document.documentElement.dataset["theme"] = theme;
    localStorage.setItem("theme", theme);
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
        {isDark ? <path d={SUN} /> : <path d={MOON} />}
      </svg>
    </button>
  );
}
