import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import { isSameJson } from "#kernel/json_object.ts";
import type { LoadBasis } from "../../model/enum_values.ts";
import type { Ref } from "../../model/ref.ts";
import type { LinkDevices } from "../fabric/fabric_tiers.ts";
import { isSameItemList } from "../persistent.ts";
import { NODE_BITS } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";
import {
  type Failure,
  listFailingNodes,
  listOutcomeOffNodes,
  type PowerOutcome,
  selectCoolingUnits,
} from "./elements.ts";
import type { FailureFootprint, NodeTable } from "./failure_sweep.ts";
import { FabricLossFinder } from "./loss.ts";
import { ZoneShortageFinder } from "./zone_shortage.ts";

/** Adds the effects on cooling and fabrics to an outcome. */
export class CoolingAndFabricEffects {
  readonly zoneWatch: ZoneShortageFinder;
  readonly fabrics: FabricLossFinder;
  readonly #topology: Topology;
  readonly #hostPaths: PathIndex | undefined;
  /** Whether networks are the same as in the earlier state, so that the earlier effects on fabrics apply. */
  readonly #keepsNetwork: boolean;

  /**
   * Prepares the effects for a site.
   * @param network `deviceOf` is compared by identity: the same function must return the same devices
   * @param hostPaths undefined where isolated devices do not count
   * @param earlier the effects of an earlier state of the site
   */
  constructor(
    topology: Topology,
    {
      basis,
      hostPaths,
      ...network
    }: LinkDevices & { readonly basis: LoadBasis; readonly hostPaths?: PathIndex | undefined },
    earlier?: CoolingAndFabricEffects,
  ) {
    this.#topology = topology;
    this.#hostPaths = hostPaths;
    this.zoneWatch = new ZoneShortageFinder(topology, basis);
    this.fabrics = FabricLossFinder.of(topology, network);
    this.#keepsNetwork = this.fabrics === earlier?.fabrics && hostPaths === earlier.#hostPaths;
  }

