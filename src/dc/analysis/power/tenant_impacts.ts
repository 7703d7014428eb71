import type { LoadBasis } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import type { TenantImpact } from "#gen/datacenter/v1/messages.ts";
import type { Topology } from "../topology.ts";
import { computeLostDrawW } from "./load_lanes.ts";
import { selectItDevices } from "./power_nodes.ts";

type MutableTenantImpact = { -readonly [Name in keyof TenantImpact]: TenantImpact[Name] };

/** Nodes and racks that a failure reaches; racks by key. */
export interface FailureReach {
  readonly offline: Iterable<number>;
  readonly degraded: Iterable<number>;
  readonly racksDark: Iterable<string>;
  readonly racksPartial: Iterable<string>;
  readonly racksProtected: Iterable<string>;
}

/** Splits a failure's impact by tenant, sorted by name. A device without a tenant belongs to its rack's tenant. */
export function computeTenantImpacts(
  topology: Topology,
  reached: FailureReach,
  basis: LoadBasis,
): readonly TenantImpact[] {
  const { power } = topology;
  const found = new Map<string, MutableTenantImpact>();
  const findImpact = (tenant: string | undefined): MutableTenantImpact | undefined => {
    if (tenant === undefined || tenant === "") return undefined;
    return found.getOrInsertComputed(tenant, () => ({ tenant, ...NO_IMPACT }));
  };
  // Thousands of devices are in few racks, so the tenant of each rack is cached to avoid repeated searches.
  const tenantOfRack = new Map<string, string | undefined>();
  const rackTenant = (code: string): string | undefined => {
    if (!tenantOfRack.has(code)) tenantOfRack.set(code, topology.rack(code)?.tenant);
    return tenantOfRack.get(code);
  };
  const gone = new Set(selectItDevices(power, reached.offline));
  const isGone = (index: number) => gone.has(index);
  for (const index of gone) {
    const impact = findImpact(findTenant(topology, index, rackTenant));
    if (impact === undefined) continue;
    impact.itDevicesOffline += 1;
    impact.itLoadLostW += computeLostDrawW(power, index, { isGone, basis });
  }
  for (const index of selectItDevices(power, reached.degraded)) {
    const impact = findImpact(findTenant(topology, index, rackTenant));
    if (impact !== undefined) impact.itDevicesDegraded += 1;
  }
  for (const state of ["racksDark", "racksPartial", "racksProtected"] as const) {
    for (const key of reached[state]) {
      const impact = findImpact(topology.rack(key)?.tenant);
      if (impact !== undefined) impact[state] += 1;
    }
  }
  return [...found.values()].sort((a, b) => compareText(a.tenant, b.tenant));
}

const NO_IMPACT = {
  racksDark: 0,
  racksPartial: 0,
  racksProtected: 0,
  itDevicesOffline: 0,
  itDevicesDegraded: 0,
  itLoadLostW: 0,
};

/** Returns the tenant of a device: its own tenant, or else the tenant of its rack. */
export function findTenant(
  topology: Topology,
  index: number,
  rackTenant = (code: string) => topology.rack(code)?.tenant,
): string | undefined {
  const node = topology.power.nodes[index];
  if (node?.kind !== "DEVICE") return undefined;
  const { tenant = "", rackCode = "" } = node.device;
  return tenant === "" ? rackTenant(rackCode) : tenant;
}
