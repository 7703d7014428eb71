import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { getSelfCommand, getSelfEnvironment } from "#runtime/self_command.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { getInterruptionStatus, listenForSignals } from "../work/signals.ts";

/**
 * Shows the board of a small project in a temporary folder while scripted agents work on it, until Ctrl-C. At the end
 * it removes the folder and the commands that were accepted for it. Needs git and `sh`, but no network.
 * @throws OperationError `failed_precondition` if git or `sh` cannot be started or fails
 */
export async function runDemo(boardFlags: readonly string[], log: StderrLogger): Promise<ExitStatus> {
  const folder = mkdtempSync(join(tmpdir(), "planner-demo-"));
  const project = join(folder, "short-links");
  mkdirSync(project);
  const demo = new DemoProject(project, createDemoEnvironment(folder));
  const children: DemoProcess[] = [];
  const signals = listenForSignals((name) => {
    for (const { process } of children) process.kill(name);
  });
  try {
    demo.createProject();
    log.note(
      "Scripts work on a sample project. One claims too much: send that back, then merge. Ctrl-C removes it all",
    );
    const stopped = signals.getFirstSignal();
    if (stopped !== null) return getInterruptionStatus(stopped);
    const work = demo.startPlanner(["work", ...demo.startingIds, "--parallel", "2"], "ignore");
    const board = demo.startPlanner(["board", ...boardFlags], "inherit");
    children.push(work, board);
    const status = await board.ended;
    work.process.kill("SIGTERM");
    await work.ended;
    return status;
  } finally {
    signals.close();
    demo.stopAgents();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface DemoProcess {
  readonly process: ChildProcess;
  readonly ended: Promise<ExitStatus>;
}

class DemoProject {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  /** Ids of the specs on which agents start immediately. */
  readonly startingIds: string[] = [];

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#env = env;
  }

  createProject(): void {
    this.#runProgram("git", ["init", "-q", "-b", "main"]);
    this.#runPlanner(["init", "--yes", "--name", "Short links", "--provider", "command"]);
    for (const [path, text] of Object.entries(DEMO_FILES)) writeFileSync(join(this.#folder, path), text);
    const config = join(this.#folder, ".planner", "config.md");
    writeFileSync(config, readFileSync(config, "utf8").replace(/\n---\n/, `\n${DEMO_PROVIDER}---\n`));
    const ids: string[] = [];
    for (const { words, details, dependsOnIndex, startsImmediately } of DEMO_SPECS) {
      const depends = dependsOnIndex === undefined ? [] : ["--depends-on", ids[dependsOnIndex] ?? ""];
      const added = JSON.parse(this.#runPlanner(["add", ...words, ...details, ...depends, "--json"])) as {
        spec_id: string;
      };
      ids.push(added.spec_id);
      if (startsImmediately) this.startingIds.push(added.spec_id);
    }
    this.#runProgram("git", ["add", "--all"]);
    this.#runProgram("git", ["commit", "-q", "-m", "Begin"]);
    this.#runPlanner(["approve", "--all", "--yes"]);
  }

  /** Starts planner as a child process. */
  startPlanner(words: readonly string[], stdio: "ignore" | "inherit"): DemoProcess {
    const [program = "", ...first] = getSelfCommand();
    const child = spawn(program, [...first, ...words], { cwd: this.#folder, env: this.#env, stdio });
    return { process: child, ended: waitForChildEnd(child) };
  }

  /** Stops agents that the board started, because their folder is removed. */
  stopAgents(): void {
    const listed = this.#spawnProgram(getSelfCommand(), ["list", "--status", "in_progress", "--json"]);
    if (listed.status !== 0) return;
    const { specs } = JSON.parse(listed.stdout) as { specs: readonly { id: string }[] };
    for (const { id } of specs) this.#spawnProgram(getSelfCommand(), ["pause", id]);
  }

  #runPlanner(words: readonly string[]): string {
    const [program = "", ...first] = getSelfCommand();
    return this.#runProgram(program, [...first, ...words]);
  }

  #runProgram(program: string, words: readonly string[]): string {
    const { status, stdout, stderr, error } = this.#spawnProgram([program], words);
    if (status === 0) return stdout;
    const why = error === undefined ? stderr.trim() : `"${program}" cannot be started: install it`;
    throw new OperationError("failed_precondition", `Cannot prepare the demonstration: ${why}`, { cause: error });
  }

  #spawnProgram([program = "", ...first]: readonly string[], words: readonly string[]) {
    return spawnSync(program, [...first, ...words], { cwd: this.#folder, env: this.#env, encoding: "utf8" });
  }
}

/** Returns an environment that separates the demonstration from the person's accepted commands and git identity. */
function createDemoEnvironment(folder: string): NodeJS.ProcessEnv {
  const who = { NAME: "planner demo", EMAIL: "demo@planner.invalid" };
  return {
    ...getSelfEnvironment(),
    // Folder in which planner stores the commands that a person accepted.
    XDG_STATE_HOME: join(folder, "state"),
    LOCALAPPDATA: join(folder, "state"),
    GIT_CONFIG_GLOBAL: join(folder, "gitconfig"),
    GIT_CONFIG_NOSYSTEM: "1",
    ...Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((role) => Object.entries(who).map(([key, text]) => [`GIT_${role}_${key}`, text])),
    ),
  };
}

function waitForChildEnd(child: ChildProcess): Promise<ExitStatus> {
  return new Promise((resolve) => {
    child.once("error", () => resolve(EXIT_STATUS.refused));
    child.once("exit", (code) => resolve((code ?? EXIT_STATUS.terminated) as ExitStatus));
  });
}

/** A spec of the demonstration: the arguments of `planner add`, and whether an agent starts on it immediately. */
interface DemoSpec {
  /** Title, criterion and check: what `npm run example` shows. */
  readonly words: readonly string[];
  readonly details: readonly string[];
  /** Index of the spec that this one depends on. */
  readonly dependsOnIndex?: number;
  readonly startsImmediately: boolean;
}

function describeSpec(title: string, criterion: string, check: string): readonly string[] {
  return [title, "--criterion", criterion, "--verify", `sh checks.sh ${check}`];
}

/** Specs of the demonstration. `npm run example` takes these and the next two as well. */
export const DEMO_SPECS: readonly DemoSpec[] = [
  {
    startsImmediately: true,
    words: describeSpec("Refuse links without a host", "http:///path is refused", "host"),
    details: ["--label", "links", "--priority", "high", "--target-file", "host.sh"],
  },
  {
    startsImmediately: true,
    words: describeSpec("Count the visits of a link", "Two visits are counted as 2", "visits"),
    details: ["--label", "visits", "--target-file", "visits.sh"],
  },
  {
    startsImmediately: false,
    dependsOnIndex: 1,
    words: describeSpec("Show the most visited links", "The most visited link comes first", "top"),
    details: ["--label", "visits", "--target-file", "top.sh"],
  },
  {
    startsImmediately: false,
    words: describeSpec("Print a link as a QR code", "The code is printed", "qr"),
    details: ["--label", "links", "--priority", "low", "--target-file", "qr.sh"],
  },
];

/**
 * Script of the demonstration's agent: it waits some seconds, commits a file and ticks its criterion. What it writes first
 * for the visits is wrong; it corrects that when the work comes back.
 */
const AGENT_SCRIPT = `#!/bin/sh
# A script in the place of a coding agent. It reads its prompt and its spec, and writes a file.
set -eu
pause="\${PLANNER_DEMO_PAUSE:-2}"
say() { echo "$1"; sleep "$pause"; }
prompt=$(cat)
title=$(sed -n 's/^# //p' "$PLANNER_SPEC_FILE" | head -n 1)
say "I read the spec: $title"
case $title in
  *host*) file=host.sh; code='check_host() { case $1 in http:///*) return 1 ;; esac; }' ;;
  *"Count the visits"*) file=visits.sh; code='count_visits() { echo 1; }'
    case $prompt in *"An earlier run"*)
      say "I read why it came back"; code='count_visits() { printf "%s\\n" "$@" | grep -c .; }' ;;
    esac ;;
  *"most visited"*) file=top.sh; code='top_links() { sort -k 2 -n -r; }' ;;
  *) file=qr.sh; code='print_qr() { printf "##  ##\\n##  ##\\n"; }' ;;
esac
say "I write $file"
printf '%s\\n' "$code" > "$file"
git add "$file"
git commit -q --allow-empty -m "planner($PLANNER_SPEC_ID): write $file"
say "I tick the criterion"
sed 's/- \\[ \\]/- [x]/' "$PLANNER_SPEC_FILE" > "$PLANNER_SPEC_FILE.tmp"
mv "$PLANNER_SPEC_FILE.tmp" "$PLANNER_SPEC_FILE"
echo "$file is done"
`;

const CHECKS_SCRIPT = `#!/bin/sh
# The checks that the criteria of the specs name.
set -eu
case $1 in
  host) . ./host.sh; check_host http://a.example/; ! check_host http:///path ;;
  visits) . ./visits.sh; count=$(count_visits one two)
    [ "$count" -eq 2 ] || { echo "two visits are counted as $count"; exit 1; } ;;
  top) . ./top.sh; [ "$(printf 'a 1\\nb 2\\n' | top_links | head -n 1)" = "b 2" ] ;;
  qr) . ./qr.sh; print_qr | grep -q '##' ;;
esac
`;

/** Files of the demonstration's project, by path. */
export const DEMO_FILES: Readonly<Record<string, string>> = {
  "README.md": "# Short links\n\nA sample project of planner.\n",
  "agent.sh": AGENT_SCRIPT,
  "checks.sh": CHECKS_SCRIPT,
};

/** Settings that are added to those of `planner init`. */
export const DEMO_PROVIDER = "providers: {command: {command: sh, args: [agent.sh], prompt_via: stdin}}\n";
