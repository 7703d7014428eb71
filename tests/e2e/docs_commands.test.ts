/** The documents' way from nothing to merged work, as a person types it. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandBlocks } from "../support/doc_commands.ts";
import { PLANNER, type RunResult, runCommand } from "../support/planner_command.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** Blocks of README.md that this test does not type, and why. */
const NOT_TYPED: Readonly<Record<string, string>> = {
  "From a fresh checkout": "installs and builds planner itself, which every run of the tests does",
  "The datacenter service": "starts a server; the tests of `planner dc` do",
};

/** Blocks of the tutorials that are not typed. */
const SERVES: Readonly<Record<string, string>> = { "Look at it": "starts a server; the tests of `planner dc` do" };

/** Beginnings of lines that are not typed either, and why. */
const NEEDS_MORE: Readonly<Record<string, string>> = {
  "planner import ": "reads a folder of another tool; the tests of the import do",
};

/** Does what a run of Claude Code ends with: the criterion is checked and the work committed. */
const AGENT = `#!/bin/sh
echo url > "$PLANNER_SPEC_ID.txt"; git add "$PLANNER_SPEC_ID.txt"
git commit -q -m "planner($PLANNER_SPEC_ID): validate"
sed -i 's/- \\[ \\]/- [x]/' "$PLANNER_SPEC_FILE"
echo '{"type":"result","subtype":"success","result":"Done.","total_cost_usd":0.01,"usage":{"input_tokens":5,"output_tokens":7}}'
`;

function home(): { readonly folder: string; type(line: string): Promise<RunResult>; [Symbol.dispose](): void } {
  const folder = mkdtempSync(join(tmpdir(), "planner-docs-"));
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "project"));
  const words = PLANNER.map((word) => `'${word}'`).join(" ");
  writeFileSync(join(folder, "bin/planner"), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  writeFileSync(join(folder, "bin/claude"), AGENT, { mode: 0o755 });
  const env = {
    HOME: folder,
    PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: join(folder, ".gitconfig"),
  };
  return {
    folder,
    type: (line) => runCommand(["/bin/sh", "-c", line], { cwd: join(folder, "project"), env }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Types the lines of blocks one after the other; each must succeed. Returns all that they print. */
async function typeAll(person: ReturnType<typeof home>, lines: readonly string[]): Promise<string> {
  let printed = "";
  for (const line of lines) {
    const { code, stdout, stderr } = await person.type(line);
    expect({ line, code, stderr: code === 0 ? "" : stderr }).toEqual({ line, code: 0, stderr: "" });
    printed += stdout;
  }
  return printed;
}

async function withRepository(person: ReturnType<typeof home>): Promise<void> {
  await person.type(
    "git config --global user.name Ann; git config --global user.email ann@example.org; git init -q -b main",
  );
}

test("README.md's commands lead from an empty repository to merged work", async () => {
  using person = home();
  await withRepository(person);
  const blocks = commandBlocks("README.md");
  const typed = blocks.filter(({ heading }) => NOT_TYPED[heading] === undefined);
  expect(typed.map(({ heading }) => heading)).toEqual(["In your project"]);
  expect(Object.keys(NOT_TYPED).filter((name) => blocks.every(({ heading }) => heading !== name))).toEqual([]);

  const lines = typed.flatMap((block) => block.lines);
  await typeAll(
    person,
    lines.filter((one) => !Object.keys(NEEDS_MORE).some((begin) => one.startsWith(begin))),
  );

  const { stdout } = await person.type(
    "git log --format=%s main; planner list --status completed; ls; git worktree list",
  );
  expect(stdout).toMatch(/planner\(.*-001-.*\): validate\n/);
  expect(stdout).toContain("Validate URLs in the import");
  expect(stdout).toMatch(/^\d{4}-\d\d-\d\d-001-\w+\.txt$/m);
  expect(stdout.trim().split("\n").at(-1)).toContain("[main]");
});

test("the tutorial on specs leads from an empty repository to merged work", async () => {
  using person = home();
  await withRepository(person);

  await typeAll(
    person,
    commandBlocks("docs/tutorials/specs.md").flatMap(({ lines }) => lines),
  );

  const { stdout } = await person.type("git log --format=%s main; planner list --status completed");
  expect(stdout).toMatch(/planner\(.*-001-.*\): validate\n/);
  expect(stdout).toContain("Validate URLs in the import");
});

test("the tutorial on datacenters finds the risk that it names, and places servers without another", async () => {
  using person = home();
  const blocks = commandBlocks("docs/tutorials/datacenter.md").filter(({ heading }) => SERVES[heading] === undefined);

  const printed = await typeAll(
    person,
    blocks.flatMap(({ lines }) => lines),
  );

  const text = readFileSync(join(ROOT, "docs", "tutorials", "datacenter.md"), "utf8");
  const shown = /^```text\n([\s\S]*?)```$/m.exec(text)?.[1] ?? "?";
  expect(printed).toContain(shown);
  expect(printed).toContain("RPP-A-D would come to 239720 of 218200 W after the worst single failure");
  expect(printed).toContain("device: 12 created");
});
