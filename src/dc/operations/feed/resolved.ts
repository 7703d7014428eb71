import type { DcReader, DcWriter } from "#dc/ports.ts";
import { hlcMoment, isLater } from "./commit_time.ts";

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
