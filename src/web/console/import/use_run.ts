import { useRef, useState } from "preact/hooks";
import { CallError } from "../api/client.ts";
import { inventoryWrites } from "../api/written.ts";
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
  readonly goOn: () => Promise<void>;
  readonly stop: () => void;
  /** Stops the run and discards its result, after a change of the file. */
  readonly forget: () => void;
}

const STEPS = { check: checkImportItems, write: sendItems };
const BEGUN = { sent: 0, outcomes: new Map<string, number>(), running: true };

/** Checks and sends items in batches; counts results without storing them, so that 50,000 items need little memory. */
export function useImportRunner(): ImportRunner {
  const [run, setRun] = useState<ImportRun>();
  const current = useRef<ImportRun | undefined>(undefined);
  const rest = useRef<Set<ImportItem>>(new Set());
  const controller = useRef<AbortController | undefined>(undefined);
  const set = (next: ImportRun | undefined) => {
    current.current = next;
    setRun(next);
  };
  const send = async (begun: ImportRun): Promise<void> => {
    const { error: _, ...clean } = begun;
    set({ ...clean, running: true });
    const abort = new AbortController();
    controller.current = abort;
    const mine = () => (controller.current === abort ? current.current : undefined);
    const heard = (results: readonly ItemResult[]) => {
      const last = mine();
      // The results of a stopped call are unknown, so its items are sent again.
      if (last === undefined || abort.signal.aborted) return;
      for (const { item } of results) rest.current.delete(item);
      set(addItemResults(last, results));
    };
    const end = (how: Partial<ImportRun>) => {
      const last = mine();
      if (last !== undefined) set({ ...last, running: false, ...how });
    };
    try {
      await STEPS[begun.step]([...rest.current], { signal: abort.signal, heard, all: begun.parsed.items });
      end({});
    } catch (error) {
      if (!abort.signal.aborted && !(error instanceof CallError)) throw error;
      end(error instanceof CallError ? { error } : {});
    }
    if (begun.step === "write") inventoryWrites.announce();
  };
  const begin = (run: Omit<ImportRun, "total" | "sent" | "outcomes" | "running">, items: readonly ImportItem[]) => {
    rest.current = new Set(items);
    return send({ ...run, ...BEGUN, total: items.length });
  };
  return {
    run,
    check: (parsed) => begin({ parsed, step: "check", failed: [] }, parsed.items),
    recheck: async (parsed) => {
      const last = current.current;
      if (last === undefined) return;
      controller.current?.abort();
      const good = listAcceptedItems(last).filter((item) => !rest.current.has(item));
      rest.current = listUncheckedItems(parsed.items, good);
      // Refused items stay visible until they have a new result.
      const now = new Map(parsed.items.map((item) => [getPositionKey(item), item]));
      const failed = last.failed.flatMap((one) => {
        const item = now.get(getPositionKey(one.item));
        return item === undefined || !rest.current.has(item) ? [] : [{ ...one, item }];
      });
      const [total, sent] = [parsed.items.length, parsed.items.length - rest.current.size];
      await send({ parsed, step: "check", failed, outcomes: last.outcomes, total, sent, running: true });
    },
    write: async () => {
      const checked = current.current;
      if (checked !== undefined)
        await begin({ ...checked, step: "write", checked: checked.outcomes }, listAcceptedItems(checked));
    },
    writeAll: (parsed) => begin({ parsed, step: "write", failed: [] }, parsed.items),
    goOn: async () => {
      if (current.current !== undefined) await send(current.current);
    },
    stop: () => controller.current?.abort(),
    forget: () => {
      controller.current?.abort();
      set(undefined);
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
  const contentOf = ({ line: _, ...content }: ImportItem) => JSON.stringify(content);
  const left = new Map<string, number>();
  for (const content of good.map(contentOf)) left.set(content, (left.get(content) ?? 0) + 1);
  const isUnchecked = (item: ImportItem) => {
    const content = contentOf(item);
    const number = left.get(content) ?? 0;
    left.set(content, number - 1);
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
