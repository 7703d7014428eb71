import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { isPowerKind } from "../../model/draw.ts";
import type { LoadBasis } from "../../model/enum_values.ts";
import { codeKey, compareText, formatRef, parseRef, type Ref } from "../../model/ref.ts";
import type { Device, Rack } from "../../model/resources.ts";
import { selectRacksIn } from "../places.ts";
import {
  type BlastOptions,
  type BlastRadius,
  type BlastSite,
  computeBlastInSteps,
  type TrippedSource,
} from "../power/blast_radius.ts";
import { countLiveInlets, type LiveSet } from "../power/power_live.ts";
import { getBatteryRuntimeS, isConsumer, type PowerGraph } from "../power/power_nodes.ts";
import { formatZoneKey } from "../rehearsal/charge.ts";
import {
  type FailingElement,
  listNonworkingNodes,
  listOutcomeOffNodes,
  type PowerOutcome,
} from "../rehearsal/elements.ts";
import type { PathsByHost } from "../rehearsal/further_effects.ts";
import type { FabricLoss, UplinkLoad } from "../rehearsal/loss.ts";
import { type NearFailureFinder, prepareTrials, type SiteTrials } from "../rehearsal/site_failures.ts";
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
  /** All data paths of the hosts that have one through a port that is out of service. */
  readonly cutPaths: PathsByHost;
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
  /** Nodes of devices that stay on and lose their last data path. */
  readonly isolated: readonly number[];
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
    const effects = this.computeEffects([...off], covered);
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

  /**
   * Returns the effects on cooling and networks.
   * @param failed nodes that fail themselves
   * @param isDuring whether links and ports of the window are down too
   */
  computeEffects(off: readonly number[], failed: Iterable<number>, isDuring = true) {
    const { near, cutLinks, cutPaths } = this.input;
    const fabric = near.effects.fabrics.computeFabricLoss(off, isDuring ? cutLinks : []);
    return {
      zones: near.effects.listZoneShortages(off, true),
      fabric,
      isolated: near.effects.listIsolated({ off, failed, ...fabric }, isDuring ? cutPaths : undefined),
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

/** A supply that trips, by its reference. */
type TrippedSupply = Omit<TrippedSource, "index">;

/** Losses of a failure or window by key, which allows subtraction. Lost power equipment counts at its consumers. */
export interface LossSet {
  /** Nodes of devices and cooling units that go offline. */
  readonly offlineNodes: ReadonlySet<number>;
  /** Keys of dark racks. */
  readonly racks: ReadonlySet<string>;
  /** Nodes of switches that stay on without a working uplink. */
  readonly cutOff: ReadonlySet<number>;
  /** Nodes of devices that stay on and lose their last data path. */
  readonly isolated: ReadonlySet<number>;
  /** Cooling shortages by area and medium. */
  readonly shortages: ReadonlyMap<string, ZoneShortage>;
  /** Tripped supplies by reference. */
  readonly trips: ReadonlyMap<string, TrippedSupply>;
}

/** Effects of a failure, regardless of how they were computed. */
interface FailureEffectSet {
  readonly offline: Iterable<number>;
  /** Keys of dark racks. */
  readonly racksDark: Iterable<string>;
  readonly trips: Iterable<TrippedSupply>;
  readonly zones: readonly ZoneShortage[];
  readonly fabric: FabricLoss;
  readonly isolated: readonly number[];
}

/**
 * Returns the losses of a failure.
 * @param covered nodes that the work itself takes out, which do not count
 * @param known losses to leave out
 */
function collectLosses(
  topology: Topology,
  covered: ReadonlySet<number>,
  effects: FailureEffectSet,
  known: readonly LossSet[] = [],
): LossSet {
  const { indexOf, nodes } = topology.power;
  // Most losses of a failure during a window are known, so the set of all losses is rarely needed.
  let all: ReadonlySet<number> | undefined;
  // A rack is not lost if the work itself takes out every device in it. A rack without consumers has its power equipment.
  const isLost = (key: string) => {
    all ??= new Set(effects.offline).difference(covered);
    const inside = topology.listDevicesInRack(key).map(({ code }) => indexOf.get(`device:${codeKey(code)}`) ?? -1);
    const consumers = inside.filter((index) => isConsumer(nodes[index]));
    return (consumers.length > 0 ? consumers : inside).some((index) => all?.has(index) === true);
  };
  const excludeKnown = <Key>(keys: Iterable<Key>, of: (harm: LossSet) => { has(key: Key): boolean }) => {
    const others = known.map(of);
    return [...keys].filter((key) => !others.some((one) => one.has(key)));
  };
  const zones = effects.zones.filter(({ short }) => short).map((zone) => [formatZoneKey(zone), zone] as const);
  const trips = [...effects.trips].map((trip) => [trip.ref, trip] as const);
  const [shortBefore, tripsBefore] = [known.map(({ shortages }) => shortages), known.map((harm) => harm.trips)];
  return {
    offlineNodes: new Set(
      selectLostConsumers(
        topology,
        covered,
        excludeKnown(effects.offline, ({ offlineNodes }) => offlineNodes),
      ),
    ),
    racks: new Set(excludeKnown(effects.racksDark, ({ racks }) => racks).filter(isLost)),
    cutOff: new Set(excludeKnown(effects.fabric.cutOff, ({ cutOff }) => cutOff).filter((index) => !covered.has(index))),
    isolated: new Set(excludeKnown(effects.isolated, ({ isolated }) => isolated)),
    shortages: new Map(zones.filter(([key]) => !shortBefore.some((one) => one.has(key)))),
    trips: new Map(trips.filter(([ref]) => !tripsBefore.some((one) => one.has(ref)))),
  };
}

/** Returns the losses of a window itself. @param known losses to leave out */
export function collectOutageLosses(topology: Topology, outage: Outage, known: readonly LossSet[] = []): LossSet {
  const { coveredNodes, blast, zones, fabric, isolated } = outage;
  const effects = {
    offline: blast.hits.flatMap(({ index, state }) => (state === "OFFLINE" ? [index] : [])),
    racksDark: [...blast.racks].flatMap(([key, state]) => (state === "DARK" ? [key] : [])),
    trips: blast.steps.flatMap(({ trips }) => trips),
    zones,
    fabric,
    isolated,
  };
  return collectLosses(topology, coveredNodes, effects, known);
}

/** Lists racks in an area. @param ref site, floor, room, row, zone or rack */
export function listRacksInArea({ inventory }: Topology, ref: string): readonly Rack[] {
  const area = parseRef(ref);
  return area === undefined ? [] : selectRacksIn(inventory.racks, area);
}

/** Returns the offline devices and cooling units without covered nodes and without power equipment. */
function selectLostConsumers(
  { power: { nodes } }: Topology,
  covered: ReadonlySet<number>,
  offline: Iterable<number>,
): readonly number[] {
  return [...offline].filter((index) => {
    if (covered.has(index)) return false;
    const node = nodes[index];
    return node?.kind === "CRAC" || (node?.kind === "DEVICE" && !isPowerKind(node.device.kind));
  });
}

export function isLossSetEmpty({ offlineNodes, racks, cutOff, isolated, shortages, trips }: LossSet): boolean {
  return offlineNodes.size + racks.size + cutOff.size + isolated.size + shortages.size + trips.size === 0;
}

/** References and roles whose loss is accepted. A trip is never accepted. */
export class AcceptedLosses {
  readonly #topology: Topology;
  /** References in lower case. */
  readonly #refs: ReadonlySet<string>;
  readonly #roles: ReadonlySet<string>;

  constructor(topology: Topology, refs: readonly Ref[], roles: readonly string[]) {
    this.#topology = topology;
    this.#refs = new Set(refs.map((ref) => formatRef(ref).toLowerCase()));
    this.#roles = new Set(roles);
  }

  /** Returns the part of a loss that is not accepted. @param all all nodes that are lost, if `harm` is only a part */
  removeAccepted(harm: LossSet, all: ReadonlySet<number> = harm.offlineNodes): LossSet {
    if (this.#refs.size + this.#roles.size === 0) return harm;
    const { offlineNodes, racks, cutOff, isolated, shortages, trips } = harm;
    const removeNodes = (nodes: ReadonlySet<number>) =>
      new Set([...nodes].filter((index) => !this.isNodeAccepted(index)));
    return {
      offlineNodes: removeNodes(offlineNodes),
      racks: new Set([...racks].filter((key) => !this.isRackAccepted(key, all))),
      cutOff: removeNodes(cutOff),
      isolated: removeNodes(isolated),
      shortages: new Map([...shortages].filter(([, { ref }]) => !this.isAreaAccepted(ref))),
      trips,
    };
  }

  isNodeAccepted(index: number): boolean {
    const node = this.#topology.power.nodes[index];
    if (node?.kind === "CRAC") return this.#refs.has(node.ref.toLowerCase());
    if (node?.kind !== "DEVICE") return false;
    const { code, rackCode, role = "" } = node.device;
    return (
      this.#refs.has(`device:${codeKey(code)}`) ||
      (rackCode !== undefined && this.#refs.has(`rack:${codeKey(rackCode)}`)) ||
      this.#roles.has(role)
    );
  }

  /** Whether a rack is accepted: by its reference, or because all of its devices that go off are accepted. */
  isRackAccepted(key: string, off: ReadonlySet<number>): boolean {
    if (this.#refs.has(`rack:${key}`)) return true;
    const { indexOf } = this.#topology.power;
    const lost = this.#topology
      .listDevicesInRack(key)
      .flatMap(({ code }) => indexOf.get(`device:${codeKey(code)}`) ?? [])
      .filter((index) => off.has(index));
    return lost.length > 0 && lost.every((index) => this.isNodeAccepted(index));
  }

  isAreaAccepted(ref: string): boolean {
    return this.#refs.has(ref.toLowerCase());
  }
}

/** A single failure that causes further losses during a window, beyond what the window and the failure cause alone. */
export interface NextFailure {
  readonly index: number;
  /** Losses that neither the window nor the failure causes alone. */
  readonly harm: LossSet;
  /** Keys of the affected racks: dark, short of cooling, with a switch without uplink or a device without data path. */
  readonly racks: ReadonlySet<string>;
  /** Whether the failure trips something, or turns off a device in a rack that the window does not affect. */
  readonly spreads: boolean;
}

/** The outage of a window, its losses, and the losses that are accepted. */
interface WindowLosses {
  readonly outage: Outage;
  readonly harm: LossSet;
  readonly accepted: AcceptedLosses;
}

export interface NextFailures {
  /** Failures sorted by the number of racks, most first. */
  readonly failures: readonly NextFailure[];
  /** Number of elements that were judged with the window. */
  readonly triedCount: number;
}

/**
 * Fails the elements of a window together with each element that can cause further losses with them. Every other
 * element causes the same losses during the window as alone; a law checks this.
 * Cost: the failures that overlap with the window's; at first the footprints of its islands, and the elements that
 * affect cooling or fabrics.
 */
export function* findNextFailures(window: WindowSite, during: WindowLosses): Steps<NextFailures> {
  const { topology, near, cutLinks: cut, cutPaths } = window.input;
  const { outage } = during;
  const trying: FailureTrial = { window, outage, site: yield* window.createTrials() };
  const own = [...outage.coveredNodes].map((index): FailingElement => ({ index, kind: "POWER" }));
  const judged = new NextFailureClassifier(topology, outage);
  const found: NextFailure[] = [];
  const off = [...outage.offNodes];
  for (const outcome of yield* near.findNearFailures(trying.site, own, { off, cut, cutPaths })) {
    const [element] = outcome.elements;
    if (element === undefined || !isElementStillOn(outage, element)) continue;
    const { harm, offline } = computeFurtherLoss(
      trying,
      [...own, element],
      [during.harm, getLossesAlone(window, outcome)],
    );
    const lost = () => new Set(selectLostConsumers(topology, outage.coveredNodes, offline));
    const left = isLossSetEmpty(harm) ? harm : during.accepted.removeAccepted(harm, lost());
    if (!isLossSetEmpty(left)) found.push(judged.createNextFailure(element.index, left));
    yield;
  }
  const getRef = ({ index }: NextFailure) => topology.power.nodes[index]?.ref ?? "";
  found.sort((a, b) => b.racks.size - a.racks.size || compareText(getRef(a), getRef(b)));
  return { failures: found, triedCount: countJudgedElements(trying) };
}

interface FailureTrial {
  readonly window: WindowSite;
  readonly outage: Outage;
  readonly site: SiteTrials;
}

/** Whether an element has power during the outage; otherwise its failure has no effect. */
function isElementStillOn({ offNodes, blast }: Outage, { index }: FailingElement): boolean {
  return !offNodes.has(index) && blast.live[index] === 1;
}

/** Returns losses of a window with a further element, except known losses, and all nodes that go off. */
function computeFurtherLoss(
  { window, outage, site: { trials } }: FailureTrial,
  elements: readonly FailingElement[],
  known: readonly LossSet[],
) {
  const outcome = trials.tryFailure(elements);
  const failed = elements.map(({ index }) => index);
  const effects = { ...outcome, ...window.computeEffects(listOutcomeOffNodes(outcome), failed) };
  return { harm: collectLosses(window.input.topology, outage.coveredNodes, effects, known), offline: outcome.offline };
}

/** Losses of single failures without any window. */
const lossesByFailure = new WeakMap<NearFailureFinder, Map<PowerOutcome, LossSet>>();

/** Returns the losses of a single failure without the window; computed once for a state of the site. */
function getLossesAlone(window: WindowSite, outcome: PowerOutcome): LossSet {
  const { near, topology } = window.input;
  const known = lossesByFailure.getOrInsertComputed(near, () => new Map<PowerOutcome, LossSet>());
  const failed = outcome.elements.map(({ index }) => index);
  const effects = () => window.computeEffects(listOutcomeOffNodes(outcome), failed, false);
  return known.getOrInsertComputed(outcome, () => collectLosses(topology, NO_NODES, { ...outcome, ...effects() }));
}

const NO_NODES: ReadonlySet<number> = new Set();

/**
 * Counts the elements whose failure is judged with a window: those that supply connects to the window's elements, or
 * all if the window affects cooling, fabrics or data paths.
 */
function countJudgedElements({ window, outage, site: { islandByNode } }: FailureTrial): number {
  const { near, topology, cutPaths } = window.input;
  const hasWideEffects =
    outage.fabric.links.length > 0 ||
    near.effects.hasDataPaths(outage.offNodes) ||
    cutPaths.size > 0 ||
    [...outage.offNodes].some((index) => topology.power.nodes[index]?.kind === "CRAC");
  const islands = new Set([...outage.coveredNodes].map((index) => islandByNode[index] ?? -1));
  const others = hasWideEffects
    ? near.site.outcomes
    : [...islands].flatMap((one) => near.footprints.listIslandOutcomes(one));
  return others.filter(({ elements: [element] }) => element !== undefined && isElementStillOn(outage, element)).length;
}

/** Classifies further failures during a window by the racks that they affect. */
class NextFailureClassifier {
  readonly #topology: Topology;
  /** Nodes of devices that already have less supply. */
  readonly #degradedNodes: ReadonlySet<number>;
  /** Keys of racks that the window affects. */
  readonly #touchedRacks: ReadonlySet<string | undefined>;

  constructor(topology: Topology, { blast, coveredNodes }: Outage) {
    this.#topology = topology;
    this.#degradedNodes = new Set(blast.hits.filter(({ state }) => state === "DEGRADED").map(({ index }) => index));
    this.#touchedRacks = new Set([
      ...blast.racks.keys(),
      ...[...coveredNodes].map((index) => this.#findRackKey(index)),
    ]);
  }

  createNextFailure(index: number, harm: LossSet): NextFailure {
    const racks = new Set(harm.racks);
    for (const at of [...harm.cutOff, ...harm.isolated]) {
      const key = this.#findRackKey(at);
      if (key !== undefined) racks.add(key);
    }
    for (const { ref } of harm.shortages.values())
      for (const { code } of listRacksInArea(this.#topology, ref)) racks.add(codeKey(code));
    const isElsewhere = (at: number) => {
      const key = this.#findRackKey(at);
      return key !== undefined && !this.#degradedNodes.has(at) && !this.#touchedRacks.has(key);
    };
    return { index, harm, racks, spreads: harm.trips.size > 0 || [...harm.offlineNodes].some(isElsewhere) };
  }

  #findRackKey(index: number): string | undefined {
    const node = this.#topology.power.nodes[index];
    const code = node?.kind === "DEVICE" ? node.device.rackCode : undefined;
    return code === undefined ? undefined : codeKey(code);
  }
}
