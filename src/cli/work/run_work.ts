import { getErrorMessage } from "#kernel/errors.ts";
import { refuseInsideRun } from "#planner/operations/shared/change_spec.ts";
import { readProjectRules } from "#planner/operations/shared/held_rules.ts";
import { loadSpecWorld } from "#planner/operations/shared/world.ts";
import { repairRuns } from "#planner/runs/claims.ts";
import { type QueueOptions, type QueueResult, runQueue } from "#planner/runs/run_queue.ts";
import type { RunDeps, RunEvent, RunResult, RunSettings } from "#planner/runs/run_types.ts";
import type { Spec } from "#planner/spec/spec.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { buildCheckLines } from "#planner/work/acceptance.ts";
import { listConfigLines } from "#planner/work/config_lines.ts";
import { addUsage, formatShortUsage, formatUsage, NO_USAGE, type Usage } from "#planner/work/usage.ts";
import { limitMemory } from "#runtime/engine.ts";
import { quoteShellWord } from "#words/quoting.ts";
import { askToAcceptCommands } from "../consent.ts";
import type { Cli } from "../declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import type { OpenedProject } from "../open_project.ts";
import { isTerminal, moveCursor, paint, printError, printJson, type Style, sanitizeLine } from "../output/print.ts";
import { removeEscapes } from "../output/remove_escapes.ts";
import { truncateToWidth } from "../output/table.ts";
import { measureTextWidth, printText } from "../output/wrap_text.ts";
import { recordUnbegunRun, takeBackgroundStart } from "./background_start.ts";
import { openRunDeps } from "./run_deps.ts";
import { getInterruptionStatus, type Interruption, listenForSignals } from "./signals.ts";

/** Arguments of `planner work`. */
export type WorkArgs = Omit<QueueOptions, "run"> & Omit<RunSettings, "stop" | "unproven"> & { readonly json: boolean };

/** Runs agents on specs until all runs end, and prints their progress. */
export async function runWork({ context, root }: OpenedProject, cli: Cli, words: WorkArgs): Promise<ExitStatus> {
  refuseInsideRun(context, "planner_work_start");
  await askAboutWorkCommands({ context, root }, words.ids);
  const progress = createProgress(cli, words.json);
  const signals = listenForSignals((name, again) => {
    progress.reportEvent({ event: "note", spec_id: null, message: formatInterruption(name, again) });
  });
  const background = takeBackgroundStart();
  const reporter = createSafeReporter(progress);
  const deps = await openRunDeps({ context, root }, { announced: background, tell: reporter.tell });
  const { ids, follow, width, stopAtFailure, budget, json: _, ...wished } = words;
  // Work in the background may skip the checkboxes of criteria, but not their checks.
  const unproven = background === null && wished.skipCriteria ? "--skip-criteria" : null;
  const run = { ...wished, unproven };
  const restoreMemoryLimit = limitMemory();
  let refused = "the process ended before the run began";
  try {
    await repairRuns(deps, ids);
    const wishes: QueueOptions = { ids, follow, width, stopAtFailure, budget, run: { ...run, stop: signals } };
    const result = await runQueue(deps, wishes);
    progress.printSummary(result, await findUnmergedWork(deps, result));
    reporter.complain();
    refused = result.refused.find(({ spec_id }) => spec_id === ids[0])?.reason ?? refused;
    return chooseExitStatus(result, signals.getFirstSignal());
  } catch (error) {
    refused = getErrorMessage(error);
    throw error;
  } finally {
    restoreMemoryLimit();
    progress.close();
    signals.close();
    if (background !== null) await recordUnbegunRun(deps.ports.records, background, refused);
  }
}

/** Asks about unaccepted checks of the specs that may be worked on, and about unaccepted commands of the settings. */
async function askAboutWorkCommands(project: OpenedProject, ids: readonly SpecId[]): Promise<void> {
  const { specs, readiness } = await loadSpecWorld(project.context);
  const isMeant = (spec: Spec): boolean =>
    ids.length === 0 ? readiness.isReady(spec) : ids.some((id) => spec.id === id || spec.id.startsWith(`${id}.`));
  const checks = specs.filter(isMeant).flatMap(({ body }) => buildCheckLines(body));
  const { lost } = await readProjectRules(project.context);
  await askToAcceptCommands(project, [...listConfigLines(await project.context.readConfig()), ...lost, ...checks]);
}

async function findUnmergedWork({ ports }: RunDeps, { results }: QueueResult): Promise<readonly UnmergedWork[]> {
  const waiting: UnmergedWork[] = [];
  for (const { spec_id, status } of results) {
    const worktree = status === "completed" ? await ports.worktrees.findWorktree(spec_id) : null;
    if (worktree === null || (await ports.worktrees.isMerged(spec_id))) continue;
    const range = quoteShellWord(`${worktree.mainBranch}...${worktree.branch}`);
    waiting.push({ spec_id, difference: `git diff ${range}` });
  }
  return waiting;
}

