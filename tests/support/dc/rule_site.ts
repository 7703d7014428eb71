import type { JsonObject } from "@bufbuild/protobuf";
import { net } from "./rule_requests.ts";
import { end, smallSite } from "./small_site.ts";

const location = { site_id: "S1", floor_number: 1 };
const rear = (type: string): JsonObject => ({ name: type, kind: "PORT_KIND_REAR", type });

/** What some rules need beside the small site: optics, connectors, another site, a loop's beginning, half a unit. */
const devices: readonly JsonObject[] = [
  {
    code: "OPT",
    kind: "DEVICE_KIND_SWITCH",
    location,
    ports: [
      net("short", { type: "100gbase-sr4", speed_mbps: 100000 }),
      net("long", { type: "100gbase-lr4", speed_mbps: 100000 }),
      net("slow", { type: "10gbase-t", speed_mbps: 10000 }),
      net("vlan", { type: "virtual" }),
      net("radio", { type: "ieee802.11ax" }),
      rear("lc-apc"),
      rear("lc-upc"),
    ],
  },
  {
    code: "FAR",
    kind: "DEVICE_KIND_SWITCH",
    role: "spine",
    location: { site_id: "S2", floor_number: 1 },
    ports: [net("e1"), net("e2")],
  },
  {
    code: "LOOP",
    kind: "DEVICE_KIND_RPP",
    location,
    ports: [
      { name: "in", kind: "PORT_KIND_POWER_IN" },
      { name: "out", kind: "PORT_KIND_POWER_OUT" },
    ],
  },
  {
    code: "USER",
    kind: "DEVICE_KIND_SERVER",
    location,
    ports: [{ name: "psu", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: "port:LOOP/out" } }],
  },
  {
    code: "HALF",
    kind: "DEVICE_KIND_SERVER",
    rack_code: "R2",
    position_u: 5,
    face: "FACE_FRONT",
    slot: "SLOT_WIDTH_LEFT",
  },
];

/** The small site with everything that a rule may speak of. */
export async function ruleSite() {
  const site = await smallSite();
  const reply = await site.call("BulkUpsertDevices", { items: [...devices], atomic: true });
  if (reply.committed !== true) throw new Error(JSON.stringify(reply.results));
  const link = { a: end("LEAF-1", "e3"), b: end("FAR", "e1"), fabric_id: "FAB" };
  await site.call("UpsertFabricLink", { fabric_link: link });
  return site;
}
