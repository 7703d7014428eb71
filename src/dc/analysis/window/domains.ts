import { codeKey } from "#dc/model/code.ts";
import { parseRef } from "#dc/model/ref.ts";
import { refKey } from "#dc/model/resource_key.ts";
import type { Steps } from "#kernel/steps.ts";
import { servedAreas } from "../cooling/cooling_units.ts";
import { NodeGroups } from "../node_numbers.ts";
import { listChangedNodes } from "../power/power_keys.ts";
import type { Topology } from "../topology.ts";

/** By node, the lowest node of its domain. */
export type Domains = Int32Array;

const KNOWN = new WeakMap<Topology, Domains>();

/**
 * Divides a site into domains: nodes that supply, a rack, a cooled area or a fabric connects. What is lost in one does not depend
 * on another, except by data cables. Computed once for a topology. Cost: all nodes, links, and devices in cooled areas.
 */
export function* domainsOf(topology: Topology): Steps<Domains> {
  const known = KNOWN.get(topology);
  if (known !== undefined) return known;
  const groups = new NodeGroups(topology.power.nodes.length);
  groups.joinSupply(topology.power);
  yield;
  const first = new Map<string, number>();
  for (const shared of [racks, cooledAreas, fabrics]) {
    for (const [name, index] of shared(topology)) {
      const other = first.get(name);
      if (other === undefined) first.set(name, index);
      else groups.join(other, index);
    }
    yield;
  }
  const made = groups.numbers();
  KNOWN.set(topology, made);
  return made;
}

/** Something that nodes share, by name, and one of the nodes. */
type Shared = readonly [name: string, index: number];

function* racks({ power }: Topology): Iterable<Shared> {
  for (const [index, node] of power.nodes.entries()) {
    const rack = node.kind === "DEVICE" ? node.device.rackCode : node.kind === "CRAC" ? node.crac.rackCode : undefined;
    if (rack !== undefined) yield [`rack ${codeKey(rack)}`, index];
  }
}

function* cooledAreas(topology: Topology): Iterable<Shared> {
  const served = new Set<string>();
  for (const crac of topology.inventory.cracs) {
    const index = topology.power.indexOf.get(`crac:${codeKey(crac.code)}`);
    for (const area of servedAreas(crac)) {
      served.add(area);
      if (index !== undefined) yield [`area ${area}`, index];
    }
  }
  for (const { areas, devices } of topology.places()) {
    const nodes = nodesOf(topology, devices);
    for (const area of served.intersection(areas)) for (const index of nodes) yield [`area ${area}`, index];
  }
}

function* fabrics(topology: Topology): Iterable<Shared> {
  for (const { a, b, fabricId = "" } of topology.inventory.fabricLinks)
    for (const index of nodesOf(topology, [{ code: a.deviceCode }, { code: b.deviceCode }]))
      yield [`fabric ${fabricId}`, index];
}

function nodesOf({ power }: Topology, devices: readonly { readonly code: string }[]): readonly number[] {
  return devices.flatMap(({ code }) => power.indexOf.get(`device:${codeKey(code)}`) ?? []);
}

/** What changed between two states of a site. */
export interface SiteChange {
  /** Domains in which something changed, of the state before and of the state after. */
  readonly touched: readonly [before: ReadonlySet<number>, after: ReadonlySet<number>];
  /** Keys of the codes of devices that changed, or at which a cable or link did. */
  readonly devices: ReadonlySet<string>;
}

/** @param refs references of the resources that changed */
export function* changeOf(before: Topology, after: Topology, refs: readonly string[]): Steps<SiteChange> {
  const domains = [yield* domainsOf(before), yield* domainsOf(after)] as const;
  const changed = new Set(listChangedNodes(after.power, before.power));
  yield;
  const sites = [before, after];
  const codes = refs.flatMap((text) => devicesAt(sites, text));
  const cracs = refs.flatMap((text) => sites.flatMap(({ power }) => power.indexOf.get(refKey(text)) ?? []));
  for (const index of [...sites.flatMap((site) => nodesOf(site, codes)), ...cracs]) changed.add(index);
  const touchedIn = (numbers: Domains) => new Set([...changed].map((index) => numbers[index] ?? -1));
  return {
    touched: [touchedIn(domains[0]), touchedIn(domains[1])],
    devices: new Set(codes.map(({ code }) => codeKey(code))),
  };
}

/** Devices that a changed resource concerns: the device itself, those at the ends of a cable or link, or all in a rack. */
function devicesAt(sites: readonly Topology[], text: string): readonly { readonly code: string }[] {
  const ref = parseRef(text);
  switch (ref?.kind) {
    case "device":
      return [ref];
    case "cable":
    case "fabric_link":
      return [{ code: ref.a.deviceCode }, { code: ref.b.deviceCode }];
    case "rack":
      return sites.flatMap((site) => site.devicesInRack(ref.code));
    default:
      return [];
  }
}
