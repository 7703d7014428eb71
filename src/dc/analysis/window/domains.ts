import { codeKey, parseRef, toRefKey } from "#dc/model/ref.ts";
import type { Steps } from "#kernel/clock.ts";
import { listServedAreas } from "../cooling/cooling_units.ts";
import { NodeGroups } from "../node_numbers.ts";
import { listChangedNodes } from "../power/power_node_table.ts";
import { getNodeOwner } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";

/** By node, the lowest node number of its domain. */
export type DomainByNode = Int32Array;

const domainsByTopology = new WeakMap<Topology, DomainByNode>();

/**
 * Divides a site into domains: nodes connected by supply, a rack, a cooled area or a fabric. Losses in different
 * domains are independent, except for data cables. Computed once for a topology. Cost: all nodes, links, and devices in
 * cooled areas.
 */
export function* computeDomains(topology: Topology): Steps<DomainByNode> {
  const known = domainsByTopology.get(topology);
  if (known !== undefined) return known;
  const groups = new NodeGroups(topology.power.nodes.length);
  groups.joinSuppliedNodes(topology.power);
  yield;
  const first = new Map<string, number>();
  for (const shared of [yieldRackNodes, yieldCooledNodes, yieldFabricNodes]) {
    for (const [name, index] of shared(topology)) {
      const other = first.get(name);
      if (other === undefined) first.set(name, index);
      else groups.joinNodes(other, index);
    }
    yield;
  }
  const made = groups.listGroupNumbers();
  domainsByTopology.set(topology, made);
  return made;
}

/** Name of a rack, cooled area or fabric, and the number of a node in it. */
type SharedName = readonly [name: string, index: number];

function* yieldRackNodes({ power }: Topology): Iterable<SharedName> {
  for (const [index, node] of power.nodes.entries()) {
    const rack = getNodeOwner(node)?.rackCode;
    if (rack !== undefined) yield [`rack ${codeKey(rack)}`, index];
  }
}

function* yieldCooledNodes(topology: Topology): Iterable<SharedName> {
  const served = new Set<string>();
  for (const crac of topology.inventory.cracs) {
    const index = topology.power.indexOf.get(`crac:${codeKey(crac.code)}`);
    for (const area of listServedAreas(crac)) {
      served.add(area);
      if (index !== undefined) yield [`area ${area}`, index];
    }
  }
  for (const { areas, devices } of topology.listLocations()) {
    const nodes = listDeviceNodeNumbers(topology, devices);
    for (const area of served.intersection(areas)) for (const index of nodes) yield [`area ${area}`, index];
  }
}

function* yieldFabricNodes(topology: Topology): Iterable<SharedName> {
  for (const { a, b, fabricId = "" } of topology.inventory.fabricLinks)
    for (const index of listDeviceNodeNumbers(topology, [{ code: a.deviceCode }, { code: b.deviceCode }]))
      yield [`fabric ${fabricId}`, index];
}

function listDeviceNodeNumbers({ power }: Topology, devices: readonly { readonly code: string }[]): readonly number[] {
  return devices.flatMap(({ code }) => power.indexOf.get(`device:${codeKey(code)}`) ?? []);
}

/** Parts of a site that differ between two states. */
export interface SiteChange {
  /** Domains with changes, in the state before and in the state after. */
  readonly touchedDomains: readonly [before: ReadonlySet<number>, after: ReadonlySet<number>];
  /** Keys of the codes of devices that changed, or that are at the ends of a changed cable or link. */
  readonly devices: ReadonlySet<string>;
}

/** Compares two states of a site. @param refs references of the resources that changed */
export function* compareSiteStates(before: Topology, after: Topology, refs: readonly string[]): Steps<SiteChange> {
  const domains = [yield* computeDomains(before), yield* computeDomains(after)] as const;
  const changed = new Set(listChangedNodes(after.power, before.power));
  yield;
  const sites = [before, after];
  const codes = refs.flatMap((text) => listAffectedDevices(sites, text));
  const cracs = refs.flatMap((text) => sites.flatMap(({ power }) => power.indexOf.get(toRefKey(text)) ?? []));
  for (const index of [...sites.flatMap((site) => listDeviceNodeNumbers(site, codes)), ...cracs]) changed.add(index);
  const listTouchedDomains = (numbers: DomainByNode) => new Set([...changed].map((index) => numbers[index] ?? -1));
  return {
    touchedDomains: [listTouchedDomains(domains[0]), listTouchedDomains(domains[1])],
    devices: new Set(codes.map(({ code }) => codeKey(code))),
  };
}

/** Lists devices that a changed resource affects: itself, devices at the ends of a cable or link, or all in a rack. */
function listAffectedDevices(sites: readonly Topology[], text: string): readonly { readonly code: string }[] {
  const ref = parseRef(text);
  switch (ref?.kind) {
    case "device":
      return [ref];
    case "cable":
    case "fabric_link":
      return [{ code: ref.a.deviceCode }, { code: ref.b.deviceCode }];
    case "rack":
      return sites.flatMap((site) => site.listDevicesInRack(ref.code));
    default:
      return [];
  }
}
