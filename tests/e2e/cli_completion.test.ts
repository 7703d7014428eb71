import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { delimiter, join } from "node:path";
import { PLANNER, runCommand, runPlanner } from "../support/planner_command.ts";
import { projectOfAllTests } from "../support/test_project.ts";

const ID = "2026-11-01-001-abc";

const project = projectOfAllTests();
project.spec(ID, "---\nstatus: pending\n---\n\n# Paint the door\n");
project.write(".planner/archive/2026-10-01/2026-10-01-001-old.md", "---\nstatus: completed\n---\n\n# Old\n");
project.write("papers/notes.json", "{}");
project.write("bin/planner", `#!/bin/sh\nexec ${PLANNER.map((word) => `'${word}'`).join(" ")} "$@"\n`);
chmodSync(join(project.root, "bin/planner"), 0o755);
const env = { PATH: `${join(project.root, "bin")}${delimiter}${process.env["PATH"]}`, HOME: project.root };

function has(shell: string): boolean {
  return spawnSync(shell, ["-c", "exit 0"]).status === 0;
}

/** What is typed, its last word unfinished, and what may stand there. */
const CASES: readonly [words: readonly string[], candidates: readonly string[]][] = [
  [["lis"], ["list"]],
  [["hel"], ["help"]],
  [["list", "--sta"], ["--status"]],
  [["list", "--status", "p"], ["pending"]],
  [["-q", "list", "-s", "can"], ["cancelled"]],
  [
    ["init", "--agent", "c"],
    ["claude", "codex", "copilot", "cursor"],
  ],
  [["completion", "z"], ["zsh"]],
  [["show", "2026-11"], [ID]],
  [["show", "abc"], [ID]],
  [["show", "2026-10"], ["2026-10-01-001-old"]],
  [["finalize", "2026-10"], []],
  [
    ["update", ID, "--depends-on", "2026-1"],
    ["2026-10-01-001-old", ID],
  ],
  [["show", ID, ""], []],
  [["nonsense", ""], []],
];

test("planner __complete answers what may stand at the cursor, with summaries", async () => {
  for (const [words, candidates] of CASES) {
    const { code, stdout, stderr } = await runPlanner(["__complete", "--", ...words], { cwd: project.root });

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(
      stdout
        .split("\n")
        .map((line) => line.split("\t")[0])
        .filter((word) => word !== "")
        .sort(),
    ).toEqual([...candidates]);
  }
});

test("planner __complete tells titles, leaves files to the shell and is silent without a project", async () => {
  const titles = await runPlanner(["__complete", "--", "show", ""], { cwd: project.root });
  const files = await runPlanner(["__complete", "--", "export", "-o", "x"], { cwd: project.root });
  const nowhere = await runPlanner(["__complete", "--", "show", ""], { cwd: "/" });
  const elsewhere = await runPlanner(["__complete", "--", "--root", project.root, "show", "ab"], { cwd: "/" });

  expect(titles.stdout).toContain(`${ID}\tPaint the door\n`);
  expect(files.stdout).toBe(":file\n");
  expect(nowhere).toMatchObject({ code: 0, stdout: "", stderr: "" });
  expect(elsewhere.stdout).toContain(ID);
});

/** Cases for the real shells: a line up to the cursor, and a word that must then be offered. */
const LINES: readonly [line: string, offered: string][] = [
  ["planner lis", "list"],
  ["planner list --status canc", "cancelled"],
  ["planner show 2026-11", ID],
  ["planner show abc", ID],
];

test.skipIf(!has("bash"))("bash completes commands, flags, values, ids and files", async () => {
  const script = [
    "source <(planner completion bash)",
    `try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _planner planner; echo "\${COMPREPLY[*]}"; }`,
    ...LINES.map(([line]) => `try ${line}`),
    "try planner list --status = canc",
    "try planner list --status =",
    "try planner export -o papers/no",
    "try planner --root pap",
    "complete -p planner",
  ].join("\n");

  const { stdout, stderr } = await runCommand(["bash", "--norc", "-c", script], { cwd: project.root, env });

  expect(stderr).toBe("");
  expect(stdout.split("\n")).toEqual([
    ...LINES.map(([, offered]) => offered),
    "cancelled",
    "pending in_progress completed failed blocked cancelled needs_attention ready",
    "papers/notes.json",
    "papers",
    "complete -F _planner planner",
    "",
  ]);
});

test.skipIf(!has("fish"))("fish completes commands, flags, values, ids and files (skipped without fish)", async () => {
  const script = [
    "planner completion fish | source",
    ...LINES.map(([line]) => `complete -C "${line}"`),
    'complete -C "planner export -o papers/no"',
  ].join("\n");

  const { stdout } = await runCommand(["fish", "--no-config", "-c", script], { cwd: project.root, env });

  expect(stdout.split("\n").map((line) => line.split("\t")[0])).toEqual([
    ...LINES.map(([, offered]) => offered),
    "papers/notes.json",
    "",
  ]);
});

test.skipIf(!has("zsh"))("zsh completes commands, flags, values and ids (skipped without zsh)", async () => {
  // A real line editor on a pseudo terminal, because zsh completes nowhere else.
  const script = [
    "zmodload zsh/zpty",
    "zpty shell zsh -f -i",
    "take() { local part all=; repeat 200; do zpty -rt shell part 2>/dev/null && all+=$part; [[ $all == *$1* ]] && return; sleep 0.05; done; return 1 }",
    "zpty -w shell 'PS1=; autoload -U compinit; compinit -u -D; source <(planner completion zsh); print RE''ADY'",
    "take READY",
    ...LINES.flatMap(([line, offered]) => [
      `zpty -w -n shell $'\\C-u${line}\\t'`,
      `take ${offered} && print -r -- found ${offered}`,
    ]),
    "zpty -d shell",
  ].join("\n");

  const { stdout } = await runCommand(["zsh", "-f", "-c", script], {
    cwd: project.root,
    env: { ...env, TERM: "dumb" },
  });

  expect(stdout.trimEnd().split("\n")).toEqual(LINES.map(([, offered]) => `found ${offered}`));
});
