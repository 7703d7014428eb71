import type { JsonObject } from "@bufbuild/protobuf";
import { type TestService, testService } from "./service.ts";

// A site with one of everything, small enough to be known by heart:
//
//   UTIL ── RPP-A ─ feed FA ── PDU (R1) ─ OUT1 ══ SRV-1/psu1        R1: U10-11 SRV-1, U20 LEAF-1, U40 reserved for acme
//        └─ RPP-B ─ feed FB ──────────────────── SRV-1/psu2         R2: U20 SPINE-1, U30-39 CH-1 with BL-1 in bay 1
//   LEAF-1/e1 ══ SPINE-1/e1, fabric link on the same ports;  PP-1: F1, F2 mapped to rear R (positions 1, 2 of 4)

const location = { site_id: "S1", floor_number: 1, room: "DH1", row: "A", zone_id: "Z1" };

const net = (name: string): JsonObject => ({
  name,
  kind: "PORT_KIND_NETWORK",
  type: "100gbase-x-qsfp28",
  speed_mbps: 100000,
});

const inlet = (name: string, source: string): JsonObject => ({
  name,
  kind: "PORT_KIND_POWER_IN",
  type: "iec-60320-c14",
  power_in: source === "" ? {} : { source_ref: source },
});

export const racks: readonly JsonObject[] = [
  {
    code: "R1",
    location,
    placement: { x_mm: 1000, y_mm: 1000, width_mm: 600, depth_mm: 1200, rotation_deg: 0 },
    airflow: "AIRFLOW_FRONT_TO_REAR",
    cooling_capability: "COOLING_CAPABILITY_AIR_ONLY",
    required_redundancy: "REDUNDANCY_TWO_N",
    max_load_kg: 1000,
    power_capacity_w: 10000,
    cooling_capacity_w: 10000,
    mounting_depth_mm: 900,
    asset_tag: "RT-1",
    reservations: [{ units: [40], owner: "acme" }],
  },
  { code: "R2", location },
];

const panel = (side: string): JsonObject => ({
  code: `RPP-${side}`,
  kind: "DEVICE_KIND_RPP",
  location,
  power: { power_path: side },
  ports: [
    { name: "main", kind: "PORT_KIND_POWER_IN", type: "hardwired", power_in: { source_ref: "device:UTIL" } },
    {
      name: "CB1",
      kind: "PORT_KIND_POWER_OUT",
      type: "hardwired",
      power_out: { feed_id: `F${side}`, phase: "PHASE_THREE", voltage_v: 400, amperage_a: 32, breaker_position: 1 },
    },
  ],
});

export const devices: readonly JsonObject[] = [
  { code: "UTIL", kind: "DEVICE_KIND_UTILITY", location },
  panel("A"),
  panel("B"),
  {
    code: "PDU",
    kind: "DEVICE_KIND_RACK_PDU",
    rack_code: "R1",
    mount: "MOUNT_ZERO_U_LEFT",
    ports: [
      { name: "main", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: "feed:FA" } },
      { name: "OUT1", kind: "PORT_KIND_POWER_OUT", type: "iec-60320-c13" },
      { name: "OUT2", kind: "PORT_KIND_POWER_OUT", type: "iec-60320-c19" },
    ],
  },
  {
    code: "SRV-1",
    kind: "DEVICE_KIND_SERVER",
    rack_code: "R1",
    position_u: 10,
    u_height: 2,
    face: "FACE_FRONT",
    asset_tag: "AT-1",
    weight_kg: 30,
    max_draw_w: 500,
    allocated_draw_w: 400,
    ports: [inlet("psu1", ""), inlet("psu2", "feed:FB"), net("eth0")],
  },
  {
    code: "LEAF-1",
    kind: "DEVICE_KIND_SWITCH",
    role: "leaf",
    rack_code: "R1",
    position_u: 20,
    face: "FACE_FRONT",
    depth: "DEPTH_HALF",
    ports: [net("e1"), net("e2"), net("e3"), { name: "po1", kind: "PORT_KIND_NETWORK", type: "lag" }],
  },
  {
    code: "SPINE-1",
    kind: "DEVICE_KIND_SWITCH",
    role: "spine",
    rack_code: "R2",
    position_u: 20,
    face: "FACE_FRONT",
    ports: [net("e1"), net("e2"), { name: "con", kind: "PORT_KIND_CONSOLE", type: "rj-45", mark_connected: true }],
  },
  {
    code: "PP-1",
    kind: "DEVICE_KIND_PATCH_PANEL",
    location,
    ports: [{ name: "R", kind: "PORT_KIND_REAR", type: "mpo", positions: 4 }, front("F1", 1), front("F2", 2)],
  },
  { code: "CH-1", kind: "DEVICE_KIND_CHASSIS", rack_code: "R2", position_u: 30, u_height: 10, face: "FACE_FRONT" },
  { code: "BL-1", kind: "DEVICE_KIND_BLADE", parent_device_code: "CH-1", bay: "1" },
];

function front(name: string, position: number): JsonObject {
  const mapping = { front_position: 1, rear_port: "R", rear_position: position };
  return { name, kind: "PORT_KIND_FRONT", type: "lc", mappings: [mapping] };
}

export const cracs: readonly JsonObject[] = [
  {
    code: "C1",
    kind: "CRAC_KIND_CRAH",
    location,
    sensible_capacity_kw: 60,
    power_inputs: [{ source_ref: "feed:FA" }, { source_ref: "feed:FB" }],
  },
];

export const end = (device_code: string, port_name: string): JsonObject => ({ device_code, port_name });

export const cables: readonly JsonObject[] = [
  { a: end("PDU", "OUT1"), b: end("SRV-1", "psu1"), type: "CABLE_TYPE_POWER", length_m: 1 },
  { a: end("LEAF-1", "e1"), b: end("SPINE-1", "e1"), type: "CABLE_TYPE_MMF_OM4", length_m: 20 },
];

export const fabricLink: JsonObject = { a: end("LEAF-1", "e1"), b: end("SPINE-1", "e1"), fabric_id: "FAB" };

/** The small site on a service of its own. */
export async function smallSite(options: Parameters<typeof testService>[0] = {}): Promise<TestService> {
  const service = await testService(options);
  for (const [rpc, items] of [
    ["BulkUpsertRacks", racks],
    ["BulkUpsertDevices", devices],
    ["BulkUpsertCracs", cracs],
  ] as const) {
    const reply = await service.call(rpc, { items: [...items], atomic: true });
    if (reply.committed !== true) throw new Error(JSON.stringify(reply.results));
  }
  for (const cable of cables) await service.call("UpsertCable", { cable });
  await service.call("UpsertFabricLink", { fabric_link: fabricLink });
  return service;
}
