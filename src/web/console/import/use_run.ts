import { useRef, useState } from "preact/hooks";
import { CallError } from "../api/client.ts";
import { inventoryWrites } from "../api/written.ts";
import { checkItems } from "./check_items.ts";
import type { Item, Parsed } from "./parse_items.ts";
import { type Sent, sendItems } from "./send_items.ts";

/** How often each outcome was answered. */
export type Outcomes = ReadonlyMap<string, number>;

/** How far an import is. */
export interface Run {
  readonly parsed: Parsed;
  /** Whether the file is being checked, or what was checked is being written. */
  readonly step: "check" | "write";
  /** Items of the step. */
  readonly total: number;
  readonly sent: number;
  readonly outcomes: Outcomes;
  /** What the check promised, once something is being written. */
  readonly checked?: Outcomes;
  /** Items that the check or the writing refused. */
  readonly failed: readonly Sent[];
  readonly running: boolean;
  /** Why the rest was not sent. */
  readonly error?: CallError;
}

export interface Running {
  readonly run: Run | undefined;
  /** Asks what a file would do; nothing is written. */
  readonly check: (parsed: Parsed) => Promise<void>;
  /** Checks what was refused, or has changed, of the file as it is now; what was found good stays so. */
  readonly recheck: (parsed: Parsed) => Promise<void>;
  /** Writes what the check found good, of the file as it was checked. */
  readonly write: () => Promise<void>;
  /** Writes a file that needs no check, such as the sample. */
  readonly writeAll: (parsed: Parsed) => Promise<void>;
  /** Sends what was not answered yet. */
  readonly goOn: () => Promise<void>;
  readonly stop: () => void;
  /** Forgets a check, since the file has changed. */
  readonly forget: () => void;
}

const STEPS = { check: checkItems, write: sendItems };
const BEGUN = { sent: 0, outcomes: new Map<string, number>(), running: true };

/** Checks and sends items in batches. Counts the results instead of storing them, so that 50,000 items need little memory. */
export function useRun(): Running {
  const [run, setRun] = useState<Run>();
  const current = useRef<Run | undefined>(undefined);
  const rest = useRef<Set<Item>>(new Set());
  const controller = useRef<AbortController | undefined>(undefined);
  const set = (next: Run | undefined) => {
    current.current = next;
    setRun(next);
  };
  const send = async (begun: Run): Promise<void> => {
    const { error: _, ...clean } = begun;
    set({ ...clean, running: true });
    const abort = new AbortController();
    controller.current = abort;
    const mine = () => (controller.current === abort ? current.current : undefined);
    const heard = (results: readonly Sent[]) => {
      const last = mine();
      // Of what was under way when it was stopped nothing is known: it is sent again.
      if (last === undefined || abort.signal.aborted) return;
      for (const { item } of results) rest.current.delete(item);
      set(withResults(last, results));
    };
    const end = (how: Partial<Run>) => {
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
  const begin = (run: Omit<Run, "total" | "sent" | "outcomes" | "running">, items: readonly Item[]) => {
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
      const good = goodItems(last).filter((item) => !rest.current.has(item));
      rest.current = uncheckedItems(parsed.items, good);
      // What was refused is shown until it is answered anew.
      const now = new Map(parsed.items.map((item) => [placeOf(item), item]));
      const failed = last.failed.flatMap((one) => {
        const item = now.get(placeOf(one.item));
        return item === undefined || !rest.current.has(item) ? [] : [{ ...one, item }];
      });
      const [total, sent] = [parsed.items.length, parsed.items.length - rest.current.size];
      await send({ parsed, step: "check", failed, outcomes: last.outcomes, total, sent, running: true });
    },
    write: async () => {
      const checked = current.current;
      if (checked !== undefined)
        await begin({ ...checked, step: "write", checked: checked.outcomes }, goodItems(checked));
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

/** Whether everything was answered. */
export function isDone({ running, sent, total }: Run): boolean {
  return !running && sent === total;
}

/** Where an item is in the file, whatever it holds. */
function placeOf({ kind, line }: Item): string {
  return `${kind} ${line}`;
}

/** Items that are none of those found good. Not by their lines: a correction may take lines away. */
export function uncheckedItems(items: readonly Item[], good: readonly Item[]): Set<Item> {
  const contentOf = ({ line: _, ...content }: Item) => JSON.stringify(content);
  const left = new Map<string, number>();
  for (const content of good.map(contentOf)) left.set(content, (left.get(content) ?? 0) + 1);
  const isUnchecked = (item: Item) => {
    const content = contentOf(item);
    const number = left.get(content) ?? 0;
    left.set(content, number - 1);
    return number <= 0;
  };
  return new Set(items.filter(isUnchecked));
}

/** Items that the check did not refuse. */
export function goodItems({ parsed, failed }: Run): readonly Item[] {
  const refused = new Set(failed.map(({ item }) => item));
  return parsed.items.filter((item) => !refused.has(item));
}

function withResults(run: Run, results: readonly Sent[]): Run {
  const outcomes = new Map(run.outcomes);
  for (const { outcome } of results) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const failed = results.filter(({ problems }) => problems.length > 0);
  const heard = new Set(results.map(({ item }) => item));
  const others = run.failed.filter(({ item }) => !heard.has(item));
  return { ...run, sent: run.sent + results.length, outcomes, failed: [...others, ...failed] };
}
