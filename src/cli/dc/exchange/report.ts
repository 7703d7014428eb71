import type { Omission } from "#dc/exchange/item.ts";
import type { InventoryQuality } from "#dc/exchange/quality.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import { limitLines, printImportEndNote } from "../../import/report.ts";
import { sanitizeLine } from "../../output/plain_text.ts";
import { print } from "../../output/print.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import { type Column, renderTable } from "../../output/table.ts";
import { getOutputWidth } from "../../output/terminal.ts";
import { printText } from "../../output/wrap_text.ts";
import { KIND_NAMES } from "../kinds.ts";
import type { SyncChange, SyncRefusal, SyncResult } from "./run_sync.ts";
import type { UnreadableElement } from "./source_error.ts";

/** Report of an import from a source, as `--report` writes it. */
export interface ImportReport {
  readonly origin: string;
  readonly state: "done" | "tried" | "stopped";
  readonly counts: readonly SyncCounts[];
  readonly not_carried: readonly OmittedObjects[];
  readonly refused: SyncResult["refused"];
  readonly vanished: SyncResult["vanished"];
  readonly unreadable: readonly UnreadableElement[];
  readonly quality: {
    readonly inlets: number;
    readonly inlets_with_source: number;
    readonly findings: InventoryQuality["findings"];
  };
  readonly changes: readonly SyncChange[];
  /** Why nothing was deleted although `--prune` asks for it. */
  readonly prune_refused?: string;
}

export interface SyncCounts {
  readonly kind: ResourceKind;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
  readonly refused: number;
}

export interface OmittedObjects {
  readonly reason: string;
  readonly count: number;
  readonly objects: readonly Omit<Omission, "reason">[];
}

export interface ReportInput {
  readonly origin: string;
  readonly dryRun: boolean;
  readonly result: SyncResult;
  readonly omissions: readonly Omission[];
  readonly unreadable: readonly UnreadableElement[];
  readonly quality: InventoryQuality;
}

export function buildImportReport({
  origin,
  dryRun,
  result,
  omissions,
  unreadable,
  quality,
}: ReportInput): ImportReport {
  return {
    origin,
    state: result.stopped ? "stopped" : dryRun ? "tried" : "done",
    counts: KIND_NAMES.map((kind) => countKindChanges(kind, result)).filter(({ kind: _, ...counts }) =>
      Object.values(counts).some((count) => count > 0),
    ),
    not_carried: groupOmissionsByReason(omissions),
    refused: result.refused,
    vanished: result.vanished,
    unreadable,
    quality: { inlets: quality.inlets, inlets_with_source: quality.inletsWithSource, findings: quality.findings },
    changes: result.changes,
    ...(result.pruneRefusal !== undefined && { prune_refused: result.pruneRefusal }),
  };
}

function countKindChanges(kind: ResourceKind, { changes, unchanged, refused }: SyncResult): SyncCounts {
  const countAction = (action: SyncChange["action"]) =>
    changes.filter((one) => one.kind === kind && one.action === action).length;
  return {
    kind,
    created: countAction("create"),
    updated: countAction("update"),
    deleted: countAction("delete"),
    unchanged: unchanged.get(kind) ?? 0,
    refused: refused.filter((one) => one.kind === kind).length,
  };
}

/** Groups omissions by reason, the most frequent first. */
function groupOmissionsByReason(omissions: readonly Omission[]): readonly OmittedObjects[] {
  return [...Map.groupBy(omissions, ({ reason }) => reason)]
    .map(([reason, list]) => ({
      reason,
      count: list.reduce((sum, { count = 1 }) => sum + count, 0),
      objects: list.map(({ reason: _, ...rest }) => rest),
    }))
    .toSorted((a, b) => b.count - a.count);
}

const MAX_VALUE_CHARS = 60;

const COUNT_COLUMNS: readonly Column<SyncCounts>[] = [
  { title: "KIND", text: ({ kind }) => kind },
  ...(["created", "updated", "deleted", "unchanged", "refused"] as const).map(
    (name): Column<SyncCounts> => ({ title: name.toUpperCase(), text: (row) => String(row[name]), align: "right" }),
  ),
];

const NOT_CARRIED_COLUMNS: readonly Column<OmittedObjects>[] = [
  { title: "NOT CARRIED", text: ({ count }) => String(count), align: "right" },
  { title: "BECAUSE", text: ({ reason }) => reason },
  { title: "SUCH AS", text: ({ objects }) => formatExample(objects), shrinks: true },
];

function formatExample(objects: OmittedObjects["objects"]): string {
  const [first] = objects;
  if (first === undefined) return "";
  return [first.id, first.name === first.id ? "" : first.name, first.detail ?? ""]
    .filter((part) => part !== "")
    .join(" ");
}

/** Prints a report for people: results on standard output, problems on standard error. */
export function printImportReport(report: ImportReport, log: StderrLogger): void {
  const width = getOutputWidth();
  if (report.state === "tried") printList(report.changes, formatChange);
  print(renderTable(report.counts, COUNT_COLUMNS, width));
  if (report.not_carried.length > 0) print(`\n${renderTable(report.not_carried, NOT_CARRIED_COLUMNS, width)}`);
  printInletQuality(report);
  for (const line of limitLines(report.unreadable, formatUnreadable, formatOmittedCount)) log.warn(line);
  for (const line of limitLines(report.refused, formatRefusal, formatOmittedCount)) log.warn(line);
  if (report.prune_refused !== undefined) log.warn(`Nothing is deleted: ${report.prune_refused}`);
  for (const line of limitLines(report.vanished, formatRefusal, formatOmittedCount)) log.note(line);
  printImportEndNote(report.state, log);
}

function formatUnreadable({ file, number, kind, code, reason }: UnreadableElement): string {
  return [number === 0 ? file : `${file} ${number}`, [kind, code].filter(Boolean).join(" "), reason]
    .filter(Boolean)
    .join(": ");
}

function printInletQuality({ quality: { inlets, inlets_with_source: sourced, findings } }: ImportReport): void {
  if (inlets === 0 && findings.length === 0) return;
  const share =
    inlets === 0 ? "no inlets" : `${Math.floor((sourced / inlets) * 100)} % of ${inlets} inlets have a source`;
  printText(`\npower: ${share}\n`);
  for (const { refs, message } of findings)
    printText(`${refs.length} ${message}, such as ${sanitizeLine(refs[0] ?? "")}\n`);
}

function formatRefusal({ ref, id, reason, place }: SyncRefusal): string {
  return `${place === undefined ? "" : `${place.file} ${place.line}: `}${ref} (${id}): ${reason}`;
}

function formatChange({ action, ref, fields }: SyncChange): string {
  const sign = { create: "+", update: "~", delete: "-" }[action];
  const changes = fields
    .map(({ field, before, after }) => `${field} ${formatValue(before)} -> ${formatValue(after)}`)
    .join(", ");
  return `${sign} ${ref}${changes === "" ? "" : `: ${changes}`}`;
}

function formatValue(value: unknown): string {
  const text = value === undefined ? "(none)" : JSON.stringify(value);
  return text.length <= MAX_VALUE_CHARS ? text : `${text.slice(0, MAX_VALUE_CHARS - 1)}…`;
}

function printList<One>(all: readonly One[], text: (one: One) => string): void {
  for (const line of limitLines(all, text, formatOmittedCount)) printText(`${line}\n`);
  if (all.length > 0) print("\n");
}

const formatOmittedCount = (count: number) => `and ${count} more: --report writes all of them`;
