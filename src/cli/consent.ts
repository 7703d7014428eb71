import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { OperationError } from "#kernel/errors.ts";
import { escapeForTerminal } from "#kernel/escape.ts";
import { acceptLinesAndRules } from "#planner/operations/shared/held_rules.ts";
import { findProjectOfWorktree, findSurroundingRun } from "#planner/store/processes/inside_run.ts";
import type { SharedClaimOptions } from "#planner/store/remote_claims/remote_claims.ts";
import { type AcceptableLine, isRuleLine, omitAcceptedLines } from "#planner/work/acceptance.ts";
import { booleanFlag } from "./args.ts";
import type { Cli } from "./declaration.ts";
import type { OpenedProject } from "./open_project.ts";
import { isInteractive, print, sanitizeLine } from "./output/print.ts";
import { UsageError } from "./usage_error.ts";

/** Path of the controlling terminal, which works even if standard input and output are redirected. */
const TERMINAL_PATH = process.platform === "win32" ? "\\\\.\\CON" : "/dev/tty";

/** A command that no person has accepted yet, with its origin. */
export interface UnacceptedCommand extends AcceptableLine {
  /** Origin for display: a spec id such as `2026-11-01-001-aaa`, or a path. */
  readonly from: string;
  /** One line about the commit that wrote the command; null if no commit is known. */
  readonly commit: string | null;
}

/**
 * Asks once whether to accept all commands that no person has accepted yet, and accepts them after a yes. Does nothing
 * without a terminal, inside a run and in a run's worktree; the commands then stay unaccepted.
 */
export async function askToAcceptCommands(
  { context, root }: OpenedProject,
  lines: readonly AcceptableLine[],
): Promise<void> {
  if (lines.length === 0 || !isInteractive() || isInRun(root)) return;
  const waiting = omitAcceptedLines(await (await context.openAcceptance()).read(), lines);
  if (waiting.length === 0) return;
  if (confirmOnTerminal([...waiting.map(formatCommandLine), formatAcceptQuestion(waiting)].join("\n"))) {
    await acceptLinesAndRules(context, waiting);
  }
}

/** Accepts commands that a person has just typed. Does nothing without a terminal, inside a run and in its worktree. */
export async function acceptTypedCommands(
  { context, root }: OpenedProject,
  lines: readonly AcceptableLine[],
): Promise<void> {
  if (lines.length === 0 || !isInteractive() || isInRun(root)) return;
  await (await context.openAcceptance()).acceptLines(
    omitAcceptedLines(await (await context.openAcceptance()).read(), lines),
  );
}

/** @throws OperationError failed_precondition inside a run and in its worktree, because agents must not act there */
export function requireOutsideRun(root: string, action: string): void {
  if (!isInRun(root)) return;
  throw new OperationError("failed_precondition", `Cannot ${action} in a run or its worktree: a person does that`);
}

function isInRun(root: string): boolean {
  return findSurroundingRun(root, process.env) !== null || findProjectOfWorktree(root) !== null;
}

export function formatCommandLine(line: AcceptableLine): string {
  return `  ${line.kind.padEnd(8)} ${isRuleLine(line) ? "no longer " : ""}${sanitizeLine(line.text)}`;
}

export function formatAcceptQuestion(waiting: readonly AcceptableLine[]): string {
  const isOne = waiting.length === 1;
  if (waiting.some(isRuleLine)) return `Accept ${isOne ? "this" : "these"} in this project from now on? [y/N] `;
  return `${isOne ? "Run this command" : `Run these ${waiting.length} commands`} in this project from now on? [y/N] `;
}

/** Asks a yes-or-no question; any answer but y or yes is a no. @throws OperationError without a terminal */
export function confirmOnTerminal(question: string): boolean {
  return /^y(?:es)?$/i.test(readTerminalLine(question).trim());
}

/** Asks on the terminal and reads a line, empty at the end of input. @throws OperationError without a terminal */
export function readTerminalLine(question: string): string {
  let terminal: number;
  try {
    terminal = openSync(TERMINAL_PATH, "r+");
  } catch {
    throw new OperationError("failed_precondition", "Cannot ask: expected a terminal");
  }
  try {
    writeSync(terminal, escapeForTerminal(question));
    return readLine(terminal);
  } finally {
    closeSync(terminal);
  }
}

function readLine(terminal: number): string {
  const byte = Buffer.alloc(1);
  const bytes: number[] = [];
  while (readSync(terminal, byte, 0, 1, null) === 1 && byte[0] !== 10 && byte[0] !== 13) bytes.push(byte[0] ?? 0);
  return Buffer.from(bytes).toString();
}

/** Trusts the project after a question on the terminal, or ends its trust. Returns whether the trust was changed. */
export async function trustProject({ context, root }: OpenedProject, on: boolean): Promise<boolean> {
  const question = `Every command of ${sanitizeLine(root)}, whoever writes it, will run without a question. Trust this project? [y/N] `;
  if (on && !confirmOnTerminal(question)) {
    print("Nothing was changed\n");
    return false;
  }
  await (await context.openAcceptance()).setTrusted(on);
  print(on ? "Trusted: every command of this project is accepted\n" : "Single commands have to be accepted again\n");
  return true;
}

/** Offers trust on a terminal if the settings allow an agent to run any command without asking. */
export async function offerTrust(project: OpenedProject): Promise<void> {
  const { context, root } = project;
  if (!isInteractive() || isInRun(root)) return;
  const { providers } = await context.readConfig();
  const free = Object.keys(providers).filter((name) => providers[name]?.skip_permissions === true);
  if (free.length === 0 || (await (await context.openAcceptance()).read()).isTrusted) return;
  print(`${free.join(", ")} has skip_permissions: it runs any command without a question, those of checks included\n`);
  await trustProject(project, true);
}

/** Flags of commands that take or finish claims shared with other clones. */
export const SHARED_CLAIM_FLAGS = {
  steal: booleanFlag("Take claims of other clones, after a question", { excludes: ["--offline"] }),
  offline: booleanFlag("Do not ask the remote who has the specs"),
} as const;

/** Asks before claims of other clones are taken. @throws OperationError after a no, without a terminal and in a run */
export async function confirmClaimOptions(
  { steal, offline }: SharedClaimOptions,
  cli: Cli,
): Promise<SharedClaimOptions> {
  if (!steal) return { steal, offline };
  const { context, root } = await cli.openProject();
  requireOutsideRun(root, "take claims of other clones");
  const { remote } = (await context.readConfig()).claims;
  if (remote === null) throw new UsageError('"--steal" needs setting "claims.remote"', null);
  if (!confirmOnTerminal(`Take these specs from whoever works on them in other clones of "${remote}"? [y/N] `)) {
    throw new OperationError("aborted", "Nothing was taken");
  }
  return { steal, offline };
}
