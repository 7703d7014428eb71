import type { LimitSettings } from "../../config/config.ts";
import { explainExceededLimit } from "../../work/run_limits.ts";
import type { Usage } from "../../work/usage.ts";

/** Maximum interval between checks of a silent agent, in milliseconds; short compared with any sensible limit. */
const LONGEST_PAUSE_MS = 15_000;

/** Minimum share of processor time of an active agent. Chosen by planner: an idle agent uses none. */
const BUSY_SHARE = 0.05;

export interface ActivitySource {
  /** Processor milliseconds of the agent and all processes it started; null if the system does not report them. */
  cpuMs(): number | null;
  /** Time of the last change of a file in the agent's folder, in milliseconds since 1970. */
  lastChange(): Promise<number>;
  now(): number;
}

/** Ends a run that reaches one of its limits. */
export class LimitWatch {
  readonly #limits: LimitSettings;
  readonly #signs: ActivitySource;
  readonly #end: () => void;
  readonly #timers: ReturnType<typeof setTimeout>[] = [];
  #heardAt: number;
  #cpu: number | null;
  #lookedAt: number;
  #reached: string | null = null;

  /** @param end called once, with the first limit that is reached */
  constructor(limits: LimitSettings, signs: ActivitySource, end: () => void) {
    this.#limits = limits;
    this.#signs = signs;
    this.#end = end;
    this.#heardAt = signs.now();
    this.#lookedAt = this.#heardAt;
    this.#cpu = signs.cpuMs();
    const { run_seconds: longest, silence_seconds: silence } = limits;
    if (longest !== null) {
      const reason = `it reached limits.run_seconds: ${longest}`;
      this.#timers.push(setTimeout(() => this.#reach(reason), longest * 1000));
    }
    if (silence !== null) {
      const pause = Math.min((silence * 1000) / 4, LONGEST_PAUSE_MS);
      this.#timers.push(setInterval(() => void this.#look(silence).catch(() => {}), pause));
    }
  }

  /** Reason why a limit ended the run; null if none was reached. */
  get reached(): string | null {
    return this.#reached;
  }

  heard(usage: Usage | null): void {
    this.#heardAt = this.#signs.now();
    const reason = explainExceededLimit(usage, this.#limits);
    if (reason !== null) this.#reach(reason);
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #look(seconds: number): Promise<void> {
    const now = this.#signs.now();
    const cpu = this.#signs.cpuMs();
    if (cpu !== null && this.#cpu !== null && cpu - this.#cpu > BUSY_SHARE * (now - this.#lookedAt))
      this.#heardAt = now;
    this.#cpu = cpu;
    this.#lookedAt = now;
    if (now - this.#heardAt < seconds * 1000) return;
    const changed = await this.#signs.lastChange();
    if (changed > this.#heardAt) this.#heardAt = changed;
    else
      this.#reach(
        `it reached limits.silence_seconds: ${seconds} without output, a changed file or use of the processor`,
      );
  }

  #reach(reason: string): void {
    if (this.#reached !== null) return;
    this.#reached = reason;
    this.close();
    this.#end();
  }
}
