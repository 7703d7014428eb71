import { expect, test } from "bun:test";
import { join } from "node:path";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { openSpecStore } from "#planner/store/specs/spec_store.ts";
import { LinesOfProcess } from "../../../../support/lines_of_process.ts";
import { isProven, provenText } from "../../../../support/proven_text.ts";
import { tempProject } from "../../../../support/temp_project.ts";
import { useStore } from "../../../../support/use_store.ts";

const ID = "2026-11-01-001-aaa" as SpecId;
const FILE = `.planner/specs/${ID}.md`;
const KILLED = join(import.meta.dirname, "../../../../support/scripts/edit_until_killed.ts");
/** Writers that are killed: PLANNER_TEST_KILLS, else a few; about every third in the middle of a write. */
const KILLS = Number(process.env["PLANNER_TEST_KILLS"] ?? 60);

/** The same numbers between 0 and 1 at every run. Source: the generator mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test("twenty processes that set a field each of one spec at once lose none", async () => {
  using project = tempProject();
  project.spec(ID, "---\n# kept\nstatus: pending\n---\n# T\n");
  const fields = Array.from({ length: 20 }, (_, number) => `field_${number}`);

  const answers = await Promise.all(
    fields.map((field, number) => useStore(project.root, ["set", ID, field, `v${number}`])),
  );

  expect(answers).toEqual(fields.map(() => true));
  const { frontmatter } = await openSpecStore(project.root).load(ID);
  expect(frontmatter).toEqual({
    status: "pending",
    ...Object.fromEntries(fields.map((field, number) => [field, `v${number}`])),
  });
  expect(project.read(FILE)).toStartWith("---\n# kept\nstatus: pending\n");
  expect(project.list(".planner/specs")).toEqual([`${ID}.md`]);
});

test("fifty processes that create at once get different counters", async () => {
  using project = tempProject();
  project.spec("2026-11-21-00z-old", "");

  const ids: string[] = await Promise.all(
    Array.from({ length: 50 }, () => useStore(project.root, ["create", "2026-11-21"])),
  );

  const counters = ids.map((id) => Number.parseInt(id.slice(11, 14), 36)).sort((a, b) => a - b);
  expect(counters).toEqual(Array.from({ length: 50 }, (_, number) => 36 + number));
  expect(project.list(".planner/specs")).toEqual(["2026-11-21-00z-old", ...ids].map((id) => `${id}.md`).sort());
  for (const id of ids) expect(project.read(`.planner/specs/${id}.md`)).toBe(`# ${id}\n`);
});

test("of ten processes that archive one spec at once one does it", async () => {
  using project = tempProject();
  project.spec(ID, "# T\n");

  const answers = await Promise.all(Array.from({ length: 10 }, () => useStore(project.root, ["archive", ID])));

  expect(answers.filter((answer) => typeof answer === "string")).toEqual([`.planner/archive/2026-11-01/${ID}.md`]);
  expect(answers.filter((answer) => answer.refused === "failed_precondition")).toHaveLength(9);
});

test(`a writer killed at ${KILLS} random moments leaves a whole file and stands in nobody's way`, async () => {
  using project = tempProject();
  const random = seeded(20_261_121);
  const store = openSpecStore(project.root);
  project.spec(ID, provenText("first", 100));
  let killed = 0;
  let halfWritten = 0;

  // Two at a time: one may die while the other waits for the lock.
  const round = async (): Promise<void> => {
    while (killed++ < KILLS) {
      const size = Math.ceil(random() * 300_000);
      const pause = random() * 25;
      await using writer = new LinesOfProcess([process.execPath, KILLED, project.root, ID, String(size)], project.root);
      await writer.next();
      await Bun.sleep(pause);
      writer.child.kill("SIGKILL");
      await writer.ended;
      const own = `.planner-${writer.child.pid?.toString(36)}-`;
      halfWritten += project.list(".planner/specs").filter((name) => name.startsWith(own)).length;

      const text = project.read(FILE);
      if (!isProven(text)) throw new Error(`torn after kill ${killed}: ${text.length} characters`);
      expect(await store.edit(ID, () => provenText(`after.${killed}`, 1000))).toBe(true);
    }
  };
  await Promise.all([round(), round()]);

  // Some died in the middle of a write, or the test would prove nothing.
  expect(halfWritten).toBeGreaterThan(2);
  // What the killed ones left is taken away by the next process that writes.
  await useStore(project.root, ["set", ID, "status", "failed"]);
  expect(project.list(".planner/specs")).toEqual([`${ID}.md`]);
}, 300_000);
