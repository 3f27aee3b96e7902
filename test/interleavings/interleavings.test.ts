import { expect, test } from "vitest";
import { exploreScene, FEW_SCENES } from "./scenes.js";

// `npm run test:interleavings` runs all scenes with all steps, and with four calls.
test.each(FEW_SCENES.map((scene) => [scene.name, scene] as const))(
  "three overlapping calls keep every token in every order: %s",
  async (_name, scene) => {
    const { histories } = await exploreScene(scene, 3, "few");
    expect(histories).toBeGreaterThan(0);
  },
);
