import { useSyncExternalStore } from "react";

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
  return (
    <button
      type="button"
      className="quiet"
      aria-label="Dark theme"
      aria-pressed={isDark}
      onClick={toggle}
    >
      Dark
    </button>
  );
}
