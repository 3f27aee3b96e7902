/** The address of Convex, and of the demo's HTTP actions. */
export const serverUrl = import.meta.env.VITE_CONVEX_URL as string;
