/** The documents' way from nothing to merged work, as a person types it. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandBlocks } from "../support/doc_commands.ts";
import { PLANNER, type RunResult, runCommand } from "../support/planner_command.ts";

/** Blocks of README.md that this test does not type, and why. */
const NOT_TYPED: Readonly<Record<string, string>> = {
  "From a fresh checkout": "installs and builds planner itself, which every run of the tests does",
  "The datacenter service": "starts a server; the tests of `planner dc` do",
};

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

test("README.md's commands lead from an empty repository to merged work", async () => {
  using person = home();
  await person.type(
    "git config --global user.name Ann; git config --global user.email ann@example.org; git init -q -b main",
  );
  const blocks = commandBlocks("README.md");
  const typed = blocks.filter(({ heading }) => NOT_TYPED[heading] === undefined);
  expect(typed.map(({ heading }) => heading)).toEqual(["In your project"]);
  expect(Object.keys(NOT_TYPED).filter((name) => blocks.every(({ heading }) => heading !== name))).toEqual([]);

  const lines = typed.flatMap((block) => block.lines);
  for (const line of lines.filter((one) => !Object.keys(NEEDS_MORE).some((begin) => one.startsWith(begin)))) {
    const { code, stderr } = await person.type(line);
    expect({ line, code, stderr: code === 0 ? "" : stderr }).toEqual({ line, code: 0, stderr: "" });
  }

  const { stdout } = await person.type(
    "git log --format=%s main; planner list --status completed; ls; git worktree list",
  );
  expect(stdout).toMatch(/planner\(.*-001-.*\): validate\n/);
  expect(stdout).toContain("Validate URLs in the import");
  expect(stdout).toMatch(/^\d{4}-\d\d-\d\d-001-\w+\.txt$/m);
  expect(stdout.trim().split("\n").at(-1)).toContain("[main]");
});
