import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Docs } from "./Docs.js";
import "../styles/base.css";
import "../styles/controls.css";
import "../styles/layout.css";

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <Docs />
  </StrictMode>,
);
