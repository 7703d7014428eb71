import { cable, crac, device, free, inlet, link, net, ported, type Row, rack } from "./rule_requests.ts";

const OUT = "FIELD_OUT_OF_RANGE";
const LATER = "2026-01-02T03:09:06Z";
const LONG = "x".repeat(129);
const label = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

/**
 * Values beyond what their field can hold. Source: docs/contract/datacenter-model.md#messages,
 * docs/contract/datacenter-rules.md#general.
 */
export const refusedRanges: Readonly<Record<string, readonly Row[]>> = {
  UpsertDevice: [
    ["a height between steps", device({ u_height: 1.25 }), OUT, "u_height"],
    ["65 labels", device({ labels: label(65) }), OUT, "labels"],
    ["65 tags", device({ tags: Object.keys(label(65)) }), OUT, "tags"],
    ["a tag that is no slug", device({ tags: ["ok", "Not OK"] }), OUT, "tags[1]"],
    ["a long serial", device({ serial: LONG }), OUT, "serial"],
    ["a port measured in the future", ported(net("a", { measured_at: LATER })), OUT, "ports[0].measured_at"],
    [
      "more allocated than an inlet's nameplate",
      inlet({ max_draw_w: 1, allocated_draw_w: 2 }),
      OUT,
      "ports[0].power_in.allocated_draw_w",
    ],
  ],
  UpsertRack: [
    ["0 units", rack({ u_height: 0 }), OUT, "u_height"],
    ["a tile without width", rack({ placement: { depth_mm: 1 } }), OUT, "placement.width_mm"],
    ["a role that is no slug", rack({ role: "Network Rack" }), OUT, "role"],
    ["a measurement from the future", rack({ measured_at: LATER }), OUT, "measured_at"],
    ["a long owner", rack({ reservations: [{ units: [1], owner: LONG }] }), OUT, "reservations[0].owner"],
  ],
  UpsertCrac: [
    ["a derating of 101 %", crac({ derate_pct: 101 }), OUT, "derate_pct"],
    ["more drawn than the nameplate", crac({ max_draw_w: 1, allocated_draw_w: 2 }), OUT, "allocated_draw_w"],
    ["more live inlets than inlets", crac({ min_live_inlets: 2 }), OUT, "min_live_inlets"],
    ["a measurement from the future", crac({ measured_at: LATER }), OUT, "measured_at"],
  ],
  UpsertCable: [["a long label", cable(...free, { label: LONG }), OUT, "label"]],
  UpsertFabricLink: [
    ["traffic below zero", link(...free, { b_to_a_mbps: -1 }), OUT, "b_to_a_mbps"],
    ["a measurement from the future", link(...free, { measured_at: LATER }), OUT, "measured_at"],
  ],
};
