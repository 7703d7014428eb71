import { type CracShare, cracShares } from "#dc/analysis/cooling/thermal.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { codeKey } from "#dc/model/code.ts";
import { parseRef } from "#dc/model/ref.ts";
import type { Crac } from "#dc/model/resources.ts";
import { PLACE_COLUMNS } from "./columns.ts";
import { lazily } from "./devices_listing.ts";
import { inBatches, type Listing, rounded, textCell } from "./listing.ts";

/** Cooling units with the heat that they carry. */
export function coolingListing(topology: Topology): Listing<Crac> {
  const shares = lazily(() => sharesByKey(topology));
  const share = ({ code }: Crac) => shares().get(codeKey(code));
  return {
    ref: ({ code }) => `crac:${code}`,
    name: ({ code }) => code,
    columns: {
      name: ({ name }) => textCell(name),
      kind: ({ kind }) => kind,
      status: ({ status = "ACTIVE" }) => status,
      medium: ({ medium, kind }) => medium ?? (kind === "CDU" ? "LIQUID" : "AIR"),
      heat_rejection: ({ heatRejection = "FACILITY" }) => heatRejection,
      ...PLACE_COLUMNS,
      rack: ({ rackCode }) => textCell(rackCode),
      serves: ({ serves = [] }) => textCell(serves.join(", ")),
      load_kw: (crac) => rounded(share(crac)?.loadKw),
      effective_kw: (crac) => rounded(share(crac)?.effectiveKw),
      rated_kw: ({ sensibleCapacityKw }) => sensibleCapacityKw,
      // A unit that does not run has no capacity that could be used.
      load_pct: (crac) => ((share(crac)?.effectiveKw ?? 0) > 0 ? rounded(share(crac)?.utilizationPct) : undefined),
      redundancy_group: ({ redundancyGroup }) => textCell(redundancyGroup),
      supply_temp_c: ({ supplyTempC }) => supplyTempC,
      return_temp_c: ({ returnTempC }) => returnTempC,
      manufacturer: ({ manufacturer }) => textCell(manufacturer),
      model: ({ model }) => textCell(model),
      serial: ({ serial }) => textCell(serial),
    },
    batches: () => inBatches(topology.inventory.cracs),
    total: topology.inventory.cracs.length,
  };
}

/** Shares of all units. A unit is asked for by its site, where everything that it may serve is located. */
function sharesByKey(topology: Topology): ReadonlyMap<string, CracShare> {
  const sites = new Set(topology.inventory.cracs.flatMap(({ location }) => location?.siteId ?? []));
  const found = new Map<string, CracShare>();
  for (const site of sites) {
    const scope = parseRef(`site:${site}`);
    if (scope === undefined) continue;
    for (const share of cracShares(topology, scope, { basis: "ALLOCATED", reserveUnits: 0, failedCracCodes: [] })) {
      found.set(codeKey(share.crac.code), share);
    }
  }
  return found;
}