function chooseExitStatus({ results, refused }: QueueResult, by: Interruption | null): ExitStatus {
  if (by !== null) return getInterruptionStatus(by);
  const failed = refused.length > 0 || results.some(({ status }) => status !== "completed");
  return failed ? EXIT_STATUS.refused : EXIT_STATUS.ok;
}

function formatInterruption(name: Interruption, again: boolean): string {
  if (again) return `${name} again: ending the agents at once`;
  return `${name}: ending the agents and putting their specs back${name === "SIGINT" ? "; once more ends them at once" : ""}`;
}

/** A completed spec whose work is not merged. */
interface UnmergedWork {
  readonly spec_id: string;
  /** The git command that shows the changes of the work. */
  readonly difference: string;
}

interface Progress {
  reportEvent(event: RunEvent): void;
  printSummary(result: QueueResult, waiting: readonly UnmergedWork[]): void;
  close(): void;
}

/** Returns a reporter that never throws, so that failed reports stop no run. `complain` throws the first error. */
function createSafeReporter({ reportEvent }: Progress): { tell(event: RunEvent): void; complain(): void } {
  let failure: unknown;
  return {
    tell(event) {
      try {
        reportEvent(event);
      } catch (error) {
        failure ??= error;
      }
    },
    complain() {
      if (failure !== undefined) throw failure;
    },
  };
}

const STATUS_STYLES: Readonly<Record<string, Style>> = { completed: "green", failed: "red", needs_attention: "yellow" };

/** Seconds between two reports without a terminal. */
const REPORT_INTERVAL_S = 60;

/** Creates the reporter: JSON lines with `json`, otherwise a line per finished spec and progress on standard error. */
function createProgress(cli: Cli, json: boolean): Progress {
  if (json) return { reportEvent: printJson, printSummary: () => {}, close: () => {} };
  const running = new RunningSpecs();
  const view = openProgressView(cli, running);
  return {
    reportEvent(event) {
      running.applyEvent(event, Date.now());
      if (event.event !== "output" && event.event !== "usage" && event.event !== "progress") {
        view.above(() => printRunEvent(event, cli));
      }
    },
    printSummary: (result, waiting) => view.above(() => printSummary({ ...result, waiting }, cli)),
    close: () => view.close(),
  };
}

function openProgressView(cli: Cli, running: RunningSpecs): LiveLines {
  const plain = { above: (say: () => void) => say(), close: () => {} };
  if (cli.quiet) return plain;
  if (isTerminal("stderr") && process.env["TERM"] !== "dumb") {
    return openLiveLines((width) => running.formatLines(Date.now(), width));
  }
  const seconds = Number(process.env["PLANNER_PROGRESS_SECONDS"]) || REPORT_INTERVAL_S;
  const report = (): void => {
    for (const sentence of running.formatSentences(Date.now())) cli.note(sentence);
  };
  const timer = setInterval(report, seconds * 1000);
  timer.unref();
  return { ...plain, close: () => clearInterval(timer) };
}

type PrintedEvent = Exclude<RunEvent, { readonly event: "output" | "usage" | "progress" }>;

function printRunEvent(event: PrintedEvent, cli: Cli): void {
  if (event.event === "ended") printRunEnd(event, cli);
  else if (event.event === "output_check") printText(`${event.lines.map(sanitizeLine).join("\n")}\n`);
  else if (event.event === "refused") cli.warn(event.reason);
  else if (event.event === "denied") cli.warn(`${event.spec_id}: the agent was denied ${sanitizeLine(event.what)}`);
  else if (event.event === "allow") cli.warn(`${event.spec_id}: to allow what was denied: ${sanitizeLine(event.line)}`);
  else if (event.event === "started") {
    const where = event.branch === null ? "in the project itself" : `on branch ${event.branch} in "${event.worktree}"`;
    cli.note(`${event.spec_id}: ${event.agent} works ${where} (${event.process_id})`);
  } else cli.note(event.spec_id === null ? event.message : `${event.spec_id}: ${event.message}`);
}

function printRunEnd({ spec_id, status, reasons, warnings }: RunResult, cli: Cli): void {
  for (const warning of warnings) cli.warn(`${spec_id}: ${warning}`);
  const style = STATUS_STYLES[status];
  const word = style === undefined ? status : paint(status, style);
  const because = reasons.length === 0 ? "" : `: ${sanitizeLine(reasons.join("; "))}`;
  printText(`${spec_id}: ${word}${because}\n`);
}

/** Prints the result of all work, the location of details and the next steps. */
function printSummary(
  { results, refused, waiting }: QueueResult & { readonly waiting: readonly UnmergedWork[] },
  cli: Cli,
): void {
  const total = results.length + refused.length;
  if (total === 0) {
    cli.note("No pending spec is ready: `planner status` counts the specs by status");
    return;
  }
  const completed = results.filter(({ status }) => status === "completed");
  if (total !== 1) cli.note(`${completed.length} of ${total} specs completed`);
  const used = results.flatMap(({ usage }) => usage ?? []).reduce(addUsage, NO_USAGE);
  if (used !== NO_USAGE) cli.note(`Used ${formatUsage(used)}`);
  for (const { spec_id, status } of results) {
    if (status === "completed" || status === "pending") continue;
    cli.note(`${spec_id}: the log is .planner/logs/${spec_id}.log; \`planner diagnose ${spec_id}\` says what to do`);
  }
  for (const { difference } of waiting) cli.note(`What it changed: \`${difference}\``);
  const [only] = waiting;
  if (only !== undefined && waiting.length === 1) cli.note(`Not merged yet: \`planner merge ${only.spec_id}\``);
  else if (waiting.length > 1) cli.note(`${waiting.length} specs are not merged yet: \`planner merge --all\``);
}

