import type { SourceKind, SourceLocation, SourceNote } from "#planner/exchange/source.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { firstLines, noteEnd } from "../../import/report.ts";
import { plainLine } from "../../output/plain_text.ts";
import { print } from "../../output/print.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";

export interface TaskOutcome extends SourceLocation {
  readonly key: string;
  readonly id: SpecId;
  readonly action: "created" | "updated" | "unchanged" | "kept" | "refused";
  /** Fields and sections that followed the source. */
  readonly changed?: readonly string[];
  /** Fields and sections that were changed both here and at the source; they stay as they are here. */
  readonly conflicts?: readonly string[];
  readonly archived?: boolean;
  /** Why the task was not written. */
  readonly reason?: string;
}

/** Things that specs do not hold, for one reason. */
export interface NotCarried {
  readonly reason: string;
  readonly count: number;
  /** The tasks are not imported at all. */
  readonly refused: boolean;
  readonly places: readonly (SourceLocation & { readonly detail: string })[];
}

export interface SourceReport {
  readonly kind: SourceKind;
  readonly origin: string;
  readonly state: "done" | "tried" | "stopped";
  readonly counts: {
    readonly tasks: number;
    readonly created: number;
    readonly updated: number;
    readonly unchanged: number;
    /** Tasks with something that stays as a person made it. */
    readonly kept: number;
    readonly refused: number;
  };
  /** Specs by status, of all tasks that the source holds. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly tasks: readonly TaskOutcome[];
  readonly not_carried: readonly NotCarried[];
  /** Specs of earlier imports whose tasks are no longer at the source; they stay. */
  readonly vanished: readonly { readonly key: string; readonly id: SpecId }[];
}

/** Groups notes by reason, refusals first, then by count. */
export function notCarried(notes: readonly SourceNote[]): readonly NotCarried[] {
  const groups = new Map<string, NotCarried & { places: NotCarried["places"][number][]; count: number }>();
  for (const { file, line, reason, detail, refused = false } of notes) {
    const name = `${refused} ${reason}`;
    const group = groups.get(name) ?? { reason, count: 0, refused, places: [] };
    group.count++;
    group.places.push({ file, line, detail });
    groups.set(name, group);
  }
  return [...groups.values()].sort((a, b) => Number(b.refused) - Number(a.refused) || b.count - a.count);
}

/** Prints the report: what was done on standard output, what needs a person on standard error. */
export function printSourceReport(report: SourceReport, cli: StderrLogger): void {
  const { counts, tasks, vanished } = report;
  const isTried = report.state === "tried";
  const linesOf = (wanted: TaskOutcome["action"], text: (task: TaskOutcome) => string) =>
    firstLines(
      tasks.filter(({ action }) => action === wanted),
      text,
      others,
    );
  const lines = [
    ...(isTried ? linesOf("created", (task) => `+ ${taskName(task)}`) : []),
    ...linesOf("updated", (task) => `~ ${taskName(task)}: ${task.changed?.join(", ")}`),
    `${counts.tasks} tasks: ${amounts(counts)}`,
    `by status: ${amounts(report.statuses)}`,
    ...report.not_carried.filter(({ refused }) => !refused).flatMap(noteLines),
  ];
  print(lines.map((line) => `${plainLine(line)}\n`).join(""));
  const refusals = report.not_carried.filter(({ refused }) => refused).flatMap(noteLines);
  for (const line of [...refusals, ...linesOf("refused", refusedLine), ...linesOf("kept", keptLine)])
    cli.warn(plainLine(line));
  for (const line of firstLines(
    vanished,
    ({ key, id }) => `${id} stays, though ${key} is no longer at the source`,
    others,
  ))
    cli.note(plainLine(line));
  noteEnd(report.state, cli);
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
  return `refused ${placeText(task)}: ${task.key}: ${task.reason}`;
}

function noteLines({ reason, count, refused, places }: NotCarried): readonly string[] {
  const said = refused ? "not imported" : "not carried";
  return [
    `${count} ${said}: ${reason}`,
    ...firstLines(places, (place) => `  ${placeText(place)}: ${place.detail.slice(0, 200)}`, others),
  ];
}

function placeText({ file, line }: { readonly file: string; readonly line: number | null }): string {
  return line === null ? file : `${file}:${line}`;
}

const others = (count: number) => `  … and ${count} more; --json lists all`;
