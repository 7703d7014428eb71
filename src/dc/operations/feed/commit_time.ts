import { MAX_CLOCK_LEAD_MS } from "#dc/limits.ts";
import type { DcReader, DcWriter } from "#dc/ports.ts";

/**
 * A hybrid logical clock reading: nanoseconds since 1970, and a counter that orders equal ones.
 * Source: CockroachDB, Follower reads.
 */
interface ClockReading {
  readonly wallNs: bigint;
  readonly logical: number;
}

const HLC_PATTERN = /^(\d{1,20})(?:\.(\d{1,10}))?$/;

function parseHlc(text: string): ClockReading | undefined {
  const [, wall, logical = "0"] = HLC_PATTERN.exec(text) ?? [];
  return wall === undefined ? undefined : { wallNs: BigInt(wall), logical: Number(logical) };
}

/** Whether `text` is a clock reading: `<nanoseconds>.<counter>`. */
export function isHlc(text: unknown): text is string {
  return typeof text === "string" && parseHlc(text) !== undefined;
}

/**
 * Whether clock reading `a` is later than `b`, or `b` is unreadable. Compares big integers, because a reading has
 * nineteen digits.
 */
export function isLaterHlc(a: string, b: string): boolean {
  const [first, second] = [parseHlc(a), parseHlc(b)];
  if (first === undefined || second === undefined) return second === undefined;
  return first.wallNs === second.wallNs ? first.logical > second.logical : first.wallNs > second.wallNs;
}

/**
 * Returns the time of a clock reading, ISO 8601 in UTC; undefined for unreadable text or a time after the year 9999.
 */
export function convertHlcToIso(text: string): string | undefined {
  const reading = parseHlc(text);
  return reading === undefined ? undefined : convertMsToIso(Number(reading.wallNs / 1_000_000n));
}

/** Converts milliseconds since 1970 to ISO 8601 in UTC; undefined outside of the range of dates. */
export function convertMsToIso(ms: number): string | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 ? undefined : date.toISOString();
}

const RESOLVED_SETTING = "feed_resolved";

/** Reads the resolved timestamp of each feed, by the feed's name. */
async function readResolvedTimestamps(reader: DcReader): Promise<Readonly<Record<string, string>>> {
  return JSON.parse((await reader.setting(RESOLVED_SETTING)) ?? "{}");
}

/**
 * Stores a feed's resolved timestamp. Ignores an older one, which a feed sends again after a restart, unless a wrong
 * clock made the stored one.
 *
 * @param now milliseconds since 1970
 */
export async function raiseResolvedTimestamp(
  writer: DcWriter,
  { feed, resolved, now }: { readonly feed: string; readonly resolved: string; readonly now: number },
): Promise<void> {
  const known = await readResolvedTimestamps(writer);
  const before = known[feed];
  const isKept = before !== undefined && Date.parse(convertHlcToIso(before) ?? "") <= now + MAX_CLOCK_LEAD_MS;
  if (isKept && !isLaterHlc(resolved, before)) return;
  await writer.setSetting(RESOLVED_SETTING, JSON.stringify({ ...known, [feed]: resolved }));
}

/** Returns the time up to which every feed has delivered, ISO 8601 in UTC; undefined without a feed. */
export async function readResolvedTime(reader: DcReader): Promise<string | undefined> {
  const readings = Object.values(await readResolvedTimestamps(reader));
  const earliest = readings.reduce<string | undefined>(
    (least, one) => (least === undefined || isLaterHlc(least, one) ? one : least),
    undefined,
  );
  return earliest === undefined ? undefined : convertHlcToIso(earliest);
}
