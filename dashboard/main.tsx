import { render } from "preact";
import { App } from "./page/App.js";
import "./page/page.css";

const place = document.getElementById("app")!;
place.textContent = "";
render(<App />, place);
