import { describe, expect, test } from "bun:test";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { CONTRACT_IDS, type OpenStore, pending, projectsWith, refusal } from "../support/spec_store_project.ts";

const { A, B, GONE } = CONTRACT_IDS;

/** What the `SpecStore` port promises of new specs. */
export function specStoreCreateContract(name: string, open: OpenStore): void {
  const project = projectsWith(open);

  describe(`SpecStore creates, ${name}`, () => {
    test("create counts on from the highest of the day, archive included", async () => {
      using at = project({
        "specs/2026-11-21-009-aaa.md": "",
        "specs/2026-11-20-0zz-aaa.md": "",
        "archive/2026-11-21/2026-11-21-00z-bbb.md": "",
      });

      const first = await at.store.create("2026-11-21", (id) => pending(id));
      const second = await at.store.create("2026-11-21", (id) => pending(id));

      expect(first).toMatch(/^2026-11-21-010-[0-9a-z]{3}$/);
      expect(second).toMatch(/^2026-11-21-011-[0-9a-z]{3}$/);
      expect(at.read(`.planner/specs/${first}.md`)).toBe(pending(first));
    });

    test("create refuses a day whose counter is used up", async () => {
      using at = project({ "specs/2026-11-21-zzz-aaa.md": "" });

      expect(await refusal(at.store.create("2026-11-21", () => ""))).toBe(
        'resource_exhausted: Cannot create a spec: 2026-11-21 has no counter behind "zzz" left',
      );
    });

    test("create gives many at once different counters and leaves only specs behind", async () => {
      using at = project();
      const other = open(at.root);

      const ids = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? at.store : other).create("2026-11-21", () => "")),
      );

      expect(new Set(ids.map((id) => id.slice(0, 14))).size).toBe(20);
      expect(at.list(".planner/specs")).toEqual(ids.map((id) => `${id}.md`).sort());
    });

    test("createEach writes each spec whole and reports ids that are taken", async () => {
      using at = project({
        [`specs/${A}.md`]: pending("Mine"),
        [`archive/2026-10-01/${GONE}.md`]: pending("Old"),
      });
      const third = "2026-11-01-003-ccc" as SpecId;

      const outcomes = await at.store.createSpecs([
        { id: A, archived: false, text: pending("Theirs") },
        { id: B, archived: false, text: pending("Second") },
        { id: GONE, archived: false, text: pending("Again") },
        { id: third, archived: true, text: pending("Done") },
      ]);

      expect([...outcomes]).toEqual([
        [A, false],
        [GONE, false],
        [B, true],
        [third, true],
      ]);
      expect(at.read(`.planner/specs/${A}.md`)).toBe(pending("Mine"));
      expect(at.read(`.planner/specs/${B}.md`)).toBe(pending("Second"));
      expect(at.read(`.planner/archive/2026-11-01/${third}.md`)).toBe(pending("Done"));
      expect(at.list(".planner/specs")).toEqual([`${A}.md`, `${B}.md`]);
    });

    test("createEach of two stores at once gives an id to one of them", async () => {
      using at = project();
      const stores = [at.store, open(at.root)];
      const ids = Array.from({ length: 10 }, (_, index) => `2026-11-01-0${index + 10}-abc` as SpecId);

      const outcomes = await Promise.all(
        stores.map((store, index) =>
          store.createSpecs(ids.map((id) => ({ id, archived: false, text: pending(`of ${index}`) }))),
        ),
      );

      for (const id of ids) {
        const winner = outcomes.findIndex((outcome) => outcome.get(id) === true);
        expect(outcomes.filter((outcome) => outcome.get(id) === true)).toHaveLength(1);
        expect(at.read(`.planner/specs/${id}.md`)).toBe(pending(`of ${winner}`));
      }
    });
  });
}
