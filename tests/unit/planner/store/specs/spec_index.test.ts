import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SPECS } from "#planner/store/project/places.ts";
import { FolderNames } from "#planner/store/specs/folder_names.ts";
import { SpecFiles } from "#planner/store/specs/spec_files.ts";
import { SpecIndex } from "#planner/store/specs/spec_index.ts";
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

async function titles(index: SpecIndex): Promise<readonly (string | null)[]> {
  return (await index.read()).specs.map(({ title }) => title);
}

for (const follow of [true, false]) {
  describe(`SpecIndex.read ${follow ? "following" : "looking at every file"}`, () => {
    test(`shows each of ${CHANGES} changes of another process at once`, async () => {
      using project = tempProject();
      for (let number = 0; number < 30; number++) project.spec(`s${number}`, titled(`s${number}`));
      const index = new SpecIndex(project.root, follow);
      const known = new Map((await index.read()).specs.map(({ id, title }) => [id as string, title]));

      for (let number = 0; number < CHANGES; number++) {
        // Some changes come in the same millisecond as the read before, some well behind it.
        if (number % 50 === 0) await Bun.sleep(10);

        await changeSomething(known, join(project.root, ".planner/specs"), number);

        const { specs } = await index.read();
        expect(new Map(specs.map((spec) => [spec.id as string, spec.title]))).toEqual(known);
      }
    });

    test("shows writes through a descriptor that stays open", async () => {
      using project = tempProject();
      const index = new SpecIndex(project.root, follow);
      const path = join(project.root, ".planner/specs/a.md");

      for (let number = 100; number < 300; number++) {
        await elsewhere("write through a kept descriptor", path, titled(`t${number}`));

        expect(await titles(index)).toEqual([`t${number}`]);
      }
    });

    test("shows a folder that was replaced", async () => {
      using project = tempProject();
      project.spec("a", titled("A"));
      const index = new SpecIndex(project.root, follow);
      expect(await titles(index)).toEqual(["A"]);

      for (let number = 0; number < 20; number++) {
        await elsewhere("replace folder", join(project.root, ".planner/specs"), titled(`t${number}`));
        expect(await titles(index)).toEqual([`t${number}`]);

        await elsewhere("write", join(project.root, ".planner/specs/late.md"), titled(`late${number}`));
        expect(await titles(index)).toEqual([`late${number}`, `t${number}`]);
      }
    });

    test("shows a folder that was moved away and came back", async () => {
      using project = tempProject();
      project.spec("a", titled("A"));
      const specs = join(project.root, ".planner/specs");
      const index = new SpecIndex(project.root, follow);
      await index.read();

      renameSync(specs, `${specs}.away`);
      expect(await titles(index)).toEqual([]);
      writeFileSync(`${specs}.away/a.md`, titled("Changed meanwhile"));
      renameSync(`${specs}.away`, specs);
      expect(await titles(index)).toEqual(["Changed meanwhile"]);
      project.spec("b", titled("B"));
      expect(await titles(index)).toEqual(["Changed meanwhile", "B"]);
    });

    test("shows changes that come through another name of the file", async () => {
      using project = tempProject();
      const away = join(project.root, "away");
      mkdirSync(away);
      project.spec("hard", titled("Hard"));
      writeFileSync(join(away, "soft"), titled("Soft"));
      symlinkSync(join(away, "soft"), join(project.root, ".planner/specs/soft.md"));
      linkSync(join(project.root, ".planner/specs/hard.md"), join(away, "hard"));
      const index = new SpecIndex(project.root, follow);
      expect(await titles(index)).toEqual(["Hard", "Soft"]);
      await Bun.sleep(150);
      await index.read();

      writeFileSync(join(away, "hard"), titled("Harder"));
      writeFileSync(join(away, "soft"), titled("Softer"));

      expect(await titles(index)).toEqual(["Harder", "Softer"]);
      rmSync(away, { recursive: true });
      expect((await index.read()).unreadable.map(({ file }) => file)).toEqual([".planner/specs/soft.md"]);
    });

    test("answers reads that wait together as one that waits alone", async () => {
      using project = tempProject();
      project.spec("a", titled("t0"));
      const index = new SpecIndex(project.root, follow);
      await index.read();

      for (let number = 1; number < 200; number++) {
        const before = index.read();
        project.spec("a", titled(`t${number}`));
        const behind = await Promise.all([index.read(), index.read(), index.read()]);

        expect(behind.map(({ specs }) => specs[0]?.title)).toEqual([`t${number}`, `t${number}`, `t${number}`]);
        await before;
      }
    });

    test("recovers when the folder appears late and when it cannot be read for a while", async () => {
      using project = tempProject();
      const specs = join(project.root, ".planner/specs");
      rmSync(specs, { recursive: true });
      const index = new SpecIndex(project.root, follow);
      expect(await titles(index)).toEqual([]);

      writeFileSync(specs, "a file in the folder's place");
      await expect(index.read()).rejects.toThrow('Cannot read ".planner/specs"');
      rmSync(specs);
      mkdirSync(specs);
      project.spec("a", titled("A"));

      expect(await titles(index)).toEqual(["A"]);
    });
  });
}

test("SpecIndex.read shows before long what the system does not report", async () => {
  using project = tempProject();
  project.spec("a", titled("A"));
  const index = new SpecIndex(project.root, true);
  await index.read();
  await Bun.sleep(150);
  await index.read();

  // A write through a mapping of the file makes no event.
  const mapped = Bun.mmap(join(project.root, ".planner/specs/a.md"), { shared: true });
  mapped[titled("A").indexOf("A")] = "B".charCodeAt(0);

  let seen: readonly (string | null)[] = [];
  for (let tries = 0; tries < 1000 && seen[0] !== "B"; tries++) {
    await Bun.sleep(10);
    seen = await titles(index);
  }
  expect(seen).toEqual(["B"]);
});

test("SpecFiles.checkNames takes in new names, forgets old ones and looks at no known file", () => {
  using project = tempProject();
  project.spec("gone", titled("Gone"));
  project.spec("kept", titled("Kept"));
  const names = new FolderNames(project.root, SPECS);
  const files = new SpecFiles({ root: project.root, folder: SPECS, archived: false, names });
  files.checkAll();
  rmSync(join(project.root, SPECS, "gone.md"));
  project.spec("kept", titled("Changed"));
  project.spec("new", titled("New"));

  files.checkNames();

  expect(files.set.specs.map(({ title }) => title)).toEqual(["Kept", "New"]);
  files.checkSome(0, 1);
  expect(files.set.specs.map(({ title }) => title)).toEqual(["Changed", "New"]);
});
