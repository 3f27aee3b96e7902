/** Whose tokens this deployment believes: its own, which Convex Auth signs. */
export default {
  providers: [{ domain: process.env.CONVEX_SITE_URL, applicationID: "convex" }],
};
