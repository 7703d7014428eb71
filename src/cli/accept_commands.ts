import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { escapeForTerminal } from "#kernel/control_pictures.ts";
import { OperationError } from "#kernel/errors.ts";
import { acceptRuleChanges } from "#planner/operations/shared/held_rules.ts";
import { insideRun, projectAround } from "#planner/store/processes/inside_run.ts";
import { type CommandLine, isRule, withoutAccepted } from "#planner/work/acceptance.ts";
import type { OpenProject } from "./open_project.ts";
import { plainLine } from "./output/plain_text.ts";
import { isInteractive } from "./output/terminal.ts";

/** The terminal itself, whatever standard input and output are. */
const TERMINAL = process.platform === "win32" ? "\\\\.\\CON" : "/dev/tty";

/** A command that waits for acceptance, with its origin as a person sees it. */
export interface WaitingLine extends CommandLine {
  /** As in `2026-11-01-001-aaa`, or a path. */
  readonly from: string;
  /** The commit that wrote it, in one line; null if none did. */
  readonly commit: string | null;
}

/**
 * Asks once for all commands that no person has accepted yet, and accepts them after a yes. Asks nothing without a terminal,
 * below a run and in a run's worktree: what waits then goes on waiting.
 */
export async function askToAccept({ context, root }: OpenProject, lines: readonly CommandLine[]): Promise<void> {
  if (lines.length === 0 || !isInteractive() || isInRun(root)) return;
  const waiting = withoutAccepted(await (await context.accepted()).read(), lines);
  if (waiting.length === 0) return;
  if (askOnTerminal([...waiting.map(lineText), questionAbout(waiting)].join("\n"))) {
    await acceptRuleChanges(context, waiting);
  }
}

/** Accepts commands that a person has typed on a terminal just now. */
export async function acceptTyped({ context, root }: OpenProject, lines: readonly CommandLine[]): Promise<void> {
  if (lines.length === 0 || !isInteractive() || isInRun(root)) return;
  await (await context.accepted()).accept(withoutAccepted(await (await context.accepted()).read(), lines));
}

/** @throws OperationError `failed_precondition` below a run and in a run's worktree: an agent accepts nothing */
export function refuseInRun(root: string, action: string): void {
  if (!isInRun(root)) return;
  throw new OperationError("failed_precondition", `Cannot ${action} in a run or its worktree: a person does that`);
}

export function isInRun(root: string): boolean {
  return insideRun(root, process.env) !== null || projectAround(root) !== null;
}

export function lineText(line: CommandLine): string {
  return `  ${line.kind.padEnd(8)} ${isRule(line) ? "no longer " : ""}${plainLine(line.text)}`;
}

export function questionAbout(waiting: readonly CommandLine[]): string {
  const isOne = waiting.length === 1;
  if (waiting.some(isRule)) return `Accept ${isOne ? "this" : "these"} in this project from now on? [y/N] `;
  return `${isOne ? "Run this command" : `Run these ${waiting.length} commands`} in this project from now on? [y/N] `;
}

/** Asks a question on the terminal; anything but y or yes is a no. @throws OperationError as `lineFromTerminal` */
export function askOnTerminal(question: string): boolean {
  return /^y(?:es)?$/i.test(lineFromTerminal(question).trim());
}

/**
 * Asks a question on the terminal and waits for a line; empty at the end of input.
 *
 * @throws OperationError `failed_precondition` without a terminal
 */
export function lineFromTerminal(question: string): string {
  let terminal: number;
  try {
    terminal = openSync(TERMINAL, "r+");
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
