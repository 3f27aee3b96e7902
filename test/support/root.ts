import path from "node:path";

/** The folder of the repository, with a slash at its end. */
export const root = path.join(import.meta.dirname, "../../");
