import { ConvexProvider, ConvexReactClient } from "convex/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App.js";
import { ClockProvider } from "./clock.js";
import { NoServer } from "./NoServer.js";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/layout.css";

const url = import.meta.env.VITE_CONVEX_URL as string | undefined;
const root = createRoot(document.getElementById("root")!);

if (url === undefined || url === "") {
  root.render(<NoServer />);
} else {
  root.render(
    <StrictMode>
      <ConvexProvider client={new ConvexReactClient(url)}>
        <ClockProvider>
          <App />
        </ClockProvider>
      </ConvexProvider>
    </StrictMode>,
  );
}
