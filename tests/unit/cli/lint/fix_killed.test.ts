import { expect, test } from "bun:test";
import { join } from "node:path";
import { killedAtStep } from "../../../support/killed_at_step.ts";
import { tempProject } from "../../../support/temp_project.ts";

const MAIN = join(import.meta.dirname, "../../../../src/main.ts");
const IDS = ["a", "b"];

test("lint --fix that is killed leaves whole files, and the next one finishes the work", async () => {
  const steps: { readonly mended: number; readonly left: number }[] = [];
  for (let step = 1; ; step++) {
    using project = tempProject();
    const messy = (id: string): string =>
      `---\nlabels: [x]  \n---\n\n# ${id}\n\n${`words of ${id} \n`.repeat(5_000)}end`;
    const tidy = (id: string): string =>
      `---\nlabels: [x]\nid: ${id}\nstatus: pending\n---\n\n# ${id}\n\n${`words of ${id}\n`.repeat(5_000)}end\n`;
    for (const id of IDS) project.spec(id, messy(id));

    const killed = await killedAtStep(step, [MAIN, "lint", "--fix"], { cwd: project.root });

    const mended = IDS.filter((id) => {
      const text = project.read(`.planner/specs/${id}.md`);
      expect([messy(id), tidy(id)]).toContain(text);
      return text === tidy(id);
    });
    steps.push({ mended: mended.length, left: project.list(".planner/specs").length - IDS.length });
    if (!killed) break;
    expect(await killedAtStep(0, [MAIN, "lint", "--fix"], { cwd: project.root })).toBe(false);
    expect(IDS.map((id) => project.read(`.planner/specs/${id}.md`))).toEqual(IDS.map(tidy));
    expect(project.list(".planner/specs")).toEqual(IDS.map((id) => `${id}.md`));
  }
  const mended = steps.map((step) => step.mended);
  expect(mended).toEqual(mended.toSorted());
  expect([...new Set(mended)]).toEqual([0, 1, 2]);
  expect(steps.some(({ left }) => left > 0)).toBe(true);
});
