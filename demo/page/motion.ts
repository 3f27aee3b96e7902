/** Whether the visitor wants things to stay calm. */
export const reducedMotion = window.matchMedia(
  "(prefers-reduced-motion: reduce)",
);
