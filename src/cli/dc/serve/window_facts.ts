import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Caller } from "#dc/context.ts";
import { everyWindow } from "#dc/every_window.ts";
import type { DcService } from "#dc/service.ts";
import { type ListedWindow, WindowState } from "#gen/datacenter/v1/windows_pb.ts";
import type { WindowFacts } from "#interfaces/http/metrics.ts";
import { isLate } from "./facts.ts";

/** Age of cached facts, in milliseconds: metrics need no token, and a verdict may take a second after a change. */
const HOLD_MS = 15_000;
/** Ours: windows with a series of their verdict, the earliest first; a collector keeps each for weeks. */
const MAX_SERIES = 100;

/** The server itself, which may read where callers need a token. */
const CALLER: Caller = { interface: "SYSTEM", principal: { name: "metrics", roles: [], authMethod: "none" } };

/** Reads what metrics say about windows, at most once at a time. A scrape waits two seconds at most, then gets the facts before. */
export class OpenWindows {
  readonly #service: DcService;
  #open: readonly ListedWindow[] | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(service: DcService) {
    this.#service = service;
  }

  /** Undefined until windows were read, and while the database does not answer. */
  async facts(now: number = Date.now()): Promise<WindowFacts | undefined> {
    if (performance.now() - this.#askedAt > HOLD_MS) {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = undefined;
      });
      await isLate(this.#asking);
    }
    return this.#open && factsOf(this.#open, now);
  }

  async #ask(): Promise<void> {
    try {
      const states = [WindowState.PLANNED, WindowState.BEGUN];
      this.#open = (await everyWindow(this.#service, CALLER, { states })).windows;
    } catch {
      this.#open = undefined;
    }
    this.#askedAt = performance.now();
  }
}

function factsOf(open: readonly ListedWindow[], now: number): WindowFacts {
  const starts = open.flatMap(({ window }) => {
    const start = window?.startsAt === undefined ? 0 : timestampMs(window.startsAt);
    return window?.state === WindowState.PLANNED && start > now ? start : [];
  });
  const next = starts.length === 0 ? undefined : Math.min(...starts);
  return {
    planned: open.filter(({ window }) => window?.state === WindowState.PLANNED).length,
    begun: open.filter(({ window }) => window?.state === WindowState.BEGUN).length,
    overdue: open.filter(({ window }) => window?.endsAt !== undefined && timestampMs(window.endsAt) <= now).length,
    nextInS: next === undefined ? undefined : (next - now) / 1000,
    verdicts: open.slice(0, MAX_SERIES).map(({ window, verdict }) => [window?.code ?? "", verdict] as const),
  };
}
