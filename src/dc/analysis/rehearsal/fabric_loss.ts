import { codeKey } from "#dc/model/code.ts";
import { viewLink } from "../fabric_links.ts";
import { type DeviceOf, tiersOf } from "../fabric_tiers.ts";
import type { Topology } from "../topology.ts";

/** What becomes of fabrics when devices go off. */
export interface FabricLoss {
  /** Numbers of the links that go down. */
  readonly links: readonly number[];
  /** Nodes of switches that stay on and lose their last working uplink. */
  readonly cutOff: readonly number[];
}

interface Link {
  readonly mbps: number;
  /** Nodes of the two ends; -1 for a device that is not in the inventory. */
  readonly ends: readonly [number, number];
  /** Node of the end in the lower tier; -1 for a link within a tier. */
  readonly lower: number;
}

const NOTHING: FabricLoss = { links: [], cutOff: [] };
const NO_LIMITS = { congestionPct: 100, watchPct: 100 };
const NONE_FAILED = { failed: new Set<string>() };

/** The working links of all fabrics by the nodes of their ends. */
export class FabricWatch {
  readonly #links: readonly Link[];
  readonly #byNode = new Map<number, number[]>();

  /** @param deviceOf devices with their network ports, by the key of their code: a link of a disabled port is down */
  constructor({ inventory, power }: Topology, deviceOf: DeviceOf) {
    const tiers = tiersOf(inventory.fabricLinks, deviceOf);
    const nodeOf = (code: string) => power.indexOf.get(`device:${codeKey(code)}`) ?? -1;
    this.#links = inventory.fabricLinks.flatMap((link): Link[] => {
      if (!viewLink(link, { deviceOf, ...NONE_FAILED }, NO_LIMITS).live) return [];
      const ends = [nodeOf(link.a.deviceCode), nodeOf(link.b.deviceCode)] as const;
      const [a = 0, b = 0] = [link.a, link.b].map(({ deviceCode }) => tiers.get(codeKey(deviceCode)));
      return [{ mbps: link.capacityMbps ?? 0, ends, lower: a === b ? -1 : a < b ? ends[0] : ends[1] }];
    });
    for (const [at, { ends }] of this.#links.entries()) {
      for (const node of new Set(ends)) {
        const list = this.#byNode.get(node);
        if (list === undefined) this.#byNode.set(node, [at]);
        else list.push(at);
      }
    }
  }

  /** Capacity of links in megabits per second. */
  mbpsOf(links: Iterable<number>): number {
    let sum = 0;
    for (const at of links) sum += this.#links[at]?.mbps ?? 0;
    return sum;
  }

  /** Nodes of the switches whose uplinks go down with some nodes. */
  lowerEnds(off: readonly number[]): readonly number[] {
    const found = new Set<number>();
    for (const node of off) for (const at of this.#byNode.get(node) ?? []) found.add(this.#links[at]?.lower ?? -1);
    found.delete(-1);
    return [...found];
  }

  /** @param off nodes that do not work any more */
  after(off: readonly number[]): FabricLoss {
    const down = new Set<number>();
    for (const node of off) for (const at of this.#byNode.get(node) ?? []) down.add(at);
    if (down.size === 0) return NOTHING;
    const gone = new Set(off);
    const lower = new Set([...down].flatMap((at) => this.#links[at]?.lower ?? -1));
    const cutOff = [...lower].filter((node) => {
      if (node < 0 || gone.has(node)) return false;
      const uplinks = (this.#byNode.get(node) ?? []).filter((at) => this.#links[at]?.lower === node);
      return uplinks.every((at) => down.has(at));
    });
    return { links: [...down], cutOff };
  }
}
