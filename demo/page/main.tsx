import { ConvexProvider, ConvexReactClient } from "convex/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App.js";
import { serverUrl } from "./server.js";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/trial.css";

const root = createRoot(document.getElementById("root")!);

/** How long to wait for the fonts, which would move the text if they came later. */
const FONT_TIMEOUT_MS = 1000;

await Promise.race([
  Promise.all(
    ["400 1em Inter", "400 1em 'JetBrains Mono'"].map((font) =>
      document.fonts.load(font),
    ),
  ),
  new Promise((resolve) => setTimeout(resolve, FONT_TIMEOUT_MS)),
]);

root.render(
  <StrictMode>
    <ConvexProvider client={new ConvexReactClient(serverUrl)}>
      <App />
    </ConvexProvider>
  </StrictMode>,
);
