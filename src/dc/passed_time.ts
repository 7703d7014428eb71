import { type Clock, readUptime } from "#kernel/clock.ts";
import { MAX_CLOCK_LEAD_MS, READING_KEPT_MS, REQUEST_MEMORY_MS } from "./limits.ts";
import type { DcReader, DcWriter } from "./ports.ts";

const SETTING = "time_passed";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The time that servers of a database saw pass, and the times that their clocks showed meanwhile. */
interface PassedTimeRecord {
  /** Sum in milliseconds, by clocks that no setting of the time changes. */
  readonly passedMs: number;
  /** Time that the clock showed last. */
  readonly shown: number;
  /** The earliest time that was shown in each of the last hours and days that passed, the current one last. */
  readonly hours: readonly number[];
  readonly days: readonly number[];
}

const NOTHING: PassedTimeRecord = { passedMs: 0, shown: 0, hours: [], days: [] };

/**
 * Counts the time that passes while servers run, and removes what expired by it. A stored time expires after the servers
 * of the database saw enough time pass, and if it is then older than every time that a clock showed meanwhile: a clock
 * that is set wrong deletes nothing. Time without any server does not count.
 */
export class PassedTime {
  readonly #clock: Clock;
  /** What had passed when this process began to count, and its uptime then. */
  #base: { readonly passedMs: number; readonly uptime: number } | undefined;
  #countedAt = Number.NEGATIVE_INFINITY;
  /** Time that was shown last, less the uptime then. */
  #offset: number | undefined;
  /** Uptime from which the clock is believed. */
  #settledAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts the time that passed, as part of a write, and removes readings and replies that expired by it. */
  async count(writer: DcWriter): Promise<void> {
    const uptime = readUptime(this.#clock);
    const shown = this.#clock.now().getTime();
    const isShownLater = shown - uptime >= (this.#offset ?? Number.POSITIVE_INFINITY) - 1;
    if (uptime - this.#countedAt < MINUTE_MS && isShownLater) return;
    const before = await readRecord(writer);
    this.#observe(before);
    this.#base ??= { passedMs: before.passedMs, uptime };
    const passedMs = Math.max(before.passedMs, this.#base.passedMs + uptime - this.#base.uptime);
    const span = { from: before.passedMs, to: passedMs, shown };
    const hours = countPeriods(before.hours, span, HOUR_MS, REQUEST_MEMORY_MS);
    const days = countPeriods(before.days, span, DAY_MS, READING_KEPT_MS);
    await writer.setSetting(SETTING, JSON.stringify({ passedMs, shown, hours, days } satisfies PassedTimeRecord));
    const isNew = (unitMs: number) => Math.floor(passedMs / unitMs) > Math.floor(before.passedMs / unitMs);
    if (isNew(HOUR_MS) && hours.length > REQUEST_MEMORY_MS / HOUR_MS)
      await writer.forget(new Date(Math.min(...hours, shown - REQUEST_MEMORY_MS)).toISOString());
    if (isNew(DAY_MS) && days.length > READING_KEPT_MS / DAY_MS)
      await writer.dropReadings(Math.min(...days, shown - READING_KEPT_MS));
    this.#countedAt = uptime;
  }

  /**
   * Whether the clock was not set for five minutes, nor between the last server and this one. Until then, changes that
   * follow from the time alone are not believed.
   */
  async isClockSettled(reader: Pick<DcReader, "setting">): Promise<boolean> {
    this.#observe(this.#offset === undefined ? await readRecord(reader) : NOTHING);
    return readUptime(this.#clock) >= this.#settledAt;
  }

  #observe({ shown }: PassedTimeRecord): void {
    const uptime = readUptime(this.#clock);
    const offset = this.#clock.now().getTime() - uptime;
    const known = this.#offset ?? (shown === 0 ? offset : shown - uptime);
    if (Math.abs(offset - known) > MAX_CLOCK_LEAD_MS) this.#settledAt = uptime + MAX_CLOCK_LEAD_MS;
    this.#offset = offset;
  }
}

async function readRecord(reader: Pick<DcReader, "setting">): Promise<PassedTimeRecord> {
  const kept = await reader.setting(SETTING);
  return kept === undefined ? NOTHING : (JSON.parse(kept) as PassedTimeRecord);
}

/** Adds the periods that began, and lowers the current one to the time that is shown. */
function countPeriods(
  before: readonly number[],
  { from, to, shown }: { readonly from: number; readonly to: number; readonly shown: number },
  unitMs: number,
  keptMs: number,
): readonly number[] {
  const most = keptMs / unitMs + 1;
  const begun = Math.min(most, Math.floor(to / unitMs) - Math.floor(from / unitMs));
  const last = Math.min(shown, before.at(-1) ?? shown);
  return [...before.slice(0, -1), last, ...Array.from({ length: begun }, () => shown)].slice(-most);
}
