/** The documents' way from nothing to merged work, as a person types it. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandBlocks } from "../support/doc_commands.ts";
import { type Person, person, typeAll } from "../support/typing_person.ts";
import { typeBesideServer } from "../support/typing_servers.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** Blocks of README.md that this test does not type, and why. */
const NOT_TYPED: Readonly<Record<string, string>> = {
  "From a fresh checkout": "installs and builds planner itself, which every run of the tests does",
  "The datacenter service": "docs_datacenter types it beside the server",
};

/** Beginnings of lines that are not typed either, and why. */
const NEEDS_MORE: Readonly<Record<string, string>> = {
  "planner import ": "reads a folder of another tool; the tests of the import do",
};

async function withRepository(ann: Person): Promise<void> {
  await ann.type(
    "git config --global user.name Ann; git config --global user.email ann@example.org; git init -q -b main",
  );
}

test("README.md's commands lead from an empty repository to merged work", async () => {
  using ann = person();
  await withRepository(ann);
  const blocks = commandBlocks("README.md");
  const typed = blocks.filter(({ heading }) => NOT_TYPED[heading] === undefined);
  expect(typed.map(({ heading }) => heading)).toEqual(["In your project"]);
  expect(Object.keys(NOT_TYPED).filter((name) => blocks.every(({ heading }) => heading !== name))).toEqual([]);

  const lines = typed.flatMap((block) => block.lines);
  await typeAll(
    ann,
    lines.filter((one) => !Object.keys(NEEDS_MORE).some((begin) => one.startsWith(begin))),
  );

  const { stdout } = await ann.type("git log --format=%s main; planner list --status completed; ls; git worktree list");
  expect(stdout).toMatch(/planner\(.*-001-.*\): validate\n/);
  expect(stdout).toContain("Validate URLs in the import");
  expect(stdout).toMatch(/^\d{4}-\d\d-\d\d-001-\w+\.txt$/m);
  expect(stdout.trim().split("\n").at(-1)).toContain("[main]");
});

test("the tutorial on specs leads from an empty repository to merged work", async () => {
  using ann = person();
  await withRepository(ann);

  await typeAll(
    ann,
    commandBlocks("docs/tutorials/specs.md").flatMap(({ lines }) => lines),
  );

  const { stdout } = await ann.type("git log --format=%s main; planner list --status completed");
  expect(stdout).toMatch(/planner\(.*-001-.*\): validate\n/);
  expect(stdout).toContain("Validate URLs in the import");
});

test("the tutorial on datacenters finds the risk that it names, and places servers without another", async () => {
  using ann = person();

  const printed = await typeBesideServer(
    ann,
    commandBlocks("docs/tutorials/datacenter.md").flatMap(({ lines }) => lines),
  );

  const text = readFileSync(join(ROOT, "docs", "tutorials", "datacenter.md"), "utf8");
  const shown = /^```text\n([\s\S]*?)```$/m.exec(text)?.[1] ?? "?";
  expect(printed).toContain(shown);
  expect(printed).toContain("RPP-A-D would come to 239.72 of 218.2 kW after the worst single failure");
  expect(printed).toContain("device: 12 created");
});
