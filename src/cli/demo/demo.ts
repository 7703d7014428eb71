import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { getSelfCommand, getSelfEnvironment } from "#runtime/self_command.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { getInterruptionStatus, listenForSignals } from "../work/signals.ts";
import { DEMO_FILES, DEMO_PROVIDER, DEMO_SPECS } from "./demo_project.ts";

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
