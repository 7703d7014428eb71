import { orderCableEnds, parseRef } from "#dc/model/ref.ts";
import type { Cable, Device, Port, PortRef } from "#dc/model/resources.ts";
import type { DcStore } from "#dc/ports.ts";
import { putAll } from "./stored.ts";

/** Devices, and the ports "device/port" that cables join, connected unless a status follows. */
export interface CabledWorld {
  readonly devices: readonly Device[];
  readonly joined: readonly (readonly [string, string, Cable["status"]?])[];
}

/** From 1 to `count`. */
export const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
/** A server with one network port, `if`. */
export const host = (code: string): Device => ({ code, kind: "SERVER", ports: [{ name: "if", kind: "NETWORK" }] });

/** A trunk R whose positions lead to single fronts F1, F2 and so on. */
export function panel(code: string, fronts: number): Device {
  const front = (number: number): Port => ({
    name: `F${number}`,
    kind: "FRONT",
    mappings: [{ frontPosition: 1, rearPort: "R", rearPosition: number }],
  });
  const rear: Port = { name: "R", kind: "REAR", positions: fronts };
  return { code, kind: "PATCH_PANEL", ports: [rear, ...numbers(fronts).map(front)] };
}

export function portAt(text: string): PortRef {
  const ref = parseRef(`port:${text}`);
  if (ref?.kind !== "port") throw new Error(`No port ${text}`);
  return ref.end;
}

/** Writes the devices and a cable for each pair of ports. */
export function storeWorld(store: DcStore, { devices, joined }: CabledWorld): Promise<void> {
  const cables = joined.map(([one, other, status = "CONNECTED"]): Cable => {
    const [a, b] = orderCableEnds(portAt(one), portAt(other));
    return { a, b, status };
  });
  return store.write(async (writer) => {
    await putAll(writer, "device", devices);
    await putAll(writer, "cable", cables);
  });
}
