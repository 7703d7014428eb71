import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SPECS_FOLDER } from "#planner/store/project/places.ts";
import { FolderNames, SpecFiles } from "#planner/store/specs/spec_files.ts";
import { LinesOfProcess } from "../../../../support/lines_of_process.ts";
import type { FileChange } from "../../../../support/scripts/change_files.ts";
import { tempProject } from "../../../../support/temp_project.ts";

const CHANGES = 1000;
const SCRIPT = join(import.meta.dirname, "../../../../support/scripts/change_files.ts");

const OPS = ["write", "rename", "write", "delete", "write", "rename", "truncate"] as const;
const NAMES = Array.from({ length: 40 }, (_, number) => `s${number}`);

let other: LinesOfProcess;

beforeAll(() => {
  other = new LinesOfProcess([process.execPath, SCRIPT], tmpdir());
});

afterAll(async () => {
  await other[Symbol.asyncDispose]();
});

/** What another process does; resolved when it has done it. */
async function elsewhere(op: FileChange["op"], path: string, text = ""): Promise<void> {
  other.send(`${JSON.stringify({ op, path, text })}\n`);
  await other.next();
}

/** Has the other process change one file, and notes in `known` which titles there are then. */
async function changeSomething(known: Map<string, string | null>, folder: string, number: number): Promise<void> {
  const op = OPS[number % OPS.length] ?? "write";
  const names = op === "delete" || op === "truncate" ? [...known.keys()] : NAMES;
  const id = names[number % names.length] ?? "s0";
  await elsewhere(op, join(folder, `${id}.md`), titled(`t${number}`));
  known.delete(id);
  if (op !== "delete") known.set(id, op === "truncate" ? null : `t${number}`);
}

const titled = (title: string): string => `---\nstatus: pending\n---\n# ${title}\n`;

function specFilesOf(root: string): SpecFiles {
  return new SpecFiles({ root, folder: SPECS_FOLDER, archived: false, names: new FolderNames(root, SPECS_FOLDER) });
}

function titles(files: SpecFiles): readonly (string | null)[] {
  return files.readSpecs().specs.map(({ title }) => title);
}

describe("SpecFiles.read", () => {
  test(`shows each of ${CHANGES} changes of another process at once`, async () => {
    using project = tempProject();
    for (let number = 0; number < 30; number++) project.spec(`s${number}`, titled(`s${number}`));
    const files = specFilesOf(project.root);
    const known = new Map(files.readSpecs().specs.map(({ id, title }) => [id as string, title]));

    for (let number = 0; number < CHANGES; number++) {
      // Some changes come in the same millisecond as the read before, some well behind it.
      if (number % 50 === 0) await Bun.sleep(10);

      await changeSomething(known, join(project.root, ".planner/specs"), number);

      const { specs } = files.readSpecs();
      expect(new Map(specs.map((spec) => [spec.id as string, spec.title]))).toEqual(known);
    }
  });

  test("shows writes through a descriptor that stays open", async () => {
    using project = tempProject();
    const files = specFilesOf(project.root);
    const path = join(project.root, ".planner/specs/a.md");

    for (let number = 100; number < 300; number++) {
      await elsewhere("write through a kept descriptor", path, titled(`t${number}`));

      expect(titles(files)).toEqual([`t${number}`]);
    }
  });

  test("shows a folder that was replaced", async () => {
    using project = tempProject();
    project.spec("a", titled("A"));
    const files = specFilesOf(project.root);
    expect(titles(files)).toEqual(["A"]);

    for (let number = 0; number < 20; number++) {
      await elsewhere("replace folder", join(project.root, ".planner/specs"), titled(`t${number}`));
      expect(titles(files)).toEqual([`t${number}`]);

      await elsewhere("write", join(project.root, ".planner/specs/late.md"), titled(`late${number}`));
      expect(titles(files)).toEqual([`late${number}`, `t${number}`]);
    }
  });

  test("shows a folder that was moved away and came back", async () => {
    using project = tempProject();
    project.spec("a", titled("A"));
    const specs = join(project.root, ".planner/specs");
    const files = specFilesOf(project.root);
    files.readSpecs();

    renameSync(specs, `${specs}.away`);
    expect(titles(files)).toEqual([]);
    writeFileSync(`${specs}.away/a.md`, titled("Changed meanwhile"));
    renameSync(`${specs}.away`, specs);
    expect(titles(files)).toEqual(["Changed meanwhile"]);
    project.spec("b", titled("B"));
    expect(titles(files)).toEqual(["Changed meanwhile", "B"]);
  });

  test("shows changes that come through another name of the file", async () => {
    using project = tempProject();
    const away = join(project.root, "away");
    mkdirSync(away);
    project.spec("hard", titled("Hard"));
    writeFileSync(join(away, "soft"), titled("Soft"));
    symlinkSync(join(away, "soft"), join(project.root, ".planner/specs/soft.md"));
    linkSync(join(project.root, ".planner/specs/hard.md"), join(away, "hard"));
    const files = specFilesOf(project.root);
    expect(titles(files)).toEqual(["Hard", "Soft"]);
    await Bun.sleep(150);
    files.readSpecs();

    writeFileSync(join(away, "hard"), titled("Harder"));
    writeFileSync(join(away, "soft"), titled("Softer"));

    expect(titles(files)).toEqual(["Harder", "Softer"]);
    rmSync(away, { recursive: true });
    expect(files.readSpecs().unreadable.map(({ file }) => file)).toEqual([".planner/specs/soft.md"]);
  });

  test("recovers when the folder appears late and when it cannot be read for a while", async () => {
    using project = tempProject();
    const specs = join(project.root, ".planner/specs");
    rmSync(specs, { recursive: true });
    const files = specFilesOf(project.root);
    expect(titles(files)).toEqual([]);

    writeFileSync(specs, "a file in the folder's place");
    expect(() => files.readSpecs()).toThrow('Cannot read ".planner/specs"');
    rmSync(specs);
    mkdirSync(specs);
    project.spec("a", titled("A"));

    expect(titles(files)).toEqual(["A"]);
  });
});
