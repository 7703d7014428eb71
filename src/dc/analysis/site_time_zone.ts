import type { WindowTimeZone as SiteTimeZone } from "#gen/datacenter/v1/messages.ts";
import { isTimeZone } from "#kernel/zoned_time.ts";

/** Label of a rack with the time zone of its site. */
const LABEL = "time_zone";

interface Labelled {
  readonly code: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Returns the time zone of all labelled racks, otherwise UTC with the reason. Source: docs/windows.md#time-zones. */
export function findSiteTimeZone(racks: readonly Labelled[]): SiteTimeZone {
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
