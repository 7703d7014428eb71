import type { LimitSettings } from "../../config/config.ts";
import { explainExceededLimit } from "../../work/run_limits.ts";
import type { Usage } from "../../work/usage.ts";

/** Maximum interval between checks of a silent agent, in milliseconds; short compared with any sensible limit. */
const MAX_CHECK_INTERVAL_MS = 15_000;

/** Minimum share of processor time of an active agent. Chosen by planner: an idle agent uses none. */
const BUSY_SHARE = 0.05;

export interface ActivitySource {
  /** Processor milliseconds of the agent and all processes it started; null if the system does not report them. */
  cpuMs(): number | null;
  /** Time of the last change of a file in the agent's folder, in milliseconds since 1970. */
  readLastChangeTime(): Promise<number>;
  now(): number;
}

/** Ends a run that reaches one of its limits. */
export class LimitWatch {
  readonly #limits: LimitSettings;
  readonly #activity: ActivitySource;
  readonly #end: () => void;
  readonly #timers: ReturnType<typeof setTimeout>[] = [];
  #activeAt: number;
  #cpu: number | null;
  #checkedAt: number;
  #reached: string | null = null;

  /** @param end called once, when the first limit is reached */
  constructor(limits: LimitSettings, signs: ActivitySource, end: () => void) {
    this.#limits = limits;
    this.#activity = signs;
    this.#end = end;
    this.#activeAt = signs.now();
    this.#checkedAt = this.#activeAt;
    this.#cpu = signs.cpuMs();
    const { run_seconds: longest, silence_seconds: silence } = limits;
    if (longest !== null) {
      const reason = `it reached limits.run_seconds: ${longest}`;
      this.#timers.push(setTimeout(() => this.#endByLimit(reason), longest * 1000));
    }
    if (silence !== null) {
      const pause = Math.min((silence * 1000) / 4, MAX_CHECK_INTERVAL_MS);
      this.#timers.push(setInterval(() => void this.#checkSilence(silence).catch(() => {}), pause));
    }
  }

  /** Reason why a limit ended the run; null if none was reached. */
  get reachedLimit(): string | null {
    return this.#reached;
  }

  heard(usage: Usage | null): void {
    this.#activeAt = this.#activity.now();
    const reason = explainExceededLimit(usage, this.#limits);
    if (reason !== null) this.#endByLimit(reason);
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #checkSilence(seconds: number): Promise<void> {
    const now = this.#activity.now();
    const cpu = this.#activity.cpuMs();
    if (cpu !== null && this.#cpu !== null && cpu - this.#cpu > BUSY_SHARE * (now - this.#checkedAt))
      this.#activeAt = now;
    this.#cpu = cpu;
    this.#checkedAt = now;
    if (now - this.#activeAt < seconds * 1000) return;
    const changed = await this.#activity.readLastChangeTime();
    if (changed > this.#activeAt) this.#activeAt = changed;
    else
      this.#endByLimit(
        `it reached limits.silence_seconds: ${seconds} without output, a changed file or use of the processor`,
      );
  }

  #endByLimit(reason: string): void {
    if (this.#reached !== null) return;
    this.#reached = reason;
    this.close();
    this.#end();
  }
}
