import { type CracStatus, FLUID_TYPES } from "#dc/model/enum_values.ts";
import type { Crac } from "#dc/model/resources.ts";
import { assignCodes } from "../codes.ts";
import { removeEmptyFields } from "../item.ts";
import { convertToEnumWord } from "../values.ts";
import { readNumberCell, readTextCell } from "./dataset.ts";
import type { NetboxMapping } from "./mapping.ts";
import { listKnownCodes } from "./racks.ts";
import type { NetboxRow } from "./read_row.ts";

const STATUSES: Readonly<Record<string, CracStatus>> = {
  active: "ACTIVE",
  offline: "OFFLINE",
  planned: "PLANNED",
  failed: "FAILED",
};

/**
 * Maps the CRACs and CRAHs among the cooling sources of NetBox 4.7, with the racks that their feeds name. The inventory
 * cannot store other sources.
 */
export function mapCooling(mapping: NetboxMapping): void {
  const { data, options, where } = mapping;
  const named = data.all("coolingsource").map((one) => ({
    id: one.id,
    name: readTextCell(one, "name"),
    within: [where.site(data.named("site", one, "site"))],
  }));
  const codes = assignCodes(named, listKnownCodes(options.known, "coolingsource/"), options.foreign.crac, "cooling");
  const feeds = data.grouped("coolingfeed", "source");
  for (const row of data.all("coolingsource")) {
    const kind = convertToEnumWord(["CRAC", "CRAH"], readTextCell(row, "type"));
    const capacity = readNumberCell(row, "cooling_capacity");
    const location = where.of(row);
    const code = codes.get(row.id);
    if (kind === undefined)
      mapping.omit("A cooling source that is neither CRAC nor CRAH", "coolingsource", row, readTextCell(row, "type"));
    else if (capacity === undefined || capacity <= 0)
      mapping.omit("A cooling unit without a capacity", "coolingsource", row);
    else if (location === undefined || code === undefined)
      mapping.omit("A cooling unit names no site that exists", "coolingsource", row);
    else {
      const resource = removeEmptyFields<Crac>({
        code,
        name: mapping.short("coolingsource", row, "name"),
        kind,
        status: STATUSES[readTextCell(row, "status")],
        location,
        sensibleCapacityKw: capacity,
        fluid: convertToEnumWord(FLUID_TYPES, readTextCell(row, "fluid_type")),
        serves: findFeedRacks(mapping, feeds.get(row.id) ?? []),
        ...mapping.remarks("coolingsource", row),
      });
      mapping.items.push({ kind: "crac", id: `coolingsource/${row.id}`, resource });
    }
  }
}

/** Returns references of the racks that feeds name; undefined if none, because the unit then cools its room. */
function findFeedRacks({ racks }: NetboxMapping, feeds: readonly NetboxRow[]): readonly string[] | undefined {
  const codes = feeds.map((feed) => racks.get(readTextCell(feed, "rack"))).filter((code) => code !== undefined);
  return codes.length === 0 ? undefined : [...new Set(codes)].map((code) => `rack:${code}`);
}
