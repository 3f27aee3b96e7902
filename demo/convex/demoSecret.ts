/**
 * The secret of the demo's dashboard. It need not be secret, since the demo keeps no data. A real
 * app takes one from an environment variable.
 */
export const DEMO_SECRET = "demo-demo-demo-demo";
