/** The page's colours, for charts. */
export type Colors = Record<
  "text" | "muted" | "line" | "card" | "accent" | "soft" | "danger",
  string
>;

export function readColors(): Colors {
  // A property that was not registered has the text that it was given, light and dark.
  const probe = document.body.appendChild(document.createElement("i"));
  const color = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colors = {
    text: color("text"),
    muted: color("muted"),
    line: color("line"),
    card: color("card"),
    accent: color("accent"),
    soft: color("accent-soft"),
    danger: color("danger"),
  };
  probe.remove();
  return colors;
}
