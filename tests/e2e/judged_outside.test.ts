/**
 * Tools look for their project's file in every folder above their own. A check must not pass because the project's own
 * checkout has the file that the branch lacks: docs/work.md, Worktrees.
 */
import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ID, ScriptedProject } from "../support/misbehaving_agent.ts";

/** A tool for tests: runs the nearest file of a name, from its folder upwards, and fails without one. */
const LOOK = `#!/bin/sh
dir=$(pwd -P)
while [ ! -e "$dir/$1" ]; do [ "$dir" = / ] && exit 3; dir=$(dirname "$dir"); done
exec sh "$dir/$1"
`;

const tools = mkdtempSync(join(tmpdir(), "planner-tools-"));
writeFileSync(join(tools, "look"), LOOK);
chmodSync(join(tools, "look"), 0o755);
afterAll(() => rmSync(tools, { recursive: true, force: true }));

interface Kind {
  readonly file: string;
  readonly text: string;
  readonly check: string;
  /** Program without which the kind is not tested. */
  readonly program?: string;
}

const SCRIPT = "exit 0\n";
const KINDS: readonly Kind[] = [
  { file: "package.json", text: '{"scripts": {"test": "true"}}\n', check: "npm test", program: "npm" },
  { file: "pnpm-workspace.yaml", text: SCRIPT, check: "look pnpm-workspace.yaml" },
  { file: "pyproject.toml", text: SCRIPT, check: "look pyproject.toml" },
  { file: "go.work", text: SCRIPT, check: "look go.work" },
  { file: "tsconfig.json", text: SCRIPT, check: "look tsconfig.json" },
];

/** What the branch does to the file, and whether its check may prove anything then. */
const CHANGES: readonly (readonly [name: string, script: (file: string) => string, ok: boolean])[] = [
  ["missing", (file) => `git rm -q ${file}`, false],
  ["moved", (file) => `mkdir sub && git mv ${file} sub/${file}`, false],
  ["ignored", (file) => `git rm -q --cached ${file} && echo ${file} > .gitignore && git add .gitignore`, false],
  ["there", () => "echo more > more.txt && git add more.txt", true],
];

/** Where worktrees are: the last is inside of the project, as earlier versions made them. */
const PLACES = ["..", "inside"];

for (const { file, text, check, program } of KINDS) {
  const isThere = program === undefined || spawnSync("which", [program]).status === 0;
  for (const [name, change, ok] of CHANGES) {
    for (const directory of name === "there" || file === "go.work" || file === "package.json" ? PLACES : ["inside"]) {
      test.skipIf(!isThere)(
        `${check} with its file ${name}, worktrees in ${directory}`,
        async () => {
          using project = await ScriptedProject.make();
          project.env = { PATH: `${tools}:${dirname(process.execPath)}:${process.env["PATH"]}` };
          writeFileSync(join(project.root, file), text);
          await project.sh(`sed -i 's/directory: [.][.]/directory: ${directory}/' .planner/config.md; \
          sed -i 's/It is done/&\\n  verify: ${check}/' .planner/specs/${ID}.md; git add -A; git commit -q -m tool`);

          const worked = await project.work(
            `tick; ${change(file)}; git commit -q -m "planner($id): work"; git commit -q -am "planner($id): ticks"`,
          );
          const merged = await project.planner("merge", ID);
          const done = project.status() === "completed";

          expect({ done, printed: done === ok ? "" : worked.stdout + worked.stderr + merged.stderr }).toEqual({
            done: ok,
            printed: "",
          });
        },
        240_000,
      );
    }
  }
}