  /**
   * Adds the effects to an outcome.
   * @param earlier failure with the same outcome in the earlier state, which is returned if the effects are equal
   * @param cut links, and paths of hosts, that go down regardless of the devices at their ends
   */
  addEffects(outcome: PowerOutcome, earlier?: Failure, cut?: NetworkCut): Failure {
    const isCooling = outcome.impact.cracsOffline > 0;
    if (earlier !== undefined && this.#keepsNetwork && !isCooling && !earlier.meetsDataPaths) return earlier;
    const off = listOutcomeOffNodes(outcome);
    const zones = isCooling ? this.listZoneShortages(off) : NO_ZONES;
    const loss = this.fabrics.computeFabricLoss(off, cut?.links);
    const failed = outcome.elements.flatMap(listFailingNodes);
    const isolated = this.listIsolated({ off, failed, ...loss }, cut?.paths);
    const isSame =
      earlier !== undefined &&
      this.#keepsNetwork &&
      isSameJson(zones, earlier.zones) &&
      isSameItemList(isolated, earlier.isolated);
    if (isSame) return earlier;
    const meetsDataPaths = this.hasDataPaths([...off, ...loss.cutOff]);
    return { ...outcome, zones, ...loss, isolated, meetsDataPaths };
  }

  /**
   * Lists the devices that stay on and lose their last data path.
   * @param cutPaths all paths of the hosts that have one through a failed port
   */
  listIsolated({ off, cutOff, failed }: NetworkFailure, cutPaths = NO_PATHS): readonly number[] {
    if (this.#hostPaths === undefined) return NO_NODES;
    const { pathsByHost } = this.#hostPaths;
    const hosts = this.#hostPaths.listHosts(cutOff.length === 0 ? off : [...off, ...cutOff]);
    if (hosts.size + cutPaths.size === 0) return NO_NODES;
    const before = { topology: this.#topology, cutOff: this.fabrics.cutOffBefore };
    const paths = { get: (host: number) => cutPaths.get(host) ?? pathsByHost.get(host) };
    return selectIsolatedHosts(new Set([...hosts, ...cutPaths.keys()]), paths, before, { off, cutOff, failed });
  }

  /**
   * Lists areas whose cooling a failure reduces.
   * @param off nodes that do not work
   * @param withDeeper as for `ZoneShortageFinder.listShortages`
   */
  listZoneShortages(off: readonly number[], withDeeper = false): readonly ZoneShortage[] {
    const lost = selectCoolingUnits(this.#topology.power, off);
    return lost.length === 0 ? NO_ZONES : this.zoneWatch.listShortages(lost, off, withDeeper);
  }

  /** Returns the areas whose cooling units a failure takes. @param off nodes that do not work */
  listAffectedAreas(off: readonly number[]): readonly Ref[] {
    return this.zoneWatch.listAffectedAreas(selectCoolingUnits(this.#topology.power, off));
  }

  /** Whether data paths of devices pass any of some nodes. */
  hasDataPaths(nodes: Iterable<number>): boolean {
    return this.#hostPaths?.isOnPath(nodes) ?? false;
  }

  /**
   * Returns names of the cooled areas, switches and hosts that a failure affects. Failures with a common name can affect
   * each other.
   * @param cut as for `FabricLossFinder.computeFabricLoss`
   * @param cutPaths as for `listIsolated`
   */
  listMeetingNames(off: readonly number[], cut: readonly number[] = [], cutPaths = NO_PATHS): readonly string[] {
    const lowerEnds = this.fabrics.listLowerEnds(off, cut);
    const hosts = this.#hostPaths?.listHosts([...off, ...lowerEnds]) ?? [];
    return [
      ...this.zoneWatch.listAffectedKeys(selectCoolingUnits(this.#topology.power, off)).map((key) => `zone ${key}`),
      ...lowerEnds.map((index) => `switch ${index}`),
      ...[...hosts, ...cutPaths.keys()].map((index) => `host ${index}`),
    ];
  }
}

const NO_ZONES: readonly ZoneShortage[] = [];
const NO_NODES: readonly number[] = [];
const NO_PATHS: PathsByHost = new Map();

/** The state before a failure that decides which data paths work: power, and switches without a working uplink. */
export interface NetworkState {
  readonly topology: Pick<Topology, "power" | "live">;
  readonly cutOff: ReadonlySet<number>;
}

/** Parts of networks that go down regardless of the devices at their ends. */
export interface NetworkCut {
  /** Numbers of fabric links. */
  readonly links: readonly number[];
  /** All paths of the hosts that have one through a failed port. */
  readonly paths: PathsByHost;
}

/** Nodes that do not work after a failure. */
export interface NetworkFailure {
  /** Nodes that are off, the failed ones included. */
  readonly off: readonly number[];
  /** Switches that stay on and lose their last working uplink. */
  readonly cutOff: readonly number[];
  /** Nodes that fail themselves, rather than lose their supply. */
  readonly failed: Iterable<number>;
}

/** Node that a data path through a failed port has in addition. */
export const FAILED_PORT = -2;

/** By host, the nodes along each of its data paths: patch panels, and the switch at its end. */
export type PathsByHost = ReadonlyMap<number, readonly (readonly number[])[]>;

/**
 * Returns the hosts that stay on and lose their last data path: some worked before the failure, and none works after
 * it. Every analysis judges by this function. The switch at the end of a path needs power and an uplink. What a path
 * passes before it is passive, such as a patch panel: it needs no power, only to be in service.
 */
export function selectIsolatedHosts(
  hosts: Iterable<number>,
  paths: Pick<PathsByHost, "get">,
  { topology: { power, live }, cutOff }: NetworkState,
  failure: NetworkFailure,
): readonly number[] {
  const [dead, failed] = [new Set([...failure.off, ...failure.cutOff]), new Set([...failure.failed, FAILED_PORT])];
  const isEnd = (path: readonly number[], at: number) => at === path.length - 1;
  const worksBefore = (path: readonly number[]) =>
    path.every((node, at) =>
      isEnd(path, at) ? live[node] !== 0 && !cutOff.has(node) : power.nodes[node]?.blocked !== true,
    );
  const worksAfter = (path: readonly number[]) =>
    path.every((node, at) => !(isEnd(path, at) ? dead : failed).has(node));
  return [...hosts].filter((host) => {
    if (live[host] !== 1 || dead.has(host)) return false;
    const working = (paths.get(host) ?? []).filter(worksBefore);
    return working.length > 0 && !working.some(worksAfter);
  });
}

/** Data paths of all devices to switches, by node number. Omits paths of switches with fabric links. */
export class PathIndex {
  readonly pathsByHost: PathsByHost;
  readonly #hostsByNode = new Map<number, Set<number>>();

  constructor(pathsByHost: PathsByHost) {
    this.pathsByHost = pathsByHost;
    for (const [host, paths] of pathsByHost)
      for (const node of paths.flat()) this.#hostsByNode.getOrInsertComputed(node, () => new Set()).add(host);
  }

  /** Whether a path passes any of some nodes. */
  isOnPath(nodes: Iterable<number>): boolean {
    return Iterator.from(nodes).some((node) => this.#hostsByNode.has(node));
  }

  /** Returns the hosts with a path through some nodes. */
  listHosts(nodes: Iterable<number>): ReadonlySet<number> {
    const found = new Set<number>();
    for (const node of nodes) for (const host of this.#hostsByNode.get(node) ?? []) found.add(host);
    return found;
  }
}

/** Maximum difference in watts between a sum of loads and the load that is compared with a limit. */
const LOAD_ROUNDING_W = 2;

/** Number for failures that may affect every other failure. */
const ANY_FAILURE = -1;
const ANY_FAILURE_ONLY: readonly number[] = [ANY_FAILURE];

/** A footprint with numbers of a `SharedNumbers` in place of reached and changed nodes. */
export type FailureReachNumbers = FailureFootprint;

/**
 * Numbers of the racks, nodes and names that failures can share. A rack includes its contents, a device its outlets, so
 * adding nodes to them changes no number.
 */
export class SharedNumbers {
  readonly #numbersByName = new Map<string, number>();

  assignNumber(name: string): number {
    return this.#numbersByName.getOrInsertComputed(name, () => ANY_FAILURE - 1 - this.#numbersByName.size);
  }

  /**
   * Converts a footprint to numbers.
   * @param footprint undefined if the failure may affect every other one
   * @param names names of further areas and switches that failures can share
   */
  convertFootprint(
    nodes: NodeTable,
    footprint: FailureFootprint | undefined,
    names: readonly string[],
  ): FailureReachNumbers {
    if (footprint === undefined) return { reached: ANY_FAILURE_ONLY, changed: ANY_FAILURE_ONLY, rises: new Map() };
    const others = names.map((name) => this.assignNumber(name));
    const { reached, changed, rises } = footprint;
    return {
      reached: this.#convertNodes(nodes, reached, others),
      changed: this.#convertNodes(nodes, changed, others),
      rises,
    };
  }

  #convertNodes(nodes: NodeTable, indexes: readonly number[], others: readonly number[]): readonly number[] {
    const found = new Set(others);
    for (const index of indexes) found.add(this.#convertNode(nodes, index));
    return [...found];
  }

  #convertNode({ rack, rackKeys, graph }: NodeTable, index: number): number {
    const { inAt, inEnd, from } = graph.edges;
    const first = inAt[index] as number;
    const isOutlet = ((graph.columns.kind[index] as number) & NODE_BITS.OUTLET) !== 0;
    const at = isOutlet && first < (inEnd[index] as number) ? (from[first] as number) : index;
    const key = rackKeys[rack[at] as number];
    return key === undefined ? at : this.assignNumber(formatRackName(key));
  }
}

/** Returns the name of a rack for `SharedNumbers`. @param key key of its code */
export function formatRackName(key: string): string {
  return `rack ${key}`;
}

/**
 * Finds the failures that can have additional effects together with a given failure. Together with any other failure,
 * it has only the union of their effects: neither touches the load or supply of a node that loses supply by the other,
 * and no source exceeds its limit by both increases.
 */
export class FailureOverlaps {
  readonly #failureCount: number;
  readonly #byReached = new Map<number, number[]>();
  readonly #byChanged = new Map<number, number[]>();
  readonly #byRise = new Map<number, { readonly at: number; readonly watts: number }[]>();

  constructor(reaches: readonly FailureReachNumbers[]) {
    this.#failureCount = reaches.length;
    for (const [at, { reached, changed, rises }] of reaches.entries()) {
      for (const number of reached) this.#byReached.getOrInsert(number, []).push(at);
      for (const number of changed) this.#byChanged.getOrInsert(number, []).push(at);
      for (const [node, watts] of rises) this.#byRise.getOrInsert(node, []).push({ at, watts });
    }
    for (const list of this.#byRise.values()) list.sort((a, b) => b.watts - a.watts);
  }

  /** Returns positions of failures that overlap with a given one. @param slackW watts that a node's load may rise */
  findOverlapping(
    { reached, changed, rises }: FailureReachNumbers,
    slackW: (node: number) => number,
  ): ReadonlySet<number> {
    const found = new Set<number>();
    const add = (others: Iterable<number> = []) => {
      for (const other of others) found.add(other);
    };
    if (reached.includes(ANY_FAILURE)) add(Array(this.#failureCount).keys());
    for (const number of reached) add(this.#byChanged.get(number));
    for (const number of changed) add(this.#byReached.get(number));
    add(this.#byReached.get(ANY_FAILURE));
    for (const [node, watts] of rises) add(this.#yieldExceeding(node, slackW(node) - LOAD_ROUNDING_W - watts));
    return found;
  }

  /** Yields positions of the failures that raise the load of a node by more than `slackW` watts. */
  *#yieldExceeding(node: number, slackW: number): Iterable<number> {
    for (const { at, watts } of this.#byRise.get(node) ?? []) {
      if (watts <= slackW) return;
      yield at;
    }
  }
}
