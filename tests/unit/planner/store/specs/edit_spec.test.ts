import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { SpecStore } from "#planner/store/specs/spec_store.ts";
import { tempProject } from "../../../../support/temp_project.ts";
import { useStore } from "../../../../support/use_store.ts";

const ID = "a" as SpecId;

test("edit begins again with the text that another program wrote meanwhile", async () => {
  using project = tempProject();
  project.spec(ID, "one\n");
  const store = new SpecStore(project.root);
  const seen: string[] = [];

  const changed = await store.edit(ID, (text) => {
    seen.push(text);
    // The editor of a person who saves at this moment.
    if (seen.length === 1) project.spec(ID, "two\n");
    return `${text}more\n`;
  });

  expect(changed).toBe(true);
  expect(seen).toEqual(["one\n", "two\n"]);
  expect(project.read(".planner/specs/a.md")).toBe("two\nmore\n");
});

test("edit gives up rather than overwrite a program that keeps writing", async () => {
  using project = tempProject();
  project.spec(ID, "0\n");
  const store = new SpecStore(project.root);
  let writes = 0;

  const edit = store.edit(ID, (text) => {
    project.spec(ID, `${++writes}\n`);
    return `${text}more\n`;
  });

  await expect(edit).rejects.toMatchObject({
    kind: "aborted",
    message: 'Cannot write ".planner/specs/a.md": another program keeps changing it',
  });
  expect(project.read(".planner/specs/a.md")).toBe(`${writes}\n`);
  expect(project.list(".planner/specs")).toEqual(["a.md"]);
});

test("edit says that a spec is gone that was deleted meanwhile", async () => {
  using project = tempProject();
  project.spec(ID, "one\n");
  const store = new SpecStore(project.root);

  const edit = store.edit(ID, (text) => {
    rmSync(join(project.root, ".planner/specs/a.md"));
    return `${text}more\n`;
  });

  await expect(edit).rejects.toMatchObject({ kind: "not_found", message: "Spec not found: a" });
  expect(project.list(".planner/specs")).toEqual([]);
});

const MANY_WRITERS_ID = "2026-11-01-001-aaa" as SpecId;
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
  project.spec(MANY_WRITERS_ID, "# T\n");

  const answers = await Promise.all(
    Array.from({ length: 10 }, () => useStore(project.root, ["archive", MANY_WRITERS_ID])),
  );

  expect(answers.filter((answer) => typeof answer === "string")).toEqual([
    `.planner/archive/2026-11-01/${MANY_WRITERS_ID}.md`,
  ]);
  expect(answers.filter((answer) => answer.refused === "failed_precondition")).toHaveLength(9);
});
