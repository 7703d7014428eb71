import { expect, test } from "bun:test";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readStory, withoutVariables } from "../screens/story.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** npm prints four lines above the story, and the story one while it builds. */
const LINES = 40 - 5;

/** A run of the example, beside a home and temporary files of its own. */
class Example {
  readonly #base = mkdtempSync(join(tmpdir(), "example-"));
  readonly home = join(this.#base, "home");
  readonly temporary = join(this.#base, "tmp");
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
  printed = "";

  /** @param programs shell scripts that stand before the programs of their names */
  constructor(programs: Readonly<Record<string, string>> = {}) {
    const bin = join(this.#base, "bin");
    mkdirSync(bin);
    for (const [name, text] of Object.entries(programs)) writeFileSync(join(bin, name), text, { mode: 0o755 });
    for (const folder of [this.home, this.temporary]) mkdirSync(folder);
    const { XDG_STATE_HOME: _, ...outside } = process.env;
    const env = { ...outside, HOME: this.home, TMPDIR: this.temporary, PATH: `${bin}:${process.env["PATH"]}` };
    this.process = spawn("node", ["examples/day.mjs", "--built"], { cwd: ROOT, env, detached: true });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.printed += chunk;
        this.onPrinted();
      });
    }
    this.ended = new Promise((resolve) => this.process.once("close", resolve));
  }

  onPrinted: () => void = () => {};

  /** Processes that were started with this run's temporary folder. */
  processes(): readonly string[] {
    return readdirSync("/proc").filter((name) => {
      try {
        return (
          /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, "utf8").includes(`TMPDIR=${this.temporary}\0`)
        );
      } catch {
        return false;
      }
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.#base, { recursive: true, force: true });
  }
}

test("the example tells a day in few lines, touches its folder alone, and is what README shows", async () => {
  using example = new Example();

  expect(await example.ended).toBe(0);

  const lines = example.printed.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(LINES);
  expect(lines.filter((line) => withoutVariables(line).length > 80)).toEqual([]);
  expect(lines.flatMap((line) => /^\$ (?:git .*; )?planner (\w+)/.exec(line)?.[1] ?? []).join(" ")).toBe(
    "add add approve work log review work review merge status",
  );
  expect(readdirSync(example.home)).toEqual([]);
  expect(readdirSync(example.temporary)).toHaveLength(1);
  expect(example.printed).toContain(`lies in ${join(example.temporary, readdirSync(example.temporary)[0] ?? "")};`);
  const [folder = ""] = readdirSync(example.temporary);
  const added = 'rev=$(git rev-list --max-parents=0 main); git show "$rev:./$(git show "$rev:./" | grep -e -002-)"';
  const specs = join(example.temporary, folder, "links", ".planner", "specs");
  const { stdout: spec } = spawnSync("sh", ["-c", added], { cwd: specs, encoding: "utf8" });
  expect(withoutVariables(readFileSync(join(ROOT, "README.md"), "utf8"))).toContain(withoutVariables(spec));
  // Otherwise: npm run screens:story
  for (const scheme of ["light", "dark"] as const) {
    expect(withoutVariables(readStory(scheme))).toBe(withoutVariables(example.printed));
  }
});

const BROKEN: readonly (readonly [what: string, program: string, text: string, said: RegExp])[] = [
  [
    "an agent cannot tick its criterion",
    "sed",
    "exit 3",
    /"planner work --parallel 2" ended with status 1; expected status 1, a line like \/-001-/,
  ],
  [
    "the second attempt counts wrongly too",
    "grep",
    "echo 1",
    /"planner work 002" ended with status 1; expected status 0/,
  ],
  ["agents end before they have begun", "sleep", "exit 1", /"planner work --parallel 2" ended/],
  ["git makes no repository", "git", "echo no git here; exit 1", /"git init .*" ended with status 1: no git here/],
];

test.each(BROKEN)("the example ends with status 1 and names the step if %s", async (_, program, text, said) => {
  using example = new Example({ [program]: `#!/bin/sh\n${text}\n` });

  expect(await example.ended).toBe(1);

  expect(example.printed).toMatch(said);
  expect(example.printed).toMatch(/\nWhat is left of it lies in \/.*, and nowhere else\.\n$/);
});

const STOPPED: readonly (readonly [after: RegExp, signal: NodeJS.Signals, whom: "group" | "process", delay: number])[] =
  [
    [/\$ planner add/, "SIGINT", "group", 0],
    [/\$ planner work --parallel/, "SIGINT", "group", 300],
    [/\$ planner work --parallel/, "SIGTERM", "process", 900],
    [/\$ planner work --parallel/, "SIGHUP", "group", 1500],
    [/\$ planner review 002 --back/, "SIGTERM", "group", 0],
    [/\$ planner work 002/, "SIGINT", "process", 700],
    [/\$ planner merge/, "SIGTERM", "process", 50],
  ];

test.skipIf(process.platform !== "linux").each(STOPPED)(
  "the example that is stopped after %p by %p to its %s leaves its folder, which it names, and nothing else",
  async (after, signal, whom, delay) => {
    // The check of the merge takes a while, so that no signal comes after the end.
    using example = new Example({ grep: `#!/bin/sh\nsleep 2\nPATH=\${PATH#*:} exec grep "$@"\n` });
    await new Promise<void>((reached) => {
      example.onPrinted = () => after.test(example.printed) && reached();
    });
    await Bun.sleep(delay);
    process.kill((example.process.pid ?? 0) * (whom === "group" ? -1 : 1), signal);

    expect(await example.ended).toBe({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }[String(signal)] ?? 0);

    const [folder = "", ...others] = readdirSync(example.temporary);
    expect(example.printed).toEndWith(
      `What is left of it lies in ${join(example.temporary, folder)}, and nowhere else.\n`,
    );
    expect(others).toEqual([]);
    expect(readdirSync(example.home)).toEqual([]);
    expect(example.processes()).toEqual([]);
  },
);
