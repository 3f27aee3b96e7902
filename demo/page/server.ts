/** Where Convex is, and here its HTTP actions too. */
export const serverUrl = import.meta.env.VITE_CONVEX_URL as string;
