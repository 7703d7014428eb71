import { codeKey } from "#dc/model/code.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Device } from "#dc/model/resources.ts";
import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { type BlastOptions, type BlastRadius, type BlastSite, computeBlastInSteps } from "../power/blast_radius.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import type { LiveSet } from "../power/power_live.ts";
import { listOffNodes } from "../rehearsal/after_failure.ts";
import type { FabricLoss, UplinkLoad } from "../rehearsal/fabric_loss.ts";
import { getOrCreateList } from "../rehearsal/meetings.ts";
import type { NearFailures } from "../rehearsal/near_failures.ts";
import { prepareTrials, type SiteTrials } from "../rehearsal/site_failures.ts";
import type { Topology } from "../topology.ts";

/** Elements that are out of service for a time, and the site that they belong to. */
export interface WindowGround {
  readonly topology: Topology;
  /** The site with inlets as elements, if an inlet or its cable is out. */
  readonly site: BlastSite;
  /** Nodes of the elements, and of everything in a place. */
  readonly sources: ReadonlySet<number>;
  /** Single failures of the topology by a battery that lasts as long as the window, with what follows for cooling and fabrics. */
  readonly near: NearFailures;
  /** Numbers of the fabric links that go down whatever is at their ends. */
  readonly cutLinks: readonly number[];
  readonly basis: LoadBasis;
  /** Seconds without a break. A battery that lasts less does not carry. */
  readonly durationS: number;
}

/** What is off, loaded and left while elements are out of service. */
export interface Outage {
  /** Nodes of the elements, with the blades of their chassis: their loss is the work itself. */
  readonly covered: ReadonlySet<number>;
  readonly blast: BlastRadius;
  /** Nodes of devices and cooling units that do not work, the covered ones included. */
  readonly off: ReadonlySet<number>;
  readonly zones: readonly ZoneShortage[];
  readonly fabric: FabricLoss;
  readonly uplinks: readonly UplinkLoad[];
  /** UPSes that carry by their own batteries. */
  readonly onBattery: readonly { readonly index: number; readonly runtimeS: number }[];
  /** Nodes of all UPSes with a battery whose supply is lost, whether they carry or not. */
  readonly unsupplied: readonly number[];
}

/** Tries the loss of elements at one state of a site, with what a window needs to know about it. */
export class WindowSite {
  readonly ground: WindowGround;
  readonly options: BlastOptions;

  constructor(ground: WindowGround) {
    this.ground = ground;
    this.options = ground.near.site.options;
  }

  /** What failures are tried with. Cost: nothing, or arrays of all nodes for a site with inlets as elements. */
  *trials(): Steps<SiteTrials> {
    const { near, topology, site } = this.ground;
    return site === topology ? near.site : yield* prepareTrials(site, this.options);
  }

  /**
   * Computes the effects of taking the elements of the window out. Cost: as of `computeBlastInSteps`, and the zones of
   * lost cooling units. @param more further nodes that are taken out
   */
  *outage(more: readonly number[] = [], options: BlastOptions = this.options): Steps<Outage> {
    const { topology, site, sources, near } = this.ground;
    const covered = withBlades(topology, [...sources, ...more]);
    const blast = yield* computeBlastInSteps(site, { sources: covered, unlisted: covered }, options);
    const off = new Set(listOffNodes({ nodes: covered }, blast));
    const effects = this.effectsOf([...off], true);
    const uplinks = near.effects.fabrics.uplinksAfter(effects.fabric.links, (node) => off.has(node));
    const unsupplied = upsesWithoutSupply(site.power, blast, covered);
    return { covered, blast, off, ...effects, uplinks, onBattery: batteries(site.power, blast), unsupplied };
  }

  /** The same once all batteries are empty. */
  drained(): Steps<Outage> {
    const { basis, cascade } = this.options;
    return this.outage([], { basis, cascade, assumeBattery: false });
  }

  /** Effects on cooling and fabrics. @param isDuring whether the links of the window are down too */
  effectsOf(off: readonly number[], isDuring: boolean) {
    const { near, cutLinks } = this.ground;
    return {
      zones: near.effects.zonesAfter(off, true),
      fabric: near.effects.fabrics.after(off, isDuring ? cutLinks : []),
    };
  }
}

const BLADES = new WeakMap<readonly Device[], ReadonlyMap<string, readonly string[]>>();

/** Keys of the devices that are inside of others, by the key of these. Computed once per list. */
function bladesIn(devices: readonly Device[]): ReadonlyMap<string, readonly string[]> {
  const known = BLADES.get(devices);
  if (known !== undefined) return known;
  const found = new Map<string, string[]>();
  for (const { code, parentDeviceCode } of devices)
    if (parentDeviceCode !== undefined) getOrCreateList(found, codeKey(parentDeviceCode)).push(codeKey(code));
  BLADES.set(devices, found);
  return found;
}

/** Adds the devices that are inside of others: blades are taken out with their chassis, even those with recorded inlets. */
export function withBlades({ power, inventory }: Topology, sources: Iterable<number>): ReadonlySet<number> {
  const inside = bladesIn(inventory.devices);
  const found = new Set(sources);
  // The set grows while it is walked.
  for (const index of found) {
    const node = power.nodes[index];
    if (node?.kind !== "DEVICE") continue;
    for (const key of inside.get(codeKey(node.device.code)) ?? []) {
      const blade = power.indexOf.get(`device:${key}`);
      if (blade !== undefined) found.add(blade);
    }
  }
  return found;
}

function batteries(power: PowerGraph, { hits, live }: BlastRadius) {
  return hits.flatMap(({ index, state }) => {
    const runtimeS = runtimeOf(power, index);
    return state === "ON_BATTERY" && runtimeS > 0 && isCut(power, live, index) ? [{ index, runtimeS }] : [];
  });
}

function upsesWithoutSupply(power: PowerGraph, { hits, live }: BlastRadius, covered: ReadonlySet<number>) {
  const without = hits.filter(({ index }) => runtimeOf(power, index) > 0 && !covered.has(index));
  return without.flatMap(({ index }) => (isCut(power, live, index) ? [index] : []));
}

function runtimeOf({ nodes }: PowerGraph, index: number): number {
  const node = nodes[index];
  return node?.kind === "DEVICE" ? (node.device.power?.runtimeS ?? 0) : 0;
}

/** Whether a node has fewer live inlets than it needs, so that nothing but its own battery carries it. */
function isCut({ nodes, inlets }: PowerGraph, live: LiveSet, index: number): boolean {
  const left = inlets.of(index).filter(({ from }) => live[from] === 1).length;
  return left < Math.max(1, nodes[index]?.need ?? 1);
}
