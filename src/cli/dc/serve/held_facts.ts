/** Longest wait of a scrape for facts that it cannot do without, in milliseconds. Ours: collectors time out after ten seconds. */
const PATIENCE_MS = 2000;
/** Longest wait for newer facts than those that are there, in milliseconds. Ours: small sites answer in this time. */
const SHORT_MS = 100;

interface HeldOptions<Facts> {
  readonly ask: () => Promise<Facts>;
  /** How long facts hold, in milliseconds: metrics need no token, so asking often must cost nothing. */
  readonly holdMs: number;
  /** Share of the time that may be spent on reading them; 1 if absent. */
  readonly share?: number;
  /** Whether facts are given that are older than that while they are read again, rather than none. */
  readonly keepsLate: boolean;
}

/** Facts that are read when they are asked for, at most once at a time and once in their holding time. */
export class HeldFacts<Facts> {
  readonly #options: HeldOptions<Facts>;
  #facts: Facts | undefined;
  #dueAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(options: HeldOptions<Facts>) {
    this.#options = options;
  }

  /** Undefined until they were read, and while they cannot be read. */
  async now(): Promise<Facts | undefined> {
    const { keepsLate } = this.#options;
    if (performance.now() > this.#dueAt) {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = undefined;
      });
      const isFirst = this.#dueAt === Number.NEGATIVE_INFINITY;
      const isLate = await isLater(this.#asking, keepsLate && !isFirst ? SHORT_MS : PATIENCE_MS);
      if (isLate && !keepsLate) this.#facts = undefined;
    }
    return this.#facts;
  }

  async #ask(): Promise<void> {
    const { ask, holdMs, share = 1 } = this.#options;
    const begun = performance.now();
    try {
      this.#facts = await ask();
    } catch {
      this.#facts = undefined;
    }
    const ended = performance.now();
    this.#dueAt = ended + Math.max(holdMs, (ended - begun) / share);
  }
}

/** Whether work takes longer than a time in milliseconds. */
async function isLater(work: Promise<void>, patienceMs: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<true>((resolve) => {
    timer = setTimeout(() => resolve(true), patienceMs);
  });
  const isLate = await Promise.race([work.then(() => false), late]);
  clearTimeout(timer);
  return isLate;
}
