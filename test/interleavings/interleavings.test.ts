import { expect, test } from "vitest";
import { exploreScene, FEW_STEPS, scenes } from "./scenes.js";

// `npm run test:interleavings` runs more steps, and four calls.
test.each(scenes)(
  "three calls that overlap keep every token: $name",
  async (scene) => {
    const { histories } = await exploreScene(scene, 3, FEW_STEPS);
    expect(histories).toBeGreaterThan(0);
  },
);
