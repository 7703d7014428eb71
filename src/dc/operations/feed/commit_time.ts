import type { DcReader, DcWriter } from "#dc/ports.ts";

/** A hybrid logical clock reading: nanoseconds since 1970 and a counter for equal ones. Source: CockroachDB, Follower reads. */
interface Reading {
  readonly wallNs: bigint;
  readonly logical: number;
}

const HLC = /^(\d{1,20})(?:\.(\d{1,10}))?$/;

function readHlc(text: string): Reading | undefined {
  const [, wall, logical = "0"] = HLC.exec(text) ?? [];
  return wall === undefined ? undefined : { wallNs: BigInt(wall), logical: Number(logical) };
}

/** Whether `text` is a clock reading: `<nanoseconds>.<counter>`. */
export function isHlc(text: unknown): text is string {
  return typeof text === "string" && readHlc(text) !== undefined;
}

/** Whether the reading `a` is later than `b`. Nineteen digits do not fit a number, and lengths differ. */
export function isLater(a: string, b: string): boolean {
  const [first, second] = [readHlc(a), readHlc(b)];
  if (first === undefined || second === undefined) return second === undefined;
  return first.wallNs === second.wallNs ? first.logical > second.logical : first.wallNs > second.wallNs;
}

/** The moment of a reading, ISO 8601 in UTC. */
export function hlcMoment(text: string): string | undefined {
  const reading = readHlc(text);
  return reading === undefined ? undefined : msMoment(Number(reading.wallNs / 1_000_000n));
}

/** The moment `ms` milliseconds after 1970, or undefined beyond the calendar. */
export function msMoment(ms: number): string | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 ? undefined : date.toISOString();
}

const SETTING = "feed_resolved";

/** Reads the resolved timestamp of each feed, by its name. */
async function readResolved(reader: DcReader): Promise<Readonly<Record<string, string>>> {
  return JSON.parse((await reader.setting(SETTING)) ?? "{}");
}

/** Stores a feed's resolved timestamp. An older one, which is sent again after a restart, is ignored. */
export async function raiseResolved(writer: DcWriter, feed: string, resolved: string): Promise<void> {
  const known = await readResolved(writer);
  const before = known[feed];
  if (before !== undefined && !isLater(resolved, before)) return;
  await writer.setSetting(SETTING, JSON.stringify({ ...known, [feed]: resolved }));
}

/** The moment up to which every feed has delivered, ISO 8601 in UTC; undefined without a feed. */
export async function resolvedThrough(reader: DcReader): Promise<string | undefined> {
  const readings = Object.values(await readResolved(reader));
  const earliest = readings.reduce<string | undefined>(
    (least, one) => (least === undefined || isLater(least, one) ? one : least),
    undefined,
  );
  return earliest === undefined ? undefined : hlcMoment(earliest);
}
