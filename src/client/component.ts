import type { ComponentApi } from "../component/_generated/component.js";

/**
 * Called by each call and not by the constructor, so that unit tests may load the modules of an app
 * with a mock of `_generated/api`.
 *
 * @throws An `Error` if the component is missing, or is not this component.
 */
export function requireComponent(
  component: ComponentApi | undefined,
): ComponentApi {
  const wanted =
    "Give components.rateLimiter, from ./_generated/api, as the first argument";
  if (component === undefined || component === null) {
    throw new Error(
      `new RateLimiter: the component is ${component}. Mount it in convex/convex.config.ts with app.use(rateLimiter), and run npx convex dev. ${wanted}.`,
    );
  }
  if (isComponent(component)) return component;
  throw new Error(
    `new RateLimiter: what it was given is not this component. ${wanted}, and not components.`,
  );
}

/** Convex's own symbol for a component's path. `components` itself has no path, and throws. */
const REFERENCE = Symbol.for("toReferencePath");

function isComponent(component: ComponentApi): boolean {
  try {
    void Reflect.get(component, REFERENCE);
    return component.lib !== undefined;
  } catch {
    return false;
  }
}
