import type { CracStatus } from "#dc/model/enum_values.ts";
import type { Crac } from "#dc/model/resources.ts";
import { assignCodes } from "../codes.ts";
import { compact } from "../item.ts";
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

/** Maps cooling sources of NetBox 4.7 that cool a room. Plant behind them has no place in the inventory. */
export function mapCooling(mapping: Mapping): void {
  const { data, options, where } = mapping;
  const named = data
    .all("coolingsource")
    .map((one) => ({ id: one.id, name: text(one, "name"), within: [where.site(data.named("site", one, "site"))] }));
  const codes = assignCodes(named, knownOf(options.known, "coolingsource/"), options.foreign.crac, "cooling");
  for (const row of data.all("coolingsource")) {
    const kind = text(row, "type") === "crac" ? "CRAC" : text(row, "type") === "crah" ? "CRAH" : undefined;
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
        ...temperatures(row),
        ...mapping.remarks("coolingsource", row),
      });
      mapping.items.push({ kind: "crac", id: `coolingsource/${row.id}`, resource });
    }
  }
}

function temperatures(row: Row): Pick<Crac, "supplyTempC" | "returnTempC"> {
  const celsius = (field: string) => {
    const given = number(row, field);
    if (given === undefined) return undefined;
    return text(row, "temperature_unit").startsWith("f") ? Math.round(((given - 32) / 1.8) * 100) / 100 : given;
  };
  const supplyTempC = celsius("supply_temperature");
  const returnTempC = celsius("return_temperature");
  if (supplyTempC === undefined || returnTempC === undefined || supplyTempC >= returnTempC) return {};
  return { supplyTempC, returnTempC };
}