/** Milliseconds between two redraws: smooth to the eye, and cheap compared with an agent's work. */
const DRAW_INTERVAL_MS = 150;

/** Width in columns of a terminal that does not report its width. */
const DEFAULT_COLUMNS = 80;

/** Lines at the bottom of the terminal that are redrawn repeatedly, below all other output. */
interface LiveLines {
  /** Erases the lines, calls `say` to print above them, and draws them again. */
  above(say: () => void): void;
  close(): void;
}

/** Draws lines repeatedly. @param lines returns the current lines, none wider than `width` columns */
function openLiveLines(lines: (width: number) => readonly string[]): LiveLines {
  let drawn = 0;
  const erase = (): void => {
    if (drawn > 0) moveCursor(`\u001b[${drawn}A\r\u001b[J`);
    drawn = 0;
  };
  const draw = (): void => {
    erase();
    const width = (process.stderr.columns || DEFAULT_COLUMNS) - 1;
    // More lines than the screen has could not be erased.
    const shown = lines(width).slice(0, Math.max(1, (process.stderr.rows || 24) - 2));
    for (const line of shown) printError(`${line}\n`);
    drawn = shown.length;
  };
  const timer = setInterval(draw, DRAW_INTERVAL_MS);
  timer.unref();
  return {
    above(say) {
      erase();
      say();
      draw();
    },
    close() {
      clearInterval(timer);
      erase();
    },
  };
}

/** Widths in columns: the maximum of a title, and those of time and usage. */
const TITLE_COLUMNS = 26;
const TIME_COLUMNS = 5;
const USAGE_COLUMNS = 11;

/** Maximum length of a stored last line, in characters. */
const MAX_KEPT_CHARS = 500;

interface RunningSpec {
  readonly title: string;
  readonly since: number;
  usage: Usage | null;
  /** The last line that is not blank, unchanged; sanitized only when shown, because agents print thousands. */
  last: string;
}

/** The specs that are running now, computed from the events of the work. */
export class RunningSpecs {
  readonly #running = new Map<string, RunningSpec>();
  #done = 0;
  #total = 0;

  applyEvent(event: RunEvent, now: number): void {
    if (event.event === "progress") {
      this.#done = event.done;
      this.#total = event.total;
    } else if (event.event === "started") {
      const title = joinTextLines(event.title ?? event.spec_id);
      this.#running.set(event.spec_id, { title, since: now, usage: null, last: `${event.agent} begins` });
    } else if (event.event === "ended") this.#running.delete(event.spec_id);
    else if (event.event === "usage" || event.event === "output") this.#update(event);
  }

  #update(event: Extract<RunEvent, { readonly event: "usage" | "output" }>): void {
    const running = this.#running.get(event.spec_id);
    if (running === undefined) return;
    if (event.event === "usage") running.usage = event;
    else if (event.text.trim() !== "") running.last = event.text;
  }

  /** Returns the number of finished specs, then a line per running spec; none is wider than `width` columns. */
  formatLines(now: number, width: number): readonly string[] {
    if (this.#running.size === 0) return [];
    const running = [...this.#running.values()].map((one) => truncateToWidth(formatRunning(one, now), width));
    return [truncateToWidth(`${this.#done} of ${this.#total} done, ${running.length} running`, width), ...running];
  }

  /** Returns a sentence per running spec, for a log that is read later. */
  formatSentences(now: number): readonly string[] {
    return [...this.#running].map(([id, { since, usage, last }]) => {
      const spent = usage === null ? "" : `, ${formatShortUsage(usage)}`;
      return `${id}: ${formatDuration(now - since)}${spent} (${this.#done} of ${this.#total} done): ${truncateToWidth(joinTextLines(last), 120)}`;
    });
  }
}

function formatRunning({ title, since, usage, last }: RunningSpec, now: number): string {
  const shown = truncateToWidth(title, TITLE_COLUMNS);
  const name = shown + " ".repeat(Math.max(0, TITLE_COLUMNS - measureTextWidth(shown)));
  const spent = (usage === null ? "" : formatShortUsage(usage)).padStart(USAGE_COLUMNS);
  return `${name} ${formatDuration(now - since).padStart(TIME_COLUMNS)} ${spent}  ${joinTextLines(last)}`;
}

function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function joinTextLines(text: string): string {
  return removeEscapes(text.slice(0, MAX_KEPT_CHARS)).replace(/\s+/g, " ").trim();
}
