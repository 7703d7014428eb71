import { codeKey } from "#dc/model/code.ts";
import { formatRef, type Ref } from "#dc/model/ref.ts";
import type { Topology } from "../topology.ts";
import type { LossSet } from "./harm.ts";

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
    const { offlineNodes, racks, cutOff, shortages, trips } = harm;
    return {
      offlineNodes: new Set([...offlineNodes].filter((index) => !this.isNodeAccepted(index))),
      racks: new Set([...racks].filter((key) => !this.isRackAccepted(key, all))),
      cutOff: new Set([...cutOff].filter((index) => !this.isNodeAccepted(index))),
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
