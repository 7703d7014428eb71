import { isDeviceInBay } from "#dc/model/blades.ts";
import { codeKey } from "#dc/model/code.ts";
import { parseRef, toPortKey } from "#dc/model/ref.ts";
import type { Cable, Device, Port, PortRef, PowerIn } from "#dc/model/resources.ts";
import { LayeredMap } from "../layered_map.ts";
import type { PowerNodeTable } from "./power_node_table.ts";
import { createUndeclaredFeed } from "./power_nodes.ts";

/** Recorded supply of an inlet: no record, a source without power (CUT), or the node number of a source with power. */
export type InletSource = "UNRECORDED" | "CUT" | number;

/** The other end of a cable, and whether the cable carries power. */
interface CableFarEnd {
  readonly end: PortRef;
  readonly carries: boolean;
}

/** Finds the recorded supply of inlets, and records consumers that name missing sources. */
export class SupplyResolver {
  readonly #table: PowerNodeTable;
  /** The other end of every power cable by the key of either end. */
  readonly #farEnds: LayeredMap<CableFarEnd>;
  /** Keys of consumers, by the key of a source that is missing. */
  readonly #consumersOfMissing: Map<string, ReadonlySet<string>>;

  constructor(table: PowerNodeTable, from?: SupplyResolver) {
    this.#table = table;
    this.#farEnds = from === undefined ? new LayeredMap() : from.#farEnds.createNext();
    this.#consumersOfMissing = new Map(from === undefined ? [] : from.#consumersOfMissing);
  }

  addCable(cable: Cable): void {
    const { a, b } = cable;
    this.#farEnds.set(toPortKey(a), { end: b, carries: carriesPower(cable) });
    this.#farEnds.set(toPortKey(b), { end: a, carries: carriesPower(cable) });
  }

  removeCable({ a, b }: Cable): void {
    this.#farEnds.delete(toPortKey(a));
    this.#farEnds.delete(toPortKey(b));
  }

  /** Returns the port at the other end of a port's power cable. @param key key of the port */
  findCabledPort(key: string): PortRef | undefined {
    return this.#farEnds.get(key)?.end;
  }

  /** Returns the source of a device's inlet. An inlet whose cable is planned or being removed is CUT. */
  findInletSource({ code }: Device, { name, powerIn }: Port): InletSource {
    const ownerKey = `device:${codeKey(code)}`;
    const cable = this.#farEnds.get(toPortKey({ deviceCode: code, portName: name }));
    if (cable?.carries === false) return "CUT";
    if (powerIn?.sourceRef !== undefined) return this.#resolveSourceRef(powerIn.sourceRef, ownerKey);
    return cable === undefined ? "UNRECORDED" : this.#resolveSourceKey(`port:${toPortKey(cable.end)}`, ownerKey);
  }

  /** Returns the source of a cooling unit's input. */
  findInputSource({ sourceRef }: PowerIn, ownerKey: string): InletSource {
    return sourceRef === undefined ? "UNRECORDED" : this.#resolveSourceRef(sourceRef, ownerKey);
  }

  /** Returns the node of a blade's chassis; undefined for a device outside of a bay. */
  findChassisNode(device: Device): number | undefined {
    if (!isDeviceInBay(device)) return undefined;
    const key = `device:${codeKey(device.parentDeviceCode ?? "")}`;
    // Writes reject a device in its own bay, but a change feed may contain one. It then has no supply.
    if (key === `device:${codeKey(device.code)}`) return undefined;
    const found = this.#table.indexOf.get(key);
    const node = this.#table.nodes[found ?? -1];
    if (node?.kind === "DEVICE" && node.device.kind === "CHASSIS") return found;
    this.#addWaitingConsumer(key, `device:${codeKey(device.code)}`);
    return undefined;
  }

  /** Returns keys of the devices and cooling units that named a source before it existed. */
  listWaitingConsumers(sourceKey: string): Iterable<string> {
    return this.#consumersOfMissing.get(sourceKey) ?? [];
  }

  /** Removes the records of missing sources that a device or cooling unit names. */
  removeWaitingConsumer(ownerKey: string): void {
    for (const [source, owners] of this.#consumersOfMissing) {
      if (!owners.has(ownerKey)) continue;
      const rest = new Set([...owners].filter((owner) => owner !== ownerKey));
      if (rest.size === 0) this.#consumersOfMissing.delete(source);
      else this.#consumersOfMissing.set(source, rest);
    }
  }

  #resolveSourceRef(sourceRef: string, ownerKey: string): InletSource {
    const ref = parseRef(sourceRef);
    if (ref?.kind === "device") return this.#resolveSourceKey(`device:${codeKey(ref.code)}`, ownerKey);
    if (ref?.kind === "port") return this.#resolveSourceKey(`port:${toPortKey(ref.end)}`, ownerKey);
    if (ref?.kind !== "feed") return "UNRECORDED";
    const key = `feed:${codeKey(ref.code)}`;
    return this.#table.indexOf.get(key) ?? this.#table.placeNode([key], createUndeclaredFeed(ref.code));
  }

  /** Returns the node of a source. A missing source counts as unrecorded. */
  #resolveSourceKey(sourceKey: string, ownerKey: string): InletSource {
    const index = this.#table.indexOf.get(sourceKey);
    if (index === undefined) this.#addWaitingConsumer(sourceKey, ownerKey);
    return index ?? "UNRECORDED";
  }

  #addWaitingConsumer(sourceKey: string, ownerKey: string): void {
    this.#consumersOfMissing.set(sourceKey, new Set(this.#consumersOfMissing.get(sourceKey)).add(ownerKey));
  }
}

/** Whether a power cable carries power; planned cables and cables to be removed carry none. */
export function carriesPower({ status }: Cable): boolean {
  return status === undefined || status === "CONNECTED";
}
