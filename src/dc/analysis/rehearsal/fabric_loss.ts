import { codeKey } from "#dc/model/code.ts";
import type { FabricLink } from "#dc/model/resources.ts";
import { canCarryTraffic } from "../fabric/fabric_links.ts";
import { type FindDeviceByKey, rankTiers } from "../fabric/fabric_tiers.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import type { Topology } from "../topology.ts";

/** Effects of offline devices on fabrics. */
export interface FabricLoss {
  /** Numbers of the links that go down. */
  readonly links: readonly number[];
  /** Nodes of switches that stay on and lose their last working uplink. */
  readonly cutOff: readonly number[];
}

/** Load of the uplinks of a switch in percent of their capacity. */
export interface UplinkLoad {
  readonly node: number;
  readonly loadPct: number;
  readonly loadBeforePct: number;
  /** Number of uplinks that still work. */
  readonly uplinks: number;
}

interface WorkingLink {
  readonly link: FabricLink;
  readonly mbps: number;
  /** Nodes of the two ends; -1 for a device that is not in the inventory. */
  readonly endNodes: readonly [number, number];
  /** Node of the end in the lower tier; -1 for a link within a tier. */
  readonly lowerNode: number;
}

const NO_LINKS: readonly number[] = [];
/** Latest fabrics by the function that finds their switches. */
const latestByLookup = new WeakMap<FindDeviceByKey, FabricLossFinder>();
const NO_FABRIC_LOSS: FabricLoss = { links: [], cutOff: [] };

/** Working links of all fabrics by the nodes of their ends, and the effect of losing nodes or links. */
export class FabricLossFinder {
  readonly #links: readonly WorkingLink[];
  readonly #linksByNode = new Map<number, number[]>();
  /** 1 at nodes with links: reading it is cheaper than a map, and most nodes have no links. */
  readonly #isLinked: Uint8Array;
  /** Numbers of each node's links to a higher tier. */
  readonly #uplinksByNode = new Map<number, number[]>();
  readonly #fabricLinks: readonly FabricLink[];
  /** Nodes by the codes at the ends of links. */
  readonly #nodesByCode = new Map<string, number>();
  readonly #darkNodes = new Set<number>();

  /**
   * Returns the fabrics of a topology. The latest ones are used again while links, switches and their nodes are the same.
   * @param deviceOf compared by identity: the same function must return the same devices, with their network ports
   */
  static of(topology: Topology, deviceOf: FindDeviceByKey): FabricLossFinder {
    const known = latestByLookup.get(deviceOf);
    if (known?.isSameFabric(topology) === true) return known;
    const found = new FabricLossFinder(topology, deviceOf);
    latestByLookup.set(deviceOf, found);
    return found;
  }

