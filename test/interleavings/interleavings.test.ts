import { expect, test } from "vitest";
import { exploreScene, FEW_SCENES } from "./scenes.js";

// `npm run test:interleavings` runs all scenes with all steps, and with three and four calls.
test.each(FEW_SCENES.map((few) => [few.calls, few.scene.name, few] as const))(
  "%i overlapping calls keep every token in every order: %s",
  async (calls, _name, { scene }) => {
    const { histories } = await exploreScene(scene, calls, "few");
    expect(histories).toBeGreaterThan(0);
  },
);
