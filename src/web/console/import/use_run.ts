import { useRef, useState } from "preact/hooks";
import { CallError } from "../api/client.ts";
import { inventoryWriteListeners } from "../api/written.ts";
import { checkImportItems } from "./check_items.ts";
import type { ImportItem, ParsedFile } from "./parse_items.ts";
import { type ItemResult, sendItems } from "./send_items.ts";

/** Number of items by outcome. */
export type OutcomeCounts = ReadonlyMap<string, number>;

/** Progress of an import. */
export interface ImportRun {
  readonly parsed: ParsedFile;
  /** Whether the file is being checked or the checked items are being written. */
  readonly step: "check" | "write";
  /** Number of items in the step. */
  readonly total: number;
  readonly sent: number;
  readonly outcomes: OutcomeCounts;
  /** Outcomes of the check; set once the write has begun. */
  readonly checked?: OutcomeCounts;
  /** Items that the check or the write refused. */
  readonly failed: readonly ItemResult[];
  readonly running: boolean;
  /** Error that stopped the step before all items were sent. */
  readonly error?: CallError;
}

export interface ImportRunner {
  readonly run: ImportRun | undefined;
  /** Checks the effects of a file and writes nothing. */
  readonly check: (parsed: ParsedFile) => Promise<void>;
  /** Checks the refused and changed items of an edited file; accepted items keep their result. */
  readonly recheck: (parsed: ParsedFile) => Promise<void>;
  /** Writes the accepted items of the checked file. */
  readonly write: () => Promise<void>;
  /** Writes a file that needs no check, such as the sample. */
  readonly writeAll: (parsed: ParsedFile) => Promise<void>;
  /** Sends the items that have no result yet. */
  readonly continueRun: () => Promise<void>;
  readonly stop: () => void;
  /** Stops the run and discards its result, after a change of the file. */
  readonly discardRun: () => void;
}

const STEP_FUNCTIONS = { check: checkImportItems, write: sendItems };
const INITIAL_COUNTS = { sent: 0, outcomes: new Map<string, number>(), running: true };

/** Checks and sends items in batches; counts results without storing them, so that 50,000 items need little memory. */
export function useImportRunner(): ImportRunner {
  const [run, setRun] = useState<ImportRun>();
  const current = useRef<ImportRun | undefined>(undefined);
  const pendingItems = useRef<Set<ImportItem>>(new Set());
  const controller = useRef<AbortController | undefined>(undefined);
  const setCurrentRun = (next: ImportRun | undefined) => {
    current.current = next;
    setRun(next);
  };
  const sendPendingItems = async (begun: ImportRun): Promise<void> => {
    const { error: _, ...clean } = begun;
    setCurrentRun({ ...clean, running: true });
    const abort = new AbortController();
    controller.current = abort;
    const getOwnRun = () => (controller.current === abort ? current.current : undefined);
    const addResults = (results: readonly ItemResult[]) => {
      const last = getOwnRun();
      // The results of a stopped call are unknown, so its items are sent again.
      if (last === undefined || abort.signal.aborted) return;
      for (const { item } of results) pendingItems.current.delete(item);
      setCurrentRun(addItemResults(last, results));
    };
    const endRun = (how: Partial<ImportRun>) => {
      const last = getOwnRun();
      if (last !== undefined) setCurrentRun({ ...last, running: false, ...how });
    };
    try {
      await STEP_FUNCTIONS[begun.step]([...pendingItems.current], {
        signal: abort.signal,
        reportResults: addResults,
        all: begun.parsed.items,
      });
      endRun({});
    } catch (error) {
      if (!abort.signal.aborted && !(error instanceof CallError)) throw error;
      endRun(error instanceof CallError ? { error } : {});
    }
    if (begun.step === "write") inventoryWriteListeners.notify();
  };
  const beginRun = (run: Omit<ImportRun, "total" | "sent" | "outcomes" | "running">, items: readonly ImportItem[]) => {
    pendingItems.current = new Set(items);
    return sendPendingItems({ ...run, ...INITIAL_COUNTS, total: items.length });
  };
  return {
    run,
    check: (parsed) => beginRun({ parsed, step: "check", failed: [] }, parsed.items),
    recheck: async (parsed) => {
      const last = current.current;
      if (last === undefined) return;
      controller.current?.abort();
      const good = listAcceptedItems(last).filter((item) => !pendingItems.current.has(item));
      pendingItems.current = listUncheckedItems(parsed.items, good);
      // Refused items stay visible until they have a new result.
      const now = new Map(parsed.items.map((item) => [getPositionKey(item), item]));
      const failed = last.failed.flatMap((one) => {
        const item = now.get(getPositionKey(one.item));
        return item === undefined || !pendingItems.current.has(item) ? [] : [{ ...one, item }];
      });
      const [total, sent] = [parsed.items.length, parsed.items.length - pendingItems.current.size];
      await sendPendingItems({ parsed, step: "check", failed, outcomes: last.outcomes, total, sent, running: true });
    },
    write: async () => {
      const checked = current.current;
      if (checked !== undefined)
        await beginRun({ ...checked, step: "write", checked: checked.outcomes }, listAcceptedItems(checked));
    },
    writeAll: (parsed) => beginRun({ parsed, step: "write", failed: [] }, parsed.items),
    continueRun: async () => {
      if (current.current !== undefined) await sendPendingItems(current.current);
    },
    stop: () => controller.current?.abort(),
    discardRun: () => {
      controller.current?.abort();
      setCurrentRun(undefined);
    },
  };
}

/** Whether every item has a result. */
export function isRunDone({ running, sent, total }: ImportRun): boolean {
  return !running && sent === total;
}

/** Returns the position of an item in the file, as a key. */
function getPositionKey({ kind, line }: ImportItem): string {
  return `${kind} ${line}`;
}

/** Returns the items that are not among the accepted ones. Compares their content, as a correction may remove lines. */
export function listUncheckedItems(items: readonly ImportItem[], good: readonly ImportItem[]): Set<ImportItem> {
  const getContent = ({ line: _, ...content }: ImportItem) => JSON.stringify(content);
  const remainingCounts = new Map<string, number>();
  for (const content of good.map(getContent)) remainingCounts.set(content, (remainingCounts.get(content) ?? 0) + 1);
  const isUnchecked = (item: ImportItem) => {
    const content = getContent(item);
    const number = remainingCounts.get(content) ?? 0;
    remainingCounts.set(content, number - 1);
    return number <= 0;
  };
  return new Set(items.filter(isUnchecked));
}

/** Returns the items that the check accepted. */
export function listAcceptedItems({ parsed, failed }: ImportRun): readonly ImportItem[] {
  const refused = new Set(failed.map(({ item }) => item));
  return parsed.items.filter((item) => !refused.has(item));
}

function addItemResults(run: ImportRun, results: readonly ItemResult[]): ImportRun {
  const outcomes = new Map(run.outcomes);
  for (const { outcome } of results) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const failed = results.filter(({ problems }) => problems.length > 0);
  const heard = new Set(results.map(({ item }) => item));
  const others = run.failed.filter(({ item }) => !heard.has(item));
  return { ...run, sent: run.sent + results.length, outcomes, failed: [...others, ...failed] };
}
