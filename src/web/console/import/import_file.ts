import { useRef, useState } from "preact/hooks";
import { IMPORT_KINDS, type ImportEvent, type ImportKind, type WrittenOutcome } from "#dc/operations/import/wire.ts";
import { formatConstant } from "#words/names.ts";
import { quoteCsvCell } from "#words/quoting.ts";
import { COLUMN_FIELDS, guessFieldOfHeading } from "#words/spreadsheet.ts";
import { CallError, callWithSignIn, inventoryWriteListeners, sendFile } from "../api/client.ts";
import {
  type EditableKind,
  type FormField,
  getFieldLabel,
  getFieldUnit,
  listKindFields,
  listMessageFields,
} from "../edit/form_model.ts";
import type { ResourceChange } from "../edit/proposal.ts";
import { simplifyMessage } from "../labels.ts";

/** What the columns of a table mean. */
export interface ColumnMapping {
  readonly kind: ImportKind;
  /** Path of the field that each column fills; "" for none. */
  readonly columns: readonly string[];
  /** Values that apply to all rows, by the paths of their fields, which no column fills. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Decimal sign of the table; without it figures that could be read in two ways are refused. */
  readonly decimal?: "." | "," | undefined;
}

/** A field that a column of a table can fill. */
export interface ColumnTarget {
  /** Path of the field, such as `location.site_id`. For a label, the last part of the path is the label's key. */
  readonly path: string;
  readonly label: string;
  readonly field: FormField;
}

/** Returns the required fields of a kind that no column fills. For a required location, returns its site. */
export function listMissingFields(kind: EditableKind, columns: readonly string[]): readonly ColumnTarget[] {
  const targets = listColumnTargets(kind);
  const needed = listKindFields(kind)
    .filter(({ required }) => required === true)
    .map(({ name }) => targets.find(({ path }) => path === name || path.startsWith(`${name}.`)));
  const isFilled = (path: string) => columns.some((one) => one === path || one.startsWith(`${path}.`));
  return needed.filter((target) => target !== undefined && !isFilled(target.path)) as readonly ColumnTarget[];
}

/** Whether devices have a unit but no column names their face, so that they are placed at the front. */
export function isFaceGuessed(kind: EditableKind, columns: readonly string[]): boolean {
  return kind === "device" && columns.includes("position_u") && !columns.includes("face");
}

/** Returns every field that a single cell can contain. */
export function listColumnTargets(kind: EditableKind): readonly ColumnTarget[] {
  return listKindFields(kind).flatMap((field): readonly ColumnTarget[] => {
    const label = getFieldLabel(field);
    if (field.shape === "map") return [];
    if (field.type !== "group") return [{ path: field.name, label, field }];
    if (field.of === "PortRef") {
      const whole: ColumnTarget = { path: field.name, label: `${label} as device/port`, field };
      return [whole, ...listNestedTargets(field, label)];
    }
    return field.shape === "list" ? [] : listNestedTargets(field, label);
  });
}

function listNestedTargets(field: FormField, label: string): readonly ColumnTarget[] {
  return listMessageFields(field.of ?? "")
    .filter(({ type, shape }) => type !== "group" && shape !== "map")
    .map((inner) => ({
      path: `${field.name}.${inner.name}`,
      label: `${label}, ${getFieldLabel(inner).toLowerCase()}`,
      field: inner,
    }));
}

const LABEL_HEADER_PATTERN = /^labels?[.:\s]\s*(.+)$/i;

/** Returns the path of the field that a column's header means; "" for none. */
export function guessTargetPath(header: string, targets: readonly ColumnTarget[]): string {
  const key = LABEL_HEADER_PATTERN.exec(header.trim())?.[1];
  if (key !== undefined) return `labels.${key}`;
  const findTarget = (heading: string) => {
    const bare = normalizeHeader(heading);
    const named = targets.find(({ path, label }) => [path, label].some((name) => normalizeHeader(name) === bare));
    const last = targets.find(({ path }) => normalizeHeader(path.slice(path.indexOf(".") + 1)) === bare);
    const known = targets.find(({ path }) => path === COLUMN_FIELDS[bare]);
    return named ?? known ?? last;
  };
  return guessFieldOfHeading(header, findTarget, ({ field }) => getFieldUnit(field))?.path ?? "";
}

