import { ConvexAuthProvider } from "@convex-dev/auth/react";
import { ConvexReactClient } from "convex/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App.js";
import { Mishap } from "./Mishap.js";
import "./styles.css";

const client = new ConvexReactClient(import.meta.env.VITE_CONVEX_URL as string);

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <Mishap>
      <ConvexAuthProvider client={client}>
        <App />
      </ConvexAuthProvider>
    </Mishap>
  </StrictMode>,
);
