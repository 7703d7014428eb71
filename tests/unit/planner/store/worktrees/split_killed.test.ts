import { expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { SpecStore } from "#planner/ports.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { openSpecStore } from "#planner/store/specs/spec_store.ts";
import { storeKilledAtStep } from "../../../../support/killed_at_step.ts";
import { type TempProject, tempProject } from "../../../../support/temp_project.ts";

const ID = "2026-01-05-001-abc" as SpecId;
const MEMBERS = [1, 2, 3].map((number) => `${ID}.${number}` as SpecId);
const SPEC = "---\nstatus: pending # kept\n---\n\n# Title\n";
const FILE = `.planner/specs/${ID}.md`;

/** A project whose split was killed before each of its steps, one after the other; ends with one that came through. */
async function killSplitting(look: (project: TempProject, store: SpecStore, step: number) => Promise<void>) {
  for (let step = 1; ; step++) {
    using project = tempProject();
    project.write(FILE, SPEC);
    const killed = await storeKilledAtStep(step, ["split", ID, "3"], project.root);
    await look(project, openSpecStore(project.root), step);
    if (!killed) return step;
  }
}

/** All or none of a split, as it lies on the disk. */
function isWhole(project: TempProject): boolean {
  const there = MEMBERS.filter((id) => existsSync(join(project.root, `.planner/specs/${id}.md`))).length;
  const driver = project.read(FILE).includes("type: driver\n");
  return driver ? there === MEMBERS.length : there === 0;
}

test("a reader sees all of a split that a kill cut off, or nothing", async () => {
  let cutOff = 0;
  let split = 0;
  const steps = await killSplitting(async (project, store, step) => {
    if (!isWhole(project)) cutOff++;

    const { specs } = await store.readActive();

    const parent = specs.find(({ id }) => id === ID);
    const done = parent?.type === "driver";
    expect({ step, ids: specs.map(({ id }) => id) }).toEqual({ step, ids: done ? [ID, ...MEMBERS] : [ID] });
    expect({ step, members: parent?.members }).toEqual({ step, members: done ? MEMBERS : [] });
    expect(project.read(FILE)).toContain("status: pending # kept\n");
    expect(isWhole(project)).toBe(true);
    expect(existsSync(join(project.root, ".planner/locks/split.json"))).toBe(false);
    if (done) split++;
  });
  expect({ cutOff: cutOff >= 3, split: split >= 4, nothing: steps - split >= 1 }).toEqual({
    cutOff: true,
    split: true,
    nothing: true,
  });
});

test("a writer finishes a split that a kill cut off before it writes", async () => {
  await killSplitting(async (project, store) => {
    await store.create("2026-01-06", (id) => `# ${id}\n`);

    expect(isWhole(project)).toBe(true);
  });
});

test("a cut off split is taken back when its spec was removed since; what somebody changed stays", async () => {
  await killSplitting(async (project, store, step) => {
    const changed = existsSync(join(project.root, `.planner/specs/${MEMBERS[1]}.md`));
    if (isWhole(project)) return;
    if (changed) project.write(`.planner/specs/${MEMBERS[1]}.md`, "# Mine\n");
    rmSync(join(project.root, FILE));

    expect({ step, ids: await store.listIds() }).toEqual({ step, ids: changed ? MEMBERS.slice(1, 2) : [] });
  });
});

test("a note of a split that names files outside of the specs is not followed", async () => {
  using project = tempProject();
  project.write(FILE, SPEC);
  const outside = { id: `${ID}/../../../evil`, text: "evil\n" };
  const stranger = { id: "2026-01-05-002-zzz", text: "evil\n" };
  for (const member of [outside, stranger]) {
    const note = { parent: ID, members: [member], fields: { type: "driver" } };
    project.write(".planner/locks/split.json", JSON.stringify(note));

    await openSpecStore(project.root).edit(ID, (text) => `${text}\nMore.\n`);

    expect(project.list(".planner/specs")).toEqual([`${ID}.md`]);
    expect(existsSync(join(project.root, "evil.md"))).toBe(false);
    expect(project.read(FILE)).toBe(`${SPEC}\nMore.\n`);
    project.write(FILE, SPEC);
  }
});
