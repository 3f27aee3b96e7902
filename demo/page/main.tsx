import { ConvexProvider, ConvexReactClient } from "convex/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App.js";
import { ClockProvider } from "./clock.js";
import { NoServer } from "./NoServer.js";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/trial.css";
import "./styles/chart.css";
import "./styles/tables.css";

const url = import.meta.env.VITE_CONVEX_URL as string | undefined;
const root = createRoot(document.getElementById("root")!);

/** How long the page waits for its typefaces: what comes later would move the text. */
const PATIENCE_MS = 1000;

await Promise.race([
  Promise.all(
    ["400 1em Inter", "400 1em 'JetBrains Mono'"].map((font) =>
      document.fonts.load(font),
    ),
  ),
  new Promise((resolve) => setTimeout(resolve, PATIENCE_MS)),
]);

root.render(
  <StrictMode>
    {url === undefined || url === "" ? (
      <NoServer />
    ) : (
      <ConvexProvider client={new ConvexReactClient(url)}>
        <ClockProvider>
          <App />
        </ClockProvider>
      </ConvexProvider>
    )}
  </StrictMode>,
);
