import { cable, crac, free, known, link, oldRack, type Row, rack } from "./rule_requests.ts";
import { end, racks } from "./small_site.ts";

const OUT = "FIELD_OUT_OF_RANGE";
const CONFLICT = "FIELD_CONFLICT";
const ABSENT = "REF_NOT_FOUND";
const REQUIRED = "REQUIRED_FIELD";

/** Everything but devices that the small site must refuse. Source: docs/contract/datacenter-rules.md#general. */
export const refusedOthers: Readonly<Record<string, readonly Row[]>> = {
  UpsertRack: [
    ["another spelling of a code", oldRack({ code: "r1" }), "CODE_CASE_CONFLICT", "code"],
    ["a site outside the grammar", rack({ location: { site_id: "S 1" } }), "INVALID_CODE", "location.site_id"],
    ["a room outside the grammar", rack({ location: { site_id: "S1", room: "a/b" } }), "INVALID_CODE", "location.room"],
    ["a reservation of nothing", rack({ reservations: [{ owner: "x" }] }), REQUIRED, "reservations[0].units"],
    ["no location", { rack: { code: "NEW" } }, REQUIRED, "location"],
    ["101 units", rack({ u_height: 101 }), OUT, "u_height"],
    ["starting unit 0", rack({ starting_unit: 0 }), OUT, "starting_unit"],
    ["a rail width of 20", rack({ rail_width_in: 20 }), OUT, "rail_width_in"],
    [
      "a rotation of 45",
      rack({ placement: { width_mm: 1, depth_mm: 1, rotation_deg: 45 } }),
      OUT,
      "placement.rotation_deg",
    ],
    ["a shrink below the highest device", { rack: known(racks, "R2", { u_height: 38 }) }, "RACK_TOO_SHORT", "u_height"],
    ["a start above the lowest device", oldRack({ starting_unit: 15 }), "RACK_TOO_SHORT", "starting_unit"],
    ["a reservation outside", rack({ reservations: [{ units: [43], owner: "x" }] }), OUT, "reservations[0].units[0]"],
    [
      "a unit reserved twice",
      rack({ reservations: [{ units: [1] }, { units: [1] }] }),
      "DUPLICATE",
      "reservations[1].units[0]",
    ],
    ["less load than it holds", oldRack({ max_load_kg: 29 }), "WEIGHT_EXCEEDED", "max_load_kg"],
    ["a taken asset tag", rack({ asset_tag: "RT-1" }), "ASSET_TAG_TAKEN", "asset_tag"],
  ],
  UpsertCrac: [
    ["another spelling of a code", crac({ code: "c1" }), "CODE_CASE_CONFLICT", "code"],
    ["no kind", crac({ kind: "CRAC_KIND_UNSPECIFIED" }), REQUIRED, "kind"],
    ["no location", crac({ location: null }), REQUIRED, "location"],
    ["an unknown rack", crac({ rack_code: "R9" }), ABSENT, "rack_code"],
    [
      "another floor than its rack's",
      crac({ rack_code: "R1", location: { site_id: "S1", floor_number: 2 } }),
      "LOCATION_MISMATCH",
      "location.floor_number",
    ],
    ["a scope twice", crac({ serves: ["rack:R1", "rack:r1"] }), "DUPLICATE", "serves[1]"],
    [
      "a source that is none",
      crac({ power_inputs: [{ source_ref: "R1" }] }),
      "INVALID_REF",
      "power_inputs[0].source_ref",
    ],
    [
      "a source that is not there",
      crac({ power_inputs: [{ source_ref: "feed:FA" }, { source_ref: "device:NOBODY" }] }),
      ABSENT,
      "power_inputs[1].source_ref",
    ],
    ["no capacity", crac({ sensible_capacity_kw: 0 }), OUT, "sensible_capacity_kw"],
    ["less total than sensible", crac({ total_capacity_kw: 9 }), OUT, "total_capacity_kw"],
    ["a derating of 0", crac({ derate_pct: 0 }), OUT, "derate_pct"],
    ["a supply warmer than the return", crac({ supply_temp_c: 30, return_temp_c: 20 }), CONFLICT, "supply_temp_c"],
    ["a temperature out of range", crac({ supply_temp_c: -21 }), OUT, "supply_temp_c"],
    ["a scope that is none", crac({ serves: ["site:S1"] }), "INVALID_REF", "serves[0]"],
    ["a scope of another site", crac({ serves: ["room:S2/1/DH1"] }), "LOCATION_MISMATCH", "serves[0]"],
    ["a rack that is not there", crac({ serves: ["rack:R9"] }), ABSENT, "serves[0]"],
  ],
  UpsertCable: [
    ["no end", { cable: { a: end("LEAF-1", "e2") } }, REQUIRED, "b"],
    ["a device outside the grammar", cable(end("LEAF 1", "e2"), end("SPINE-1", "e2")), "INVALID_CODE", "a.device_code"],
    ["a port outside the grammar", cable(end("LEAF-1", "e2"), end("SPINE-1", "e~2")), "INVALID_CODE", "b.port_name"],
    ["a port that is not real", cable(end("LEAF-1", "e2"), end("OPT", "vlan")), "PORT_INCOMPATIBLE", "b"],
    ["a port without wires", cable(end("LEAF-1", "e2"), end("OPT", "radio")), "PORT_INCOMPATIBLE", "b"],
    ["power in a circle", cable(end("LOOP", "in"), end("LOOP", "out")), "POWER_CYCLE", "a"],
    ["an unknown device", cable(end("LEAF-1", "e2"), end("NOBODY", "e1")), ABSENT, "b"],
    ["an unknown port", cable(end("LEAF-1", "e9"), end("SPINE-1", "e2")), ABSENT, "a"],
    ["one end twice", cable(end("LEAF-1", "e2"), end("LEAF-1", "e2")), CONFLICT, "b"],
    ["a port that holds a cable", cable(end("LEAF-1", "e1"), end("SPINE-1", "e2")), "PORT_ALREADY_CABLED", "a"],
    ["kinds that do not join", cable(end("LEAF-1", "e2"), end("PDU", "OUT2")), "PORT_INCOMPATIBLE", "b"],
    ["an aggregate", cable(end("LEAF-1", "po1"), end("SPINE-1", "e2")), "PORT_INCOMPATIBLE", "a"],
    ["a port marked as connected", cable(end("PP-1", "F1"), end("SPINE-1", "con")), "PORT_MARKED_CONNECTED", "b"],
    ["the end that was sent", cable(end("SPINE-1", "con"), end("PP-1", "F1")), "PORT_MARKED_CONNECTED", "a"],
    ["a length of 0", cable(...free, { length_m: 0 }), OUT, "length_m"],
    ["a colour that is none", cable(...free, { color: "red" }), OUT, "color"],
    [
      "a supply that disagrees with the source",
      cable(end("PDU", "OUT2"), end("SRV-1", "psu2")),
      "SOURCE_CABLE_DISAGREE",
      "b",
    ],
  ],
  UpsertFabricLink: [
    ["one device twice", link(end("LEAF-1", "e1"), end("LEAF-1", "e2")), CONFLICT, "b"],
    ["a port at one end only", link(end("LEAF-1", "e2"), end("SPINE-1", "")), CONFLICT, "b.port_name"],
    ["a fabric outside the grammar", link(...free, { fabric_id: "a b" }), "INVALID_CODE", "fabric_id"],
    ["no end", { fabric_link: { b: end("LEAF-1", "e1") } }, REQUIRED, "a"],
    ["an unknown port", link(end("LEAF-1", "e9"), end("SPINE-1", "e2")), ABSENT, "a"],
    ["an unknown device", link(end("LEAF-1", ""), end("NOBODY", "")), ABSENT, "b"],
    ["a capacity of 0", link(...free, { capacity_mbps: 0 }), OUT, "capacity_mbps"],
    ["a port that carries another link", link(end("LEAF-1", "e1"), end("SPINE-1", "e2")), "PORT_IN_USE", "a"],
  ],
};
