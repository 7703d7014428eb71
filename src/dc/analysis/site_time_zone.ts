import type { WindowTimeZone as SiteTimeZone } from "#gen/datacenter/v1/messages.ts";
import { isTimeZone } from "#kernel/clock.ts";

/** Label of a rack with the time zone of its site. */
const TIME_ZONE_LABEL = "time_zone";

interface LabelledRack {
  readonly code: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Returns the time zone of all labelled racks, otherwise UTC with the reason. Source: docs/windows.md#time-zones. */
export function findSiteTimeZone(racks: readonly LabelledRack[]): SiteTimeZone {
  const first = new Map<string, string>();
  for (const { code, labels } of racks) {
    const name = labels?.[TIME_ZONE_LABEL] ?? "";
    if (name !== "" && !first.has(name)) first.set(name, code);
  }
  const utc = (note: string, ambiguous = false) => ({ name: "UTC", note, ambiguous });
  const [name, ...others] = first.keys();
  if (name === undefined) return utc(`no rack has the label ${TIME_ZONE_LABEL}`);
  for (const [one, code] of first)
    if (!isTimeZone(one)) return utc(`the label ${TIME_ZONE_LABEL} of rack ${code} is "${one}", which is no IANA name`);
  if (others.length === 0) return { name, note: "", ambiguous: false };
  return utc(`racks have different labels ${TIME_ZONE_LABEL}: ${[...first.keys()].sort().join(", ")}`, true);
}
