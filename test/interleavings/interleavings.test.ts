import { expect, test } from "vitest";
import { exploreScene, FEW_SCENES, scenes } from "./scenes.js";

// `npm run test:interleavings` runs all scenes with all steps, and with three and four calls.
test.each(FEW_SCENES.map((few) => [few.calls, few.scene.name, few] as const))(
  "%i overlapping calls keep every token in every order: %s",
  async (calls, _name, { scene }) => {
    const { histories } = await exploreScene(scene, calls, "few");
    expect(histories).toBeGreaterThan(0);
  },
);

// A hold, a credit that fills its row, and a hold of the same ms on the other row: then the first one gets its room.
test.fails("rows tell holds of the same ms apart", async () => {
  const scene = scenes.find(({ name }) => name === "two rows, unused, 2 held")!;
  await exploreScene(scene, 3, "few");
});