function normalizeHeader(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Patterns of headers that only one kind is likely to have. */
const KIND_PATTERNS: readonly (readonly [EditableKind, RegExp])[] = [
  ["fabric_link", /^(?:fabric|fabricid|capacitymbps|ecmpgroup)$/],
  ["cable", /^(?:a|b|enda|endb|adevice|bdevice|adevicecode|bdevicecode|lengthm|length)$/],
  ["crac", /^(?:sensiblecapacitykw|sensiblecapacity|derate|deratepct|serves)$/],
  ["device", /^(?:position|positionu|u|unit|rack|rackcode|allocateddraww|planneddraw|serial)$/],
];

/** Guesses the kind of resources in a table from its headers; "rack" if no header is typical of a kind. */
export function guessResourceKind(headers: readonly string[]): ImportKind {
  const bare = headers.map(normalizeHeader);
  const found = KIND_PATTERNS.find(([, pattern]) => bare.some((header) => pattern.test(header)))?.[0];
  return IMPORT_KINDS.find((kind) => kind === found) ?? "rack";
}

/** Returns the position of the column that a field was read from; -1 for a field without a column. */
export function findFieldColumn(columns: readonly string[], field: string): number {
  const exact = field === "" ? -1 : columns.indexOf(field);
  if (exact !== -1 || field === "") return exact;
  const isNear = (path: string) =>
    path !== "" && (path.startsWith(`${field}.`) || field.startsWith(`${path}.`) || field.startsWith(`${path}[`));
  return columns.findIndex(isNear);
}

/** Length in characters above which a text is not shown in a text field, because such a field reacts slowly. */
export const LARGE_TEXT_CHARS = 200_000;

/** Whether a text is a sheet rather than JSON. */
export function isSheetText(text: string): boolean {
  return !["", "{", "["].includes(text.trimStart().charAt(0));
}

/** Reads a file as UTF-8. Throws a TypeError if its bytes are not valid UTF-8. */
export async function readUtf8File(file: File): Promise<string> {
  // `File.text()` would silently replace bytes that are not UTF-8.
  return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
}

/** A sheet as the service describes it. */
export type Sheet = Extract<ImportEvent, { readonly event: "sheet" }>;

/** A row of the file that was refused, and why. */
export type RefusedRow = Extract<ImportEvent, { readonly event: "refused" }>;

interface SendOptions {
  readonly isCheck: boolean;
  readonly signal: AbortSignal;
  readonly reportEvents: (events: readonly ImportEvent[]) => void;
}

/** Sends a file to be checked or written. A sheet without a mapping is only described. @throws CallError */
export function sendImport(
  text: string,
  mapping: ColumnMapping | undefined,
  { isCheck, signal, reportEvents }: SendOptions,
): Promise<void> {
  const query = new URLSearchParams({ dry_run: String(isCheck) });
  const isSheet = isSheetText(text);
  if (isSheet && mapping !== undefined) {
    query.set("kind", mapping.kind);
    for (const path of mapping.columns) query.append("column", path);
    for (const [path, value] of Object.entries(mapping.defaults)) query.append("default", `${path}=${value}`);
    if (mapping.decimal !== undefined) query.set("decimal", mapping.decimal);
  }
  const sent = { body: text, type: isSheet ? "text/csv" : "application/x-ndjson", signal };
  return callWithSignIn(() => sendFile(`/import?${query}`, sent, reportEvents));
}

/** Texts that the person typed into refused rows, by the column's position or the field's name. */
export type Corrections = ReadonlyMap<RefusedRow, ReadonlyMap<string, string>>;

/** Returns the text of a file with corrected rows. Leaves every other row as it is. */
export function applyCorrections(text: string, corrections: Corrections, delimiter: string): string {
  const fromEnd = [...corrections].toSorted(([{ from: one = 0 }], [{ from: other = 0 }]) => other - one);
  return fromEnd.reduce((result, [row, typed]) => {
    const { cells, from, to } = row;
    if (cells === undefined) return replaceItemFields(result, row, typed);
    return result.slice(0, from) + formatCorrectedCells(cells, typed, delimiter) + result.slice(to);
  }, text);
}

function formatCorrectedCells(cells: readonly string[], typed: ReadonlyMap<string, string>, delimiter: string): string {
  const last = Math.max(cells.length - 1, ...[...typed.keys()].map(Number));
  const all = Array.from({ length: last + 1 }, (_, at) => typed.get(String(at)) ?? cells[at] ?? "");
  return all.map((cell) => quoteCsvCell(cell, delimiter)).join(delimiter);
}

/** Returns the text of JSON Lines, or of an object of lists, with fields of an item replaced. */
function replaceItemFields(
  text: string,
  { kind = "rack", line, item }: RefusedRow,
  typed: ReadonlyMap<string, string>,
): string {
  const before = (item ?? {}) as Readonly<Record<string, unknown>>;
  const values = [...typed].map(([field, value]) => [field, parseTypedValue(value, before[field])] as const);
  const corrected = { ...before, ...Object.fromEntries(values) };
  const whole = parseObject(text);
  const list = `${kind}s`;
  const rows = whole?.[list];
  if (Array.isArray(rows)) return JSON.stringify({ ...whole, [list]: rows.with(line - 1, corrected) }, undefined, 2);
  return text
    .split("\n")
    .with(line - 1, JSON.stringify({ [kind]: corrected }))
    .join("\n");
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses a typed value as JSON; keeps it as text if it replaces a text or is not valid JSON. */
function parseTypedValue(typed: string, before: unknown): unknown {
  if (typed === "") return undefined;
  if (typeof before === "string") return typed;
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

const CHECK_LABELS = { CREATED: "To be created", UPDATED: "To be updated", UNCHANGED: "Unchanged" } as const;
const OUTCOMES = Object.keys(CHECK_LABELS) as readonly WrittenOutcome[];
type OutcomeCounts = Readonly<Record<WrittenOutcome, number>>;

/** A file and the meaning of its columns. */
export interface ImportInput {
  readonly text: string;
  readonly mapping?: ColumnMapping | undefined;
}

/** Progress of an import. */
export interface ImportRun {
  readonly input: ImportInput;
  /** Text whose rows `refused` contains: the text before a correction until the corrected one is checked. */
  readonly base: string;
  /** Whether the file is being checked or written. */
  readonly step: "check" | "write";
  /** Number of items in the file. */
  readonly total: number;
  readonly sent: number;
  readonly counts: OutcomeCounts;
  /** Counts of the check; set once the write has begun. */
  readonly checked?: OutcomeCounts;
  readonly refused: readonly RefusedRow[];
  /** The first accepted items, after a check. */
  readonly changes: readonly ResourceChange[];
  readonly running: boolean;
  /** Whether the service has answered every row. */
  readonly isDone: boolean;
  /** Error that stopped the step. */
  readonly error?: CallError;
}

function createRun(step: ImportRun["step"], input: ImportInput): ImportRun {
  const counts = { CREATED: 0, UPDATED: 0, UNCHANGED: 0 };
  const state = { total: 0, sent: 0, counts, refused: [], changes: [], running: true, isDone: false };
  return { step, input, base: input.text, ...state };
}

/** Returns the labelled counts of a step. When the step is done, the counts after "Read" add up to "Read". */
export function listStepCounts(run: ImportRun): readonly (readonly [label: string, number: number])[] {
  const { total, counts, refused, step } = run;
  return [
    ["Read", total + refused.filter(({ kind }) => kind === undefined).length] as const,
    ...OUTCOMES.filter((outcome) => counts[outcome] > 0).map((outcome) => {
      return [step === "check" ? CHECK_LABELS[outcome] : formatConstant(outcome), counts[outcome]] as const;
    }),
    ["Refused", refused.length] as const,
  ];
}

/** Returns the number of items that were written, or would be. */
export function countAcceptedItems({ counts }: ImportRun): number {
  return OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);
}

/** Whether the result of the write differs from the result of the check. */
export function isDifferentFromCheck({ checked, counts, isDone }: ImportRun): boolean {
  return checked !== undefined && isDone && OUTCOMES.some((outcome) => checked[outcome] !== counts[outcome]);
}

export type ImportRunner = ReturnType<typeof useImportRunner>;

/** Sends a file, and keeps the progress and the result that the service answers. */
export function useImportRunner() {
  const [run, setRun] = useState<ImportRun>();
  const current = useRef<ImportRun | undefined>(undefined);
  const controller = useRef<AbortController | undefined>(undefined);
  const setCurrentRun = (next: ImportRun | undefined) => {
    current.current = next;
    setRun(next);
  };
  /** @param shown the run whose rows are shown until the new one has ended */
  const send = async (begun: ImportRun, shown?: ImportRun): Promise<void> => {
    controller.current?.abort();
    const abort = new AbortController();
    controller.current = abort;
    const { input, step } = begun;
    let latest = begun;
    const show = (next: ImportRun) => {
      latest = next;
      if (controller.current !== abort) return;
      const isOld = shown !== undefined && !next.isDone;
      setCurrentRun(isOld ? { ...next, base: shown.base, refused: shown.refused } : next);
    };
    show(begun);
    try {
      await sendImport(input.text, input.mapping, {
        isCheck: step === "check",
        signal: abort.signal,
        reportEvents: (events) => show(addEvents(latest, events)),
      });
      show({ ...latest, running: false });
    } catch (error) {
      if (!abort.signal.aborted && !(error instanceof CallError)) throw error;
      show({ ...latest, running: false, ...(error instanceof CallError && { error }) });
    }
    if (step === "write") inventoryWriteListeners.notify();
  };
  return {
    run,
    /** Checks the effects of a file and writes nothing. */
    check: (input: ImportInput) => send(createRun("check", input)),
    /** Checks an edited file. Refused rows stay visible until they have a new result. */
    recheck: (input: ImportInput) => send(createRun("check", input), current.current),
    /** Writes the checked file. */
    write: async () => {
      const { input, counts } = current.current ?? {};
      if (input !== undefined) await send({ ...createRun("write", input), ...(counts && { checked: counts }) });
    },
    /** Writes a file that needs no check, such as the sample. */
    writeAll: (input: ImportInput) => send(createRun("write", input)),
    /** Repeats a stopped step: what it has written before is unchanged. */
    continueRun: async () => {
      const { step, input } = current.current ?? {};
      if (step !== undefined && input !== undefined) await send(createRun(step, input));
    },
    stop: () => controller.current?.abort(),
    /** Stops the run and discards its result, after a change of the file. */
    discardRun: () => {
      controller.current?.abort();
      controller.current = undefined;
      setCurrentRun(undefined);
    },
  };
}

function addEvents(run: ImportRun, events: readonly ImportEvent[]): ImportRun {
  const counts = { ...run.counts };
  const refused = [...run.refused];
  let next: ImportRun = { ...run, counts, refused };
  for (const event of events) {
    if (event.event === "written") counts[event.outcome] += 1;
    else if (event.event === "refused") refused.push(event);
    else if (event.event === "progress") next = { ...next, sent: event.done, total: event.total };
    else if (event.event === "end") next = { ...next, isDone: event.state !== "stopped", changes: event.changes ?? [] };
    else if (event.event === "error") {
      next = { ...next, error: new CallError(event.code, simplifyMessage(event.message)) };
    }
  }
  return next;
}
