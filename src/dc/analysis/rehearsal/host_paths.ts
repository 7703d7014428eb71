import type { LiveSet } from "../power/power_live.ts";

/** Data paths of all devices to switches, by node number. Omits paths of switches with fabric links. */
export class HostPaths {
  /** By host, the nodes along each path: patch panels, and the switch at its end. */
  readonly #pathsByHost: ReadonlyMap<number, readonly (readonly number[])[]>;
  readonly #hostsByNode = new Map<number, Set<number>>();
  /** 1 at nodes on paths: reading it is cheaper than a map, and most nodes are on no path. */
  readonly #isOnPath: Uint8Array;

  constructor(nodeCount: number, pathsByHost: ReadonlyMap<number, readonly (readonly number[])[]>) {
    this.#pathsByHost = pathsByHost;
    this.#isOnPath = new Uint8Array(nodeCount);
    for (const [host, paths] of pathsByHost) {
      for (const node of paths.flat()) {
        this.#isOnPath[node] = 1;
        this.#hostsByNode.getOrInsertComputed(node, () => new Set()).add(host);
      }
    }
  }

  /** Whether a path passes any of some nodes. */
  isOnPath(nodes: readonly number[]): boolean {
    return nodes.some((node) => this.#isOnPath[node] === 1);
  }

  /** Returns the hosts with a path through some nodes. */
  listHosts(nodes: Iterable<number>): ReadonlySet<number> {
    const found = new Set<number>();
    for (const node of nodes)
      if (this.#isOnPath[node] === 1) for (const host of this.#hostsByNode.get(node) ?? []) found.add(host);
    return found;
  }

  /**
   * Returns the hosts that stay on while each of their paths passes a dead node.
   * @param live nodes that have power before the failure
   * @param off nodes that do not work after it
   * @param cutOff nodes of switches that stay on without a working uplink
   */
  listIsolated(live: LiveSet, off: readonly number[], cutOff: readonly number[]): readonly number[] {
    const hosts = this.listHosts(cutOff.length === 0 ? off : [...off, ...cutOff]);
    if (hosts.size === 0) return [];
    const dead = new Set([...off, ...cutOff]);
    const isBroken = (path: readonly number[]) => path.some((node) => dead.has(node));
    return [...hosts].filter(
      (host) => live[host] === 1 && !dead.has(host) && this.#pathsByHost.get(host)?.every(isBroken) === true,
    );
  }
}
