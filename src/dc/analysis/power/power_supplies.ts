import { isDeviceInBay } from "#dc/model/blades.ts";
import { codeKey } from "#dc/model/code.ts";
import { parseRef, portKey } from "#dc/model/ref.ts";
import type { Cable, Device, Port, PortRef, PowerIn } from "#dc/model/resources.ts";
import { LayeredMap } from "../layered_map.ts";
import type { PowerNodeTable } from "./power_node_table.ts";
import { createUndeclaredFeed } from "./power_nodes.ts";

/** Recorded supply of an inlet: no record, a source without power (CUT), or the node number of a source with power. */
export type InletSource = "UNRECORDED" | "CUT" | number;

/** The other end of a cable, and whether the cable carries power. */
interface Cabled {
  readonly end: PortRef;
  readonly carries: boolean;
}

/** Finds the recorded supply of inlets, and records consumers that name missing sources. */
export class PowerSupplies {
  readonly #table: PowerNodeTable;
  /** The other end of every power cable by the key of either end. */
  readonly #cabled: LayeredMap<Cabled>;
  /** Keys of consumers, by the key of a source that is missing. */
  readonly #waiting: Map<string, ReadonlySet<string>>;

  constructor(table: PowerNodeTable, from?: PowerSupplies) {
    this.#table = table;
    this.#cabled = from === undefined ? new LayeredMap() : from.#cabled.next();
    this.#waiting = new Map(from === undefined ? [] : from.#waiting);
  }

  plug(cable: Cable): void {
    const { a, b } = cable;
    this.#cabled.set(portKey(a), { end: b, carries: carriesPower(cable) });
    this.#cabled.set(portKey(b), { end: a, carries: carriesPower(cable) });
  }

  unplug({ a, b }: Cable): void {
    this.#cabled.delete(portKey(a));
    this.#cabled.delete(portKey(b));
  }

  /** Returns the port at the other end of a port's power cable. @param key key of the port */
  cabledTo(key: string): PortRef | undefined {
    return this.#cabled.get(key)?.end;
  }

  /** Returns the source of a device's inlet. An inlet whose cable is planned or being removed is CUT. */
  ofInlet({ code }: Device, { name, powerIn }: Port): InletSource {
    const ownerKey = `device:${codeKey(code)}`;
    const cable = this.#cabled.get(portKey({ deviceCode: code, portName: name }));
    if (cable?.carries === false) return "CUT";
    if (powerIn?.sourceRef !== undefined) return this.#named(powerIn.sourceRef, ownerKey);
    return cable === undefined ? "UNRECORDED" : this.#found(`port:${portKey(cable.end)}`, ownerKey);
  }

  /** Returns the source of a cooling unit's input. */
  ofInput({ sourceRef }: PowerIn, ownerKey: string): InletSource {
    return sourceRef === undefined ? "UNRECORDED" : this.#named(sourceRef, ownerKey);
  }

  /** Returns the node of a blade's chassis; undefined for a device outside of a bay. */
  ofBay(device: Device): number | undefined {
    if (!isDeviceInBay(device)) return undefined;
    const key = `device:${codeKey(device.parentDeviceCode ?? "")}`;
    // Writes reject a device in its own bay, but a change feed may contain one. It then has no supply.
    if (key === `device:${codeKey(device.code)}`) return undefined;
    const found = this.#table.indexOf.get(key);
    const node = this.#table.nodes[found ?? -1];
    if (node?.kind === "DEVICE" && node.device.kind === "CHASSIS") return found;
    this.#wait(key, `device:${codeKey(device.code)}`);
    return undefined;
  }

  /** Returns keys of the devices and cooling units that named a source before it existed. */
  waitingFor(sourceKey: string): Iterable<string> {
    return this.#waiting.get(sourceKey) ?? [];
  }

  /** Removes the records of missing sources that a device or cooling unit names. */
  forget(ownerKey: string): void {
    for (const [source, owners] of this.#waiting) {
      if (!owners.has(ownerKey)) continue;
      const rest = new Set([...owners].filter((owner) => owner !== ownerKey));
      if (rest.size === 0) this.#waiting.delete(source);
      else this.#waiting.set(source, rest);
    }
  }

  #named(sourceRef: string, ownerKey: string): InletSource {
    const ref = parseRef(sourceRef);
    if (ref?.kind === "device") return this.#found(`device:${codeKey(ref.code)}`, ownerKey);
    if (ref?.kind === "port") return this.#found(`port:${portKey(ref.end)}`, ownerKey);
    if (ref?.kind !== "feed") return "UNRECORDED";
    const key = `feed:${codeKey(ref.code)}`;
    return this.#table.indexOf.get(key) ?? this.#table.place([key], createUndeclaredFeed(ref.code));
  }

  /** Returns the node of a source. A missing source counts as unrecorded. */
  #found(sourceKey: string, ownerKey: string): InletSource {
    const index = this.#table.indexOf.get(sourceKey);
    if (index === undefined) this.#wait(sourceKey, ownerKey);
    return index ?? "UNRECORDED";
  }

  #wait(sourceKey: string, ownerKey: string): void {
    this.#waiting.set(sourceKey, new Set(this.#waiting.get(sourceKey)).add(ownerKey));
  }
}

/** Whether a power cable carries power; planned cables and cables to be removed carry none. */
export function carriesPower({ status }: Cable): boolean {
  return status === undefined || status === "CONNECTED";
}
