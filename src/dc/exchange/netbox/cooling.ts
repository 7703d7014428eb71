import { type CracStatus, FLUID_TYPES } from "#dc/model/enum_values.ts";
import type { Crac } from "#dc/model/resources.ts";
import { assignCodes } from "../codes.ts";
import { removeEmptyFields } from "../item.ts";
import { convertToEnumValue } from "../values.ts";
import { readNumberCell, readTextCell } from "./dataset.ts";
import type { NetboxMapping } from "./mapping.ts";
import { listKnownCodes } from "./racks.ts";
import type { NetboxRow } from "./read_row.ts";

const STATUS_BY_NAME: Readonly<Record<string, CracStatus>> = {
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
    within: [where.getSiteCode(data.findReferencedRow("site", one, "site"))],
  }));
  const codes = assignCodes(named, listKnownCodes(options.known, "coolingsource/"), options.foreign.crac, "cooling");
  const feeds = data.groupRowsByField("coolingfeed", "source");
  for (const row of data.all("coolingsource")) {
    const kind = convertToEnumValue(["CRAC", "CRAH"], readTextCell(row, "type"));
    const capacity = readNumberCell(row, "cooling_capacity");
    const location = where.findLocation(row);
    const code = codes.get(row.id);
    if (kind === undefined)
      mapping.noteOmission(
        "A cooling source that is neither CRAC nor CRAH",
        "coolingsource",
        row,
        readTextCell(row, "type"),
      );
    else if (capacity === undefined || capacity <= 0)
      mapping.noteOmission("A cooling unit without a capacity", "coolingsource", row);
    else if (location === undefined || code === undefined)
      mapping.noteOmission("A cooling unit names no site that exists", "coolingsource", row);
    else {
      const resource = removeEmptyFields<Crac>({
        code,
        name: mapping.readShortText("coolingsource", row, "name"),
        kind,
        status: STATUS_BY_NAME[readTextCell(row, "status")],
        location,
        sensibleCapacityKw: capacity,
        fluid: convertToEnumValue(FLUID_TYPES, readTextCell(row, "fluid_type")),
        serves: listFeedRackRefs(mapping, feeds.get(row.id) ?? []),
        ...mapping.createRemarks("coolingsource", row),
      });
      mapping.items.push({ kind: "crac", id: `coolingsource/${row.id}`, resource });
    }
  }
}

/** Returns references of the racks that feeds name; undefined if none, because the unit then cools its room. */
function listFeedRackRefs({ racks }: NetboxMapping, feeds: readonly NetboxRow[]): readonly string[] | undefined {
  const codes = feeds.map((feed) => racks.get(readTextCell(feed, "rack"))).filter((code) => code !== undefined);
  return codes.length === 0 ? undefined : [...new Set(codes)].map((code) => `rack:${code}`);
}
