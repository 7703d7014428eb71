import type { SourceKind, SourceLocation, SourceNote } from "#planner/exchange/source.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { limitLines, printImportEndNote } from "../../import/run_stoppable.ts";
import { print, sanitizeLine } from "../../output/print.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";

export interface TaskOutcome extends SourceLocation {
  readonly key: string;
  readonly id: SpecId;
  readonly action: "created" | "updated" | "unchanged" | "kept" | "refused";
  /** Fields and sections that were updated from the source. */
  readonly changed?: readonly string[];
  /** Fields and sections that were changed both here and at the source; they stay unchanged here. */
  readonly conflicts?: readonly string[];
  readonly archived?: boolean;
  /** Reason why the task was not written. */
  readonly reason?: string;
}

/** Parts of a source that a spec cannot represent, grouped by reason. */
export interface OmittedParts {
  readonly reason: string;
  readonly count: number;
  /** True if the tasks at these places are not imported at all; false if they are imported without these parts. */
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
    /** Number of tasks whose specs stay because they were changed, archived or deleted here. */
    readonly kept: number;
    readonly refused: number;
  };
  /** Number of specs by status, over all tasks of the source. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly tasks: readonly TaskOutcome[];
  readonly not_carried: readonly OmittedParts[];
  /** Specs of earlier imports whose tasks are no longer in the source; they stay. */
  readonly vanished: readonly { readonly key: string; readonly id: SpecId }[];
}

/** Groups notes by reason, refusals first, then by count. */
export function groupNotes(notes: readonly SourceNote[]): readonly OmittedParts[] {
  const groups = new Map<string, OmittedParts & { places: OmittedParts["places"][number][]; count: number }>();
  for (const { file, line, reason, detail, refused = false } of notes) {
    const name = `${refused} ${reason}`;
    const group = groups.get(name) ?? { reason, count: 0, refused, places: [] };
    group.count++;
    group.places.push({ file, line, detail });
    groups.set(name, group);
  }
  return [...groups.values()].sort((a, b) => Number(b.refused) - Number(a.refused) || b.count - a.count);
}

/** Prints the report: results on standard output, items that need a person on standard error. */
export function printSourceReport(report: SourceReport, cli: StderrLogger): void {
  const { counts, tasks, vanished } = report;
  const isTried = report.state === "tried";
  const formatOutcomes = (wanted: TaskOutcome["action"], text: (task: TaskOutcome) => string) =>
    limitLines(
      tasks.filter(({ action }) => action === wanted),
      text,
      formatOmittedCount,
    );
  const lines = [
    ...(isTried ? formatOutcomes("created", (task) => `+ ${formatTask(task)}`) : []),
    ...formatOutcomes("updated", (task) => `~ ${formatTask(task)}: ${task.changed?.join(", ")}`),
    `${counts.tasks} tasks: ${formatNamedCounts(counts)}`,
    `by status: ${formatNamedCounts(report.statuses)}`,
    ...report.not_carried.filter(({ refused }) => !refused).flatMap(formatOmittedParts),
  ];
  print(lines.map((line) => `${sanitizeLine(line)}\n`).join(""));
  const refusals = report.not_carried.filter(({ refused }) => refused).flatMap(formatOmittedParts);
  for (const line of [
    ...refusals,
    ...formatOutcomes("refused", formatRefusedTask),
    ...formatOutcomes("kept", formatKeptTask),
  ])
    cli.warn(sanitizeLine(line));
  for (const line of limitLines(
    vanished,
    ({ key, id }) => `${id} stays, though ${key} is no longer at the source`,
    formatOmittedCount,
  ))
    cli.note(sanitizeLine(line));
  printImportEndNote(report.state, cli);
}

function formatNamedCounts(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).filter(([name, count]) => name !== "tasks" && count > 0);
  return parts.length === 0 ? "none" : parts.map(([name, count]) => `${count} ${name}`).join(", ");
}

function formatTask({ key, id, action }: TaskOutcome): string {
  return action === "created" ? key : `${id} (${key})`;
}

function formatKeptTask(task: TaskOutcome): string {
  const why =
    task.reason ??
    `changed both here and at the source: ${task.conflicts?.join(", ")}; --overwrite uses the source's text`;
  return `kept ${formatTask(task)}: ${why}`;
}

function formatRefusedTask(task: TaskOutcome): string {
  return `refused ${formatLocation(task)}: ${task.key}: ${task.reason}`;
}

function formatOmittedParts({ reason, count, refused, places }: OmittedParts): readonly string[] {
  const said = refused ? "not imported" : "not carried";
  return [
    `${count} ${said}: ${reason}`,
    ...limitLines(places, (place) => `  ${formatLocation(place)}: ${place.detail.slice(0, 200)}`, formatOmittedCount),
  ];
}

function formatLocation({ file, line }: { readonly file: string; readonly line: number | null }): string {
  return line === null ? file : `${file}:${line}`;
}

const formatOmittedCount = (count: number) => `  … and ${count} more; --json lists all`;
