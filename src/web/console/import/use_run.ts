import { useRef, useState } from "preact/hooks";
import { CallError } from "../api/client.ts";
import { written } from "../api/written.ts";
import type { Item, Parsed } from "./parse_items.ts";
import { type Sent, sendItems } from "./send_items.ts";

/** How far an import is. */
export interface Run {
  readonly parsed: Parsed;
  readonly sent: number;
  /** How often each outcome was answered. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly failed: readonly Sent[];
  readonly validateOnly: boolean;
  readonly running: boolean;
  /** Why the rest was not sent. */
  readonly error?: CallError;
}

export interface Running {
  readonly run: Run | undefined;
  readonly start: (parsed: Parsed, validateOnly: boolean) => Promise<void>;
  /** Sends what was not answered yet. */
  readonly goOn: () => Promise<void>;
  readonly stop: () => void;
}

/** Sends items in batches. Counts the results instead of storing them, so that 50,000 items need little memory. */
export function useRun(): Running {
  const [run, setRun] = useState<Run>();
  const current = useRef<Run | undefined>(undefined);
  const rest = useRef<ReadonlySet<Item>>(new Set());
  const controller = useRef<AbortController | undefined>(undefined);
  const set = (next: Run) => {
    current.current = next;
    setRun(next);
  };
  const heard = (results: readonly Sent[]) => {
    const last = current.current;
    if (last === undefined) return;
    const outcomes = new Map(last.outcomes);
    const left = rest.current as Set<Item>;
    for (const { item, outcome } of results) {
      left.delete(item);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    const failed = results.filter(({ error }) => error !== "");
    set({
      ...last,
      sent: last.sent + results.length,
      outcomes,
      failed: failed.length === 0 ? last.failed : [...last.failed, ...failed],
    });
  };
  const send = async (begun: Run): Promise<void> => {
    const { error: _error, ...clean } = begun;
    set({ ...clean, running: true });
    const abort = new AbortController();
    controller.current = abort;
    try {
      await sendItems([...rest.current], { validateOnly: begun.validateOnly, signal: abort.signal, heard });
      set({ ...(current.current ?? begun), running: false });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      set({ ...(current.current ?? begun), running: false, error });
    }
    if (!begun.validateOnly) written.announce();
  };
  return {
    run,
    start: (parsed, validateOnly) => {
      rest.current = new Set(parsed.items);
      return send({ parsed, sent: 0, outcomes: new Map(), failed: [], validateOnly, running: true });
    },
    goOn: async () => {
      if (current.current !== undefined) await send(current.current);
    },
    stop: () => controller.current?.abort(),
  };
}
