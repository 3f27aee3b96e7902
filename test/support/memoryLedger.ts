export { draws } from "./seed.js";
