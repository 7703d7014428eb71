import type { WindowTimeZone as SiteTimeZone } from "#gen/datacenter/v1/messages.ts";
import { isTimeZone } from "#kernel/zoned_time.ts";

/** The label of a rack that names the zone of its site. */
const LABEL = "time_zone";

interface Labelled {
  readonly code: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The zone that the label of all racks names that have one, else UTC and why. Source: docs/windows.md#time-zones. */
export function siteTimeZone(racks: readonly Labelled[]): SiteTimeZone {
  const first = new Map<string, string>();
  for (const { code, labels } of racks) {
    const name = labels?.[LABEL] ?? "";
    if (name !== "" && !first.has(name)) first.set(name, code);
  }
  const utc = (note: string, ambiguous = false) => ({ name: "UTC", note, ambiguous });
  const [name, ...others] = first.keys();
  if (name === undefined) return utc(`no rack has the label ${LABEL}`);
  for (const [one, code] of first)
    if (!isTimeZone(one)) return utc(`the label ${LABEL} of rack ${code} is "${one}", which is no IANA name`);
  if (others.length === 0) return { name, note: "", ambiguous: false };
  return utc(`racks have different labels ${LABEL}: ${[...first.keys()].sort().join(", ")}`, true);
}
