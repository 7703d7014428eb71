import type { LoadBasis } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import type { TenantImpact } from "#gen/datacenter/v1/messages.ts";
import type { Topology } from "../topology.ts";
import { lostDrawW } from "./load_lanes.ts";
import { itDevices } from "./power_nodes.ts";

type Counts = { -readonly [Name in keyof TenantImpact]: TenantImpact[Name] };

/** What a failure reaches: nodes, and keys of racks. */
export interface Reached {
  readonly offline: Iterable<number>;
  readonly degraded: Iterable<number>;
  readonly racksDark: Iterable<string>;
  readonly racksPartial: Iterable<string>;
  readonly racksProtected: Iterable<string>;
}

/** A failure by tenant, in the order of names. A device without a tenant belongs to that of its rack. */
export function tenantImpacts(topology: Topology, reached: Reached, basis: LoadBasis): readonly TenantImpact[] {
  const { power } = topology;
  const found = new Map<string, Counts>();
  const of = (tenant: string | undefined): Counts | undefined => {
    if (tenant === undefined || tenant === "") return undefined;
    const known = found.get(tenant) ?? { tenant, ...NOTHING };
    found.set(tenant, known);
    return known;
  };
  // Thousands of devices are in few racks, and finding a rack is a search.
  const tenantOfRack = new Map<string, string | undefined>();
  const rackTenant = (code: string): string | undefined => {
    if (!tenantOfRack.has(code)) tenantOfRack.set(code, topology.rack(code)?.tenant);
    return tenantOfRack.get(code);
  };
  const gone = new Set(itDevices(power, reached.offline));
  const isGone = (index: number) => gone.has(index);
  for (const index of gone) {
    const impact = of(tenantOf(topology, index, rackTenant));
    if (impact === undefined) continue;
    impact.itDevicesOffline += 1;
    impact.itLoadLostW += lostDrawW(power, index, { isGone, basis });
  }
  for (const index of itDevices(power, reached.degraded)) {
    const impact = of(tenantOf(topology, index, rackTenant));
    if (impact !== undefined) impact.itDevicesDegraded += 1;
  }
  for (const state of ["racksDark", "racksPartial", "racksProtected"] as const) {
    for (const key of reached[state]) {
      const impact = of(topology.rack(key)?.tenant);
      if (impact !== undefined) impact[state] += 1;
    }
  }
  return [...found.values()].sort((a, b) => compareText(a.tenant, b.tenant));
}

const NOTHING = {
  racksDark: 0,
  racksPartial: 0,
  racksProtected: 0,
  itDevicesOffline: 0,
  itDevicesDegraded: 0,
  itLoadLostW: 0,
};

/** Who uses a device: its own tenant, else that of its rack. */
export function tenantOf(
  topology: Topology,
  index: number,
  rackTenant = (code: string) => topology.rack(code)?.tenant,
): string | undefined {
  const node = topology.power.nodes[index];
  if (node?.kind !== "DEVICE") return undefined;
  const { tenant = "", rackCode = "" } = node.device;
  return tenant === "" ? rackTenant(rackCode) : tenant;
}
