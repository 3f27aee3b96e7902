import { expect, test } from "vitest";
import { exploreScene, FEW_SCENES, FEW_STEPS } from "./scenes.js";

// `npm run test:interleavings` runs all scenes with all steps, and with four calls.
test.each(FEW_SCENES)(
  "three overlapping calls keep every token in every order: $name",
  async (scene) => {
    const { histories } = await exploreScene(scene, 3, FEW_STEPS);
    expect(histories).toBeGreaterThan(0);
  },
);