  /** Reads the working fabric links; a link at a disabled port, or at a switch without power, is down already. */
  private constructor({ inventory, power, live }: Topology, deviceOf: FindDeviceByKey) {
    const tiers = rankTiers(inventory.fabricLinks, deviceOf);
    this.#fabricLinks = inventory.fabricLinks;
    const nodeOf = (code: string): number => {
      return this.#nodesByCode.getOrInsertComputed(code, () => findDeviceNode(power, code));
    };
    this.#links = inventory.fabricLinks.flatMap((link): WorkingLink[] => {
      if (!canCarryTraffic(link, deviceOf)) return [];
      const ends = [nodeOf(link.a.deviceCode), nodeOf(link.b.deviceCode)] as const;
      const dark = ends.filter((node) => live[node] === 0);
      for (const node of dark) this.#darkNodes.add(node);
      if (dark.length > 0) return [];
      const [a = 0, b = 0] = [link.a, link.b].map(({ deviceCode }) => tiers.get(codeKey(deviceCode)));
      return [
        { link, mbps: link.capacityMbps ?? 0, endNodes: ends, lowerNode: a === b ? -1 : a < b ? ends[0] : ends[1] },
      ];
    });
    this.#isLinked = new Uint8Array(power.nodes.length);
    for (const [at, { endNodes, lowerNode }] of this.#links.entries()) {
      for (const node of endNodes) if (node >= 0) this.#isLinked[node] = 1;
      this.#linksByNode.getOrInsert(endNodes[0], []).push(at);
      if (endNodes[1] !== endNodes[0]) this.#linksByNode.getOrInsert(endNodes[1], []).push(at);
      if (lowerNode >= 0) this.#uplinksByNode.getOrInsert(lowerNode, []).push(at);
    }
  }

  /** Returns the total capacity of links in megabits per second. */
  sumMbps(links: Iterable<number>): number {
    let sum = 0;
    for (const at of links) sum += this.#links[at]?.mbps ?? 0;
    return sum;
  }

  /** Returns nodes of the switches that lose uplinks if some nodes and links fail. */
  listLowerEnds(off: Iterable<number>, cut: readonly number[] = []): readonly number[] {
    const found = new Set(cut.map((at) => this.#links[at]?.lowerNode ?? -1));
    for (const node of off) for (const at of this.#listNodeLinks(node)) found.add(this.#links[at]?.lowerNode ?? -1);
    found.delete(-1);
    return [...found];
  }

  /** Returns numbers of the working links that a predicate selects. */
  listLinkNumbers(isChosen: (link: FabricLink) => boolean): readonly number[] {
    return this.#links.flatMap(({ link }, at) => (isChosen(link) ? [at] : []));
  }

  /** Returns numbers of a node's working links that satisfy a predicate. */
  listNodeLinkNumbers(node: number, isChosen: (link: FabricLink) => boolean): readonly number[] {
    return this.#listNodeLinks(node).filter((at) => isChosen((this.#links[at] as WorkingLink).link));
  }

  /**
   * Returns the load of remaining uplinks, which take over the traffic of all uplinks of their switch, for switches
   * that lose some uplinks and keep others.
   * @param down numbers of the links that go down
   * @param isGone whether a node no longer works
   */
  computeUplinkLoads(down: readonly number[], isGone: (node: number) => boolean): readonly UplinkLoad[] {
    const lost = new Set(down);
    const lower = new Set(down.map((at) => this.#links[at]?.lowerNode ?? -1));
    lower.delete(-1);
    return [...lower].flatMap((node): UplinkLoad[] => {
      const all = (this.#uplinksByNode.get(node) ?? []).flatMap((at) => {
        const link = this.#links[at];
        return link === undefined ? [] : [{ ...link, at }];
      });
      const left = all.filter(({ at }) => !lost.has(at));
      const capacity = sumLinkMbps(left);
      if (isGone(node) || capacity === 0) return [];
      const load = all.reduce((sum, { link }) => sum + Math.max(link.aToBMbps ?? 0, link.bToAMbps ?? 0), 0);
      const before = sumLinkMbps(all);
      return [{ node, loadPct: (load * 100) / capacity, loadBeforePct: (load * 100) / before, uplinks: left.length }];
    });
  }

  /** Whether links and nodes of switches are the same in a topology with the same switches. */
  isSameFabric({ inventory, power, live }: Topology): boolean {
    if (inventory.fabricLinks !== this.#fabricLinks) return false;
    return [...this.#nodesByCode].every(
      ([code, node]) => findDeviceNode(power, code) === node && (live[node] === 0) === this.#darkNodes.has(node),
    );
  }

  #listNodeLinks(node: number): readonly number[] {
    return this.#isLinked[node] === 1 ? (this.#linksByNode.get(node) ?? []) : NO_LINKS;
  }

  listLinks(numbers: readonly number[]): readonly FabricLink[] {
    return numbers.flatMap((at) => this.#links[at]?.link ?? []);
  }

  /**
   * Returns the effects of nodes and links that no longer work.
   * @param off nodes that no longer work
   * @param cut numbers of links that go down regardless of their ends
   */
  computeFabricLoss(off: readonly number[], cut: readonly number[] = []): FabricLoss {
    const down = new Set(cut);
    for (const node of off) for (const at of this.#listNodeLinks(node)) down.add(at);
    if (down.size === 0) return NO_FABRIC_LOSS;
    const gone = new Set(off);
    const lower = new Set<number>();
    for (const at of down) lower.add(this.#links[at]?.lowerNode ?? -1);
    lower.delete(-1);
    const cutOff = [...lower].filter(
      (node) => !gone.has(node) && (this.#uplinksByNode.get(node) ?? []).every((at) => down.has(at)),
    );
    return { links: [...down], cutOff };
  }
}

function sumLinkMbps(links: readonly WorkingLink[]): number {
  return links.reduce((sum, link) => sum + link.mbps, 0);
}

function findDeviceNode({ indexOf }: PowerGraph, code: string): number {
  return indexOf.get(`device:${codeKey(code)}`) ?? -1;
}
