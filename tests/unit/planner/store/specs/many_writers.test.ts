import { expect, test } from "bun:test";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { tempProject } from "../../../../support/temp_project.ts";
import { useStore } from "../../../../support/use_store.ts";

const ID = "2026-11-01-001-aaa" as SpecId;
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
