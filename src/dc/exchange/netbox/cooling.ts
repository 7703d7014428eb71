import { type CracStatus, FLUID_TYPES } from "#dc/model/enum_values.ts";
import type { Crac } from "#dc/model/resources.ts";
import { assignCodes } from "../codes.ts";
import { compact } from "../item.ts";
import { oneOf } from "../values.ts";
import { number, text } from "./dataset.ts";
import type { Mapping } from "./mapping.ts";
import { knownOf } from "./racks.ts";
import type { Row } from "./read_row.ts";

const STATUSES: Readonly<Record<string, CracStatus>> = {
  active: "ACTIVE",
  offline: "OFFLINE",
  planned: "PLANNED",
  failed: "FAILED",
};

/**
 * Maps cooling sources of NetBox 4.7 that cool a room, and the racks that their feeds name. Plant behind them has no
 * place in the inventory.
 */
export function mapCooling(mapping: Mapping): void {
  const { data, options, where } = mapping;
  const named = data
    .all("coolingsource")
    .map((one) => ({ id: one.id, name: text(one, "name"), within: [where.site(data.named("site", one, "site"))] }));
  const codes = assignCodes(named, knownOf(options.known, "coolingsource/"), options.foreign.crac, "cooling");
  const feeds = data.grouped("coolingfeed", "source");
  for (const row of data.all("coolingsource")) {
    const kind = oneOf(["CRAC", "CRAH"], text(row, "type"));
    const capacity = number(row, "cooling_capacity");
    const location = where.of(row);
    const code = codes.get(row.id);
    if (kind === undefined)
      mapping.omit("A cooling source that is neither CRAC nor CRAH", "coolingsource", row, text(row, "type"));
    else if (capacity === undefined || capacity <= 0)
      mapping.omit("A cooling unit without a capacity", "coolingsource", row);
    else if (location === undefined || code === undefined)
      mapping.omit("A cooling unit names no site that exists", "coolingsource", row);
    else {
      const resource = compact<Crac>({
        code,
        name: mapping.short("coolingsource", row, "name"),
        kind,
        status: STATUSES[text(row, "status")],
        location,
        sensibleCapacityKw: capacity,
        fluid: oneOf(FLUID_TYPES, text(row, "fluid_type")),
        serves: racksOf(mapping, feeds.get(row.id) ?? []),
        ...mapping.remarks("coolingsource", row),
      });
      mapping.items.push({ kind: "crac", id: `coolingsource/${row.id}`, resource });
    }
  }
}

/** The racks that feeds lead to; without any, the unit cools its room. */
function racksOf({ racks }: Mapping, feeds: readonly Row[]): readonly string[] | undefined {
  const codes = feeds.map((feed) => racks.get(text(feed, "rack"))).filter((code) => code !== undefined);
  return codes.length === 0 ? undefined : [...new Set(codes)].map((code) => `rack:${code}`);
}
