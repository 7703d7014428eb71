import { plainLine } from "../../output/plain_text.ts";
import { print } from "../../output/print.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import type { NotCarried, SourceReport, TaskOutcome } from "./source_report.ts";

/** Lines of one list for a person; --json has all. */
const MOST_LINES = 20;

/** Prints the report: what was done on standard output, what needs a person on standard error. */
export function printSourceReport(report: SourceReport, cli: StderrLogger): void {
  const { counts, tasks, vanished } = report;
  const isTried = report.state === "tried";
  const lines = [
    ...firstOf(
      tasks.filter(({ action }) => isTried && action === "created"),
      (task) => `+ ${taskName(task)}`,
    ),
    ...firstOf(
      tasks.filter(({ action }) => action === "updated"),
      (task) => `~ ${taskName(task)}: ${task.changed?.join(", ")}`,
    ),
    `${counts.tasks} tasks: ${amounts(counts)}`,
    `by status: ${amounts(report.statuses)}`,
    ...report.not_carried.filter(({ refused }) => !refused).flatMap(noteLines),
  ];
  print(lines.map((line) => `${plainLine(line)}\n`).join(""));
  for (const note of report.not_carried.filter(({ refused }) => refused))
    for (const line of noteLines(note)) cli.warn(plainLine(line));
  for (const line of firstOf(
    tasks.filter(({ action }) => action === "refused"),
    refusedLine,
  ))
    cli.warn(plainLine(line));
  for (const line of firstOf(
    tasks.filter(({ action }) => action === "kept"),
    keptLine,
  ))
    cli.warn(plainLine(line));
  for (const line of firstOf(vanished, ({ key, id }) => `${id} stays, though ${key} is no longer at the source`))
    cli.note(plainLine(line));
  if (isTried) cli.note("Nothing was written: this was a dry run");
  if (report.state === "stopped") cli.warn("Stopped: the same import continues where this one ended");
}

function amounts(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).filter(([name, count]) => name !== "tasks" && count > 0);
  return parts.length === 0 ? "none" : parts.map(([name, count]) => `${count} ${name}`).join(", ");
}

function taskName({ key, id, action }: TaskOutcome): string {
  return action === "created" ? key : `${id} (${key})`;
}

function keptLine(task: TaskOutcome): string {
  const why =
    task.reason ??
    `changed both here and at the source: ${task.conflicts?.join(", ")}; --overwrite uses the source's text`;
  return `kept ${taskName(task)}: ${why}`;
}

function refusedLine(task: TaskOutcome): string {
  return `refused ${placed(task)}: ${task.key}: ${task.reason}`;
}

function noteLines({ reason, count, refused, places }: NotCarried): readonly string[] {
  const said = refused ? "not imported" : "not carried";
  return [
    `${count} ${said}: ${reason}`,
    ...firstOf(places, (place) => `  ${placed(place)}: ${place.detail.slice(0, 200)}`),
  ];
}

function placed({ file, line }: { readonly file: string; readonly line: number | null }): string {
  return line === null ? file : `${file}:${line}`;
}

function firstOf<One>(all: readonly One[], text: (one: One) => string): readonly string[] {
  const lines = all.slice(0, MOST_LINES).map(text);
  return all.length > MOST_LINES ? [...lines, `  … and ${all.length - MOST_LINES} more; --json lists all`] : lines;
}
