import { describe, expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import { editFields } from "#planner/spec/edit/edit_fields.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { CONTRACT_IDS, type OpenStore, pending, projectsWith, refusal } from "../support/spec_store_project.ts";

const { A, B, GONE } = CONTRACT_IDS;

/** Every promise of the `SpecStore` port; each way to open a store keeps all of them. */
export function specStoreContract(name: string, open: OpenStore): void {
  const project = projectsWith(open);

  describe(`SpecStore, ${name}`, () => {
    test("ids lists the specs' files in the order of ids", async () => {
      using at = project({
        "specs/2026-11-01-00a-aaa.md": "",
        "specs/2026-11-01-002-bbb.10.md": "",
        "specs/2026-11-01-002-bbb.2.md": "",
        "specs/2026-11-01-002-bbb.md": "",
        "specs/notes.md": "",
        "specs/.hidden.md": "",
        "specs/readme.txt": "",
        "specs/nested/2026-11-01-003-ccc.md": "",
      });

      const ids = await at.store.listIds();

      expect(ids as readonly string[]).toEqual([
        "2026-11-01-002-bbb",
        "2026-11-01-002-bbb.2",
        "2026-11-01-002-bbb.10",
        "2026-11-01-00a-aaa",
        "notes",
      ]);
    });

    test("archivedIds finds specs in folders of days and flat ones", async () => {
      using at = project({
        [`archive/2026-10-01/${GONE}.md`]: pending("Old"),
        "archive/flat.md": pending("Flat"),
        "archive/other/2026-10-01-002-no.md": pending("Elsewhere"),
      });

      expect([...(await at.store.listArchivedIds())].sort() as string[]).toEqual([GONE, "flat"]);
      expect((await at.store.readArchived()).specs.map(({ id, file, archived }) => [id, file, archived])).toEqual([
        [GONE, `.planner/archive/2026-10-01/${GONE}.md`, true],
        ["flat" as SpecId, ".planner/archive/flat.md", true],
      ]);
    });

    test("active reads every spec and reports what it cannot read", async () => {
      using at = project({
        [`specs/${B}.md`]: pending("Second"),
        [`specs/${A}.md`]: pending("First"),
        "specs/broken.md": "---\nstatus: [\n---\n",
      });

      const { specs, unreadable } = await at.store.readActive();

      expect(specs.map(({ id, title, file }) => [id, title, file])).toEqual([
        [A, "First", `.planner/specs/${A}.md`],
        [B, "Second", `.planner/specs/${B}.md`],
      ]);
      expect(unreadable).toEqual([
        {
          file: ".planner/specs/broken.md",
          line: expect.any(Number),
          column: expect.any(Number),
          message: expect.any(String),
        },
      ]);
    });

    test("active is empty where there are no specs", async () => {
      using at = project();

      expect(await at.store.readActive()).toEqual({ specs: [], unreadable: [] });
      expect(await at.store.readArchived()).toEqual({ specs: [], unreadable: [] });
      expect([...(await at.store.listArchivedIds())]).toEqual([]);
    });

    test("active answers the same object while nothing changes", async () => {
      using at = project({ [`specs/${A}.md`]: pending("First") });
      const first = await at.store.readActive();

      expect(await at.store.readActive()).toBe(first);

      at.spec(A, pending("Changed"));
      expect((await at.store.readActive()).specs[0]?.title).toBe("Changed");
    });

    test("load reads active and archived specs by their full id", async () => {
      using at = project({ [`specs/${A}.md`]: pending("First"), [`archive/2026-10-01/${GONE}.md`]: pending("Old") });

      expect(await at.store.load(A)).toMatchObject({ id: A, title: "First", archived: false });
      expect(await at.store.load(GONE)).toMatchObject({ id: GONE, title: "Old", archived: true });
      expect(await refusal(at.store.load(B))).toBe(`not_found: Spec not found: ${B}`);
    });

    test("load prefers the active one of two files with one id", async () => {
      using at = project({ [`specs/${A}.md`]: pending("Active"), [`archive/2026-11-01/${A}.md`]: pending("Archived") });

      expect(await at.store.load(A)).toMatchObject({ title: "Active", archived: false });
    });

    test("load names file, line and column of a spec that does not parse", async () => {
      using at = project({ [`specs/${A}.md`]: "---\nstatus: pending\nlabels: [web\n---\n" });

      expect(await refusal(at.store.load(A))).toMatch(
        /^failed_precondition: \.planner\/specs\/2026-11-01-001-aaa\.md:\d+:\d+: /,
      );
    });

    test("readText gives the text of specs that do not parse, too", async () => {
      using at = project({ [`specs/${A}.md`]: "---\nlabels: [\r\n---\n\uFEFF", [`archive/${GONE}.md`]: "old" });

      expect(await at.store.readText(A)).toEqual({
        file: `.planner/specs/${A}.md`,
        text: "---\nlabels: [\r\n---\n\uFEFF",
      });
      expect(await at.store.readText(GONE)).toEqual({ file: `.planner/archive/${GONE}.md`, text: "old" });
      expect(await refusal(at.store.readText(B))).toBe(`not_found: Spec not found: ${B}`);
    });

    test("modified tells when the file was last changed", async () => {
      using at = project({ [`specs/${A}.md`]: pending("First") });
      at.touch(`.planner/specs/${A}.md`, new Date("2026-10-05T10:00:00Z"));

      expect(await at.store.readModifiedTime(A)).toEqual(new Date("2026-10-05T10:00:00Z"));
      expect(await refusal(at.store.readModifiedTime(B))).toBe(`not_found: Spec not found: ${B}`);
    });

    test("edit replaces the text and says so", async () => {
      using at = project({ [`specs/${A}.md`]: pending("First") });

      const changed = await at.store.edit(A, (text) => text.replace("pending", "completed"));

      expect(changed).toBe(true);
      expect(at.read(`.planner/specs/${A}.md`)).toBe("---\nstatus: completed\n---\n\n# First\n");
      expect((await at.store.readActive()).specs[0]?.status).toBe("completed");
    });

    test("edit leaves a file alone whose text stays the same", async () => {
      using at = project({ [`specs/${A}.md`]: pending("First") });
      at.touch(`.planner/specs/${A}.md`, new Date("2026-10-05T10:00:00Z"));

      expect(await at.store.edit(A, (text) => text)).toBe(false);
      expect(await at.store.readModifiedTime(A)).toEqual(new Date("2026-10-05T10:00:00Z"));
    });

    test("edit changes nothing when the change is refused", async () => {
      using at = project({ [`specs/${A}.md`]: pending("First") });
      const refuse = (): string => {
        throw new OperationError("invalid_argument", "Not so");
      };

      expect(await refusal(at.store.edit(A, refuse))).toBe("invalid_argument: Not so");
      expect(at.read(`.planner/specs/${A}.md`)).toBe(pending("First"));
      expect(await at.store.edit(A, (text) => `${text}more`)).toBe(true);
    });

    test("edit refuses specs that are not active", async () => {
      using at = project({ [`archive/${GONE}.md`]: pending("Old") });
      const change = (text: string): string => `${text}!`;

      expect(await refusal(at.store.edit(B, change))).toBe(`not_found: Spec not found: ${B}`);
      expect(await refusal(at.store.edit(GONE, change))).toBe(
        `failed_precondition: Spec "${GONE}" is archived: ".planner/archive/${GONE}.md" does not change`,
      );
    });

    test("edit refuses a text that could not be read back", async () => {
      using at = project({ [`specs/${A}.md`]: pending("First") });

      expect(await refusal(at.store.edit(A, (text) => `${text}\uD800`))).toContain("half a surrogate pair");
      expect(await refusal(at.store.edit(A, () => "x".repeat(5_000_000)))).toContain("5000000 bytes");
      expect(at.read(`.planner/specs/${A}.md`)).toBe(pending("First"));
    });

    test("edit loses no change of many at once, whichever store they come through", async () => {
      using at = project({ [`specs/${A}.md`]: pending("First") });
      const stores = [at.store, open(at.root), open(at.root)];
      const fields = Array.from({ length: 30 }, (_, index) => `field_${index}`);

      await Promise.all(
        fields.map((field, index) => stores[index % 3]?.edit(A, (text) => editFields(text, { [field]: `v${index}` }))),
      );

      const { frontmatter } = await at.store.load(A);
      expect(fields.map((field) => frontmatter[field])).toEqual(fields.map((_, index) => `v${index}`));
    });

    test("editEach edits each spec for itself and tells what came of it", async () => {
      using at = project({
        [`specs/${A}.md`]: pending("First"),
        [`specs/${B}.md`]: pending("Second"),
        "specs/same.md": pending("Same"),
        "specs/refused.md": pending("Refused"),
        [`archive/${GONE}.md`]: pending("Old"),
      });
      const [same, refused, missing] = ["same", "refused", "missing"].map((id) => id as SpecId);

      const outcomes = await at.store.editSpecs([A, same, GONE, refused, missing, B, A] as SpecId[], (text, id) => {
        if (id === refused) throw new OperationError("invalid_argument", "Not so");
        return id === same ? text : `${text}${id}\n`;
      });

      const told = [...outcomes].map(([id, outcome]) => [id, typeof outcome === "boolean" ? outcome : outcome.message]);
      expect(Object.fromEntries(told)).toEqual({
        [A]: true,
        [B]: true,
        same: false,
        refused: "Not so",
        missing: "Spec not found: missing",
        [GONE]: `Spec "${GONE}" is archived: ".planner/archive/${GONE}.md" does not change`,
      });
      expect(at.read(`.planner/specs/${A}.md`)).toBe(`${pending("First")}${A}\n`);
      expect(at.read(`.planner/specs/${B}.md`)).toBe(`${pending("Second")}${B}\n`);
      expect(at.read(".planner/specs/refused.md")).toBe(pending("Refused"));
      expect(at.list(".planner/specs")).toEqual([`${A}.md`, `${B}.md`, "refused.md", "same.md"]);
    });

    test("editEach loses no change of many at once, whichever store they come through", async () => {
      using at = project();
      const ids = Array.from({ length: 40 }, (_, index) => `s${index}` as SpecId);
      for (const id of ids) at.spec(id, pending(id));
      const stores = [at.store, open(at.root), open(at.root)];

      await Promise.all(
        stores.map((store, index) => store.editSpecs(ids, (text) => editFields(text, { [`by_${index}`]: index }))),
      );

      for (const id of ids) expect((await at.store.load(id)).frontmatter).toMatchObject({ by_0: 0, by_1: 1, by_2: 2 });
    });

    test("active shows at once what another store did", async () => {
      using at = project({ [`specs/${A}.md`]: pending("First"), [`specs/${B}.md`]: pending("Second") });
      const other = open(at.root);
      await at.store.readActive();
      await other.readActive();

      await at.store.edit(A, (text) => text.replace("First", "One"));
      expect((await other.readActive()).specs.map(({ title }) => title)).toEqual(["One", "Second"]);

      await other.moveToArchive(B);
      expect((await at.store.readActive()).specs.map(({ title }) => title)).toEqual(["One"]);
      expect([...(await at.store.listArchivedIds())]).toEqual([B]);

      const id = await other.create("2026-11-21", () => pending("New"));
      expect((await at.store.readActive()).specs.map((spec) => spec.id)).toEqual([A, id]);
    });

    test("moveToArchive files the spec under the day of its id", async () => {
      using at = project({ [`specs/${A}.md`]: pending("First"), "specs/notes.md": pending("Notes") });

      expect(await at.store.moveToArchive(A)).toBe(`.planner/archive/2026-11-01/${A}.md`);
      expect(await at.store.moveToArchive("notes" as SpecId)).toBe(".planner/archive/notes.md");
      expect(at.read(`.planner/archive/2026-11-01/${A}.md`)).toBe(pending("First"));
      expect(await at.store.listIds()).toEqual([]);
      expect(await at.store.load(A)).toMatchObject({ title: "First", archived: true });
    });

    test("moveToArchive asks whether the spec may go as it stands just then", async () => {
      using at = project({ [`specs/${A}.md`]: pending("First") });
      const seen: string[] = [];
      // The edit comes first, whatever was known of the spec before.
      const edit = at.store.edit(A, (text) => text.replace("pending", "completed"));
      const move = at.store.moveToArchive(A, ({ status }) => {
        seen.push(status);
        throw new OperationError("failed_precondition", "Not this one");
      });

      expect(await refusal(move)).toBe("failed_precondition: Not this one");
      expect([await edit, seen]).toEqual([true, ["completed"]]);
      expect(await at.store.listIds()).toEqual([A]);
    });

    test("moveToArchive refuses an id that the archive holds", async () => {
      using at = project({ [`specs/${A}.md`]: pending("New"), [`archive/${A}.md`]: pending("Old") });

      expect(await refusal(at.store.moveToArchive(A))).toBe(
        `already_exists: Cannot archive spec "${A}": the archive holds ".planner/archive/${A}.md"`,
      );
      expect(at.read(`.planner/specs/${A}.md`)).toBe(pending("New"));
      expect(await refusal(at.store.moveToArchive(B))).toBe(`not_found: Spec not found: ${B}`);
    });
  });
}
