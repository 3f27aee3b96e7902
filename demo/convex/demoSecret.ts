/**
 * Opens the dashboard of the demo, whose data is gone when it stops. No secret at all: a real app
 * takes one from an environment variable.
 */
export const DEMO_SECRET = "demo-demo-demo-demo";
