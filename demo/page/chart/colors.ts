/** The page's colours, for charts. */
export type Colors = Record<
  "text" | "muted" | "line" | "card" | "accent" | "soft" | "danger",
  string
>;

export function readColors(): Colors {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: color("text"),
    muted: color("muted"),
    line: color("line"),
    card: color("card"),
    accent: color("accent"),
    soft: color("accent-soft"),
    danger: color("danger"),
  };
}
