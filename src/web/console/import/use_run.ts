import { useRef, useState } from "preact/hooks";
import type { ImportEvent, WrittenOutcome } from "#dc/operations/import/wire.ts";
import { formatConstant } from "#words/names.ts";
import { CallError, inventoryWriteListeners } from "../api/client.ts";
import type { ResourceChange } from "../edit/proposal.ts";
import { simplifyMessage } from "../labels.ts";
import { type ColumnMapping, type RefusedRow, sendImport } from "./import_file.ts";

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
