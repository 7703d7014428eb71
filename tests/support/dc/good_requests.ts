import type { JsonObject } from "@bufbuild/protobuf";
import { crac, device, front, rack, rear } from "./rule_requests.ts";
import { end, fabricLink, racks } from "./small_site.ts";

const wide = device({
  location: racks[0]?.["location"] ?? {},
  ports: [
    { name: "p", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: "feed:FA" } },
    { name: "o", kind: "PORT_KIND_POWER_OUT", power_out: { voltage_v: 230 } },
    rear("R", 4),
    front("F", "R", 1),
  ],
});
const ends = { a: end("LEAF-1", "e2"), b: end("SPINE-1", "e2") };
const gone = { code: "GONE", allow_missing: true };
const allGone = { codes: ["GONE"], allow_missing: true };

const type = { code: "acme-1u", manufacturer: "Acme", model: "1U", kind: "DEVICE_KIND_SERVER" };
const changes = [{ device_type: type }];

/** A request per RPC of the 26, and for each one that takes every kind; the small site answers them, again and again. */
export const goodRequests: Readonly<Record<string, JsonObject>> = {
  PowerBlastRadius: { source_ref: "device:UTIL" },
  TraceCablePath: { port_ref: "port:LEAF-1/e1" },
  GetRack: { code: "R1" },
  ThermalHeadroom: { scope_ref: "floor:S1/1" },
  FabricTopology: { fabric_id: "FAB" },
  FloorPlan: { floor_ref: "floor:S1/1" },
  SearchDevices: {},
  GetDevice: { code: "SRV-1" },
  GetPort: { port_ref: "port:LEAF-1/e1" },
  Render: { subject_ref: "rack:R1" },
  UpsertDevice: wide,
  DeleteDevice: gone,
  UpsertRack: rack({}),
  DeleteRack: gone,
  UpsertCrac: crac({}),
  DeleteCrac: gone,
  BulkUpsertDevices: { items: [wide["device"] ?? {}] },
  BulkDeleteDevices: allGone,
  BulkUpsertRacks: { items: [rack({})["rack"] ?? {}] },
  BulkDeleteRacks: allGone,
  BulkUpsertCracs: { items: [crac({})["crac"] ?? {}] },
  BulkDeleteCracs: allGone,
  UpsertCable: { cable: ends },
  DeleteCable: { a: end("LEAF-1", "e3"), b: end("SPINE-1", "e2"), allow_missing: true },
  UpsertFabricLink: { fabric_link: { ...fabricLink, ...ends } },
  DeleteFabricLink: { a: end("LEAF-1", "e3"), b: end("SPINE-1", "e2"), allow_missing: true },
  ApplyChanges: { changes },
  PreviewChanges: { changes },
};
