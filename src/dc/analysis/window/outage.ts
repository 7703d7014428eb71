import { codeKey } from "#dc/model/code.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Device } from "#dc/model/resources.ts";
import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { type BlastOptions, type BlastRadius, type BlastSite, computeBlastInSteps } from "../power/blast_radius.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import { countLiveInlets, type LiveSet } from "../power/power_live.ts";
import { getBatteryRuntimeS } from "../power/power_nodes.ts";
import { listNonworkingNodes } from "../rehearsal/after_failure.ts";
import type { FabricLoss, UplinkLoad } from "../rehearsal/fabric_loss.ts";
import type { NearFailureFinder } from "../rehearsal/near_failures.ts";
import { prepareTrials, type SiteTrials } from "../rehearsal/site_failures.ts";
import type { Topology } from "../topology.ts";

/** Elements that are out of service for a time, and their site. */
export interface WindowInput {
  readonly topology: Topology;
  /** The site with inlets as nodes, if an inlet or its cable is out of service. */
  readonly site: BlastSite;
  /** Nodes of the elements, and of all equipment in a location. */
  readonly sources: ReadonlySet<number>;
  /** Single failures with batteries that last as long as the window, and their effects on cooling and fabrics. */
  readonly near: NearFailureFinder;
  /** Numbers of the fabric links that go down regardless of the devices at their ends. */
  readonly cutLinks: readonly number[];
  readonly basis: LoadBasis;
  /** Length of the outage in seconds. A battery that lasts less counts as empty. */
  readonly durationS: number;
}

/** Effects of taking elements out of service. */
export interface Outage {
  /** Nodes of the elements, with the blades of their chassis, whose loss is the work itself. */
  readonly coveredNodes: ReadonlySet<number>;
  readonly blast: BlastRadius;
  /** Nodes of devices and cooling units that do not work, including the nodes in `covered`. */
  readonly offNodes: ReadonlySet<number>;
  readonly zones: readonly ZoneShortage[];
  readonly fabric: FabricLoss;
  readonly uplinks: readonly UplinkLoad[];
  /** UPSes that keep their load on by their own batteries. */
  readonly onBattery: readonly { readonly index: number; readonly runtimeS: number }[];
  /** Nodes of all UPSes with a battery whose supply is lost, whether or not the battery lasts. */
  readonly unsuppliedUpses: readonly number[];
}

/** Computes the outage that a window causes, alone and with further elements. */
export class WindowSite {
  readonly input: WindowInput;
  readonly options: BlastOptions;

  constructor(ground: WindowInput) {
    this.input = ground;
    this.options = ground.near.site.options;
  }

  /** Prepares the state for trying failures. Cost: nothing, or arrays of all nodes for a site with inlets as nodes. */
  *createTrials(): Steps<SiteTrials> {
    const { near, topology, site } = this.input;
    return site === topology ? near.site : yield* prepareTrials(site, this.options);
  }

  /**
   * Computes the effects of taking the elements of the window out. Cost: as for `computeBlastInSteps`, and the zones of
   * lost cooling units.
   * @param more further nodes that are taken out
   */
  *computeOutage(more: readonly number[] = [], options: BlastOptions = this.options): Steps<Outage> {
    const { topology, site, sources, near } = this.input;
    const covered = addContainedBlades(topology, [...sources, ...more]);
    const blast = yield* computeBlastInSteps(site, { sources: covered, unlisted: covered }, options);
    const off = new Set(listNonworkingNodes({ nodes: covered }, blast));
    const effects = this.computeEffects([...off], true);
    const uplinks = near.effects.fabrics.computeUplinkLoads(effects.fabric.links, (node) => off.has(node));
    const unsupplied = listUnsuppliedUpses(site.power, blast, covered);
    return {
      coveredNodes: covered,
      blast,
      offNodes: off,
      ...effects,
      uplinks,
      onBattery: listActiveBatteries(site.power, blast),
      unsuppliedUpses: unsupplied,
    };
  }

  /** Computes the effects once all batteries are empty. */
  computeDrainedOutage(): Steps<Outage> {
    const { basis, cascade } = this.options;
    return this.computeOutage([], { basis, cascade, assumeBattery: false });
  }

  /** Returns the effects on cooling and fabrics. @param isDuring whether the links of the window are down too */
  computeEffects(off: readonly number[], isDuring: boolean) {
    const { near, cutLinks } = this.input;
    return {
      zones: near.effects.listZoneShortages(off, true),
      fabric: near.effects.fabrics.computeFabricLoss(off, isDuring ? cutLinks : []),
    };
  }
}

const bladesByDevices = new WeakMap<readonly Device[], ReadonlyMap<string, readonly string[]>>();

/** Groups keys of devices by the key of the device that contains them. Computed once per list. */
function groupBladesByHolder(devices: readonly Device[]): ReadonlyMap<string, readonly string[]> {
  return bladesByDevices.getOrInsertComputed(devices, () => {
    const found = new Map<string, string[]>();
    for (const { code, parentDeviceCode } of devices)
      if (parentDeviceCode !== undefined) found.getOrInsert(codeKey(parentDeviceCode), []).push(codeKey(code));
    return found;
  });
}

/** Adds the devices inside of other devices: blades leave with their chassis, including blades with recorded inlets. */
export function addContainedBlades({ power, inventory }: Topology, sources: Iterable<number>): ReadonlySet<number> {
  const inside = groupBladesByHolder(inventory.devices);
  const found = new Set(sources);
  // The loop adds to the set while it iterates.
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

function listActiveBatteries(power: PowerGraph, { hits, live }: BlastRadius) {
  return hits.flatMap(({ index, state }) => {
    const runtimeS = getBatteryRuntimeS(power.nodes[index]) ?? 0;
    return state === "ON_BATTERY" && runtimeS > 0 && lacksLiveSupply(power, live, index) ? [{ index, runtimeS }] : [];
  });
}

function listUnsuppliedUpses(power: PowerGraph, { hits, live }: BlastRadius, covered: ReadonlySet<number>) {
  const without = hits.filter(({ index }) => (getBatteryRuntimeS(power.nodes[index]) ?? 0) > 0 && !covered.has(index));
  return without.flatMap(({ index }) => (lacksLiveSupply(power, live, index) ? [index] : []));
}

/** Whether a node has fewer live inlets than it needs, so that only its own battery keeps it on. */
function lacksLiveSupply(graph: PowerGraph, live: LiveSet, index: number): boolean {
  return countLiveInlets(graph, live, index) < Math.max(1, graph.nodes[index]?.need ?? 1);
}
