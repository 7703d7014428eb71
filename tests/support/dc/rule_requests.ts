import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { end, racks } from "./small_site.ts";

// One row per rule: what is asked of the small site, the reason for which it is refused or the code of its
// warning, and the field of the resource that is named.

export type Row = readonly [what: string, request: JsonObject, code: string, field: string];

export function known(list: readonly JsonObject[], code: string, parts: JsonObject): JsonObject {
  return { ...list.find((one) => one["code"] === code), ...parts };
}

export const base = { kind: "DEVICE_KIND_SERVER", rack_code: "R1", position_u: 1, face: "FACE_FRONT" };
export const device = (parts: JsonObject): JsonObject => ({ device: { code: "NEW", ...base, ...parts } });
export const ported = (...ports: JsonValue[]): JsonObject => device({ ports });
export const inlet = (parts: JsonObject, rest: JsonObject = {}): JsonObject =>
  ported({ name: "p", kind: "PORT_KIND_POWER_IN", power_in: parts, ...rest });
export const outlet = (parts: JsonObject): JsonObject =>
  ported({ name: "o", kind: "PORT_KIND_POWER_OUT", power_out: parts });
export const rack = (parts: JsonObject): JsonObject => ({
  rack: { code: "NEW", location: { site_id: "S1", floor_number: 1 }, ...parts },
});
export const oldRack = (parts: JsonObject): JsonObject => ({ rack: known(racks, "R1", parts) });
export const oldDevice = (code: string, parts: JsonObject): JsonObject => ({ device: { code, ...parts } });
export const crac = (parts: JsonObject): JsonObject => ({
  crac: {
    code: "NEW",
    kind: "CRAC_KIND_CRAH",
    location: { site_id: "S1", floor_number: 1 },
    sensible_capacity_kw: 10,
    power_inputs: [{ source_ref: "feed:FA" }],
    ...parts,
  },
});
export const cable = (a: JsonValue, b: JsonValue, parts: JsonObject = {}): JsonObject => ({
  cable: { a, b, ...parts },
});
export const link = (a: JsonValue, b: JsonValue, parts: JsonObject = {}): JsonObject => ({
  fabric_link: { a, b, ...parts },
});
export const net = (name: string, parts: JsonObject = {}): JsonObject => ({
  name,
  kind: "PORT_KIND_NETWORK",
  ...parts,
});
export const rear = (name: string, positions: number): JsonObject => ({ name, kind: "PORT_KIND_REAR", positions });
export const front = (name: string, rear_port: string, rear_position: number): JsonObject => ({
  name,
  kind: "PORT_KIND_FRONT",
  mappings: [{ front_position: 1, rear_port, rear_position }],
});

/** Two ports that a cable may join. */
export const free = [end("LEAF-1", "e2"), end("SPINE-1", "e2")] as const;
