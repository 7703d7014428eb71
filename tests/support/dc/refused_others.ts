import { cable, crac, known, link, oldRack, type Row, rack } from "./rule_requests.ts";
import { end, racks } from "./small_site.ts";

/** Everything but devices that the small site must refuse. Source: data contract 10, rules marked E. */
export const refusedOthers: Readonly<Record<string, readonly Row[]>> = {
  UpsertRack: [
    ["no location", { rack: { code: "NEW" } }, "REQUIRED_FIELD", "location"],
    ["101 units", rack({ u_height: 101 }), "FIELD_OUT_OF_RANGE", "u_height"],
    ["starting unit 0", rack({ starting_unit: 0 }), "FIELD_OUT_OF_RANGE", "starting_unit"],
    ["a rail width of 20", rack({ rail_width_in: 20 }), "FIELD_OUT_OF_RANGE", "rail_width_in"],
    [
      "a rotation of 45",
      rack({ placement: { width_mm: 1, depth_mm: 1, rotation_deg: 45 } }),
      "FIELD_OUT_OF_RANGE",
      "placement.rotation_deg",
    ],
    ["a shrink below the highest device", { rack: known(racks, "R2", { u_height: 38 }) }, "RACK_TOO_SHORT", "u_height"],
    ["a start above the lowest device", oldRack({ starting_unit: 15 }), "RACK_TOO_SHORT", "starting_unit"],
    [
      "a reservation outside",
      rack({ reservations: [{ units: [43], owner: "x" }] }),
      "FIELD_OUT_OF_RANGE",
      "reservations[0].units[0]",
    ],
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
    ["no capacity", crac({ sensible_capacity_kw: 0 }), "FIELD_OUT_OF_RANGE", "sensible_capacity_kw"],
    ["less total than sensible", crac({ total_capacity_kw: 9 }), "FIELD_OUT_OF_RANGE", "total_capacity_kw"],
    ["a derating of 0", crac({ derate_pct: 0 }), "FIELD_OUT_OF_RANGE", "derate_pct"],
    [
      "a supply warmer than the return",
      crac({ supply_temp_c: 30, return_temp_c: 20 }),
      "FIELD_CONFLICT",
      "supply_temp_c",
    ],
    ["a temperature out of range", crac({ supply_temp_c: -21 }), "FIELD_OUT_OF_RANGE", "supply_temp_c"],
    ["a scope that is none", crac({ serves: ["site:S1"] }), "INVALID_REF", "serves[0]"],
    ["a scope of another site", crac({ serves: ["room:S2/1/DH1"] }), "LOCATION_MISMATCH", "serves[0]"],
    ["a rack that is not there", crac({ serves: ["rack:R9"] }), "REF_NOT_FOUND", "serves[0]"],
  ],
  UpsertCable: [
    ["no end", { cable: { a: end("LEAF-1", "e2") } }, "REQUIRED_FIELD", "b"],
    ["an unknown device", cable(end("LEAF-1", "e2"), end("NOBODY", "e1")), "REF_NOT_FOUND", "b"],
    ["an unknown port", cable(end("LEAF-1", "e9"), end("SPINE-1", "e2")), "REF_NOT_FOUND", "a"],
    ["one end twice", cable(end("LEAF-1", "e2"), end("LEAF-1", "e2")), "FIELD_CONFLICT", "b"],
    ["a port that holds a cable", cable(end("LEAF-1", "e1"), end("SPINE-1", "e2")), "PORT_ALREADY_CABLED", "a"],
    ["kinds that do not join", cable(end("LEAF-1", "e2"), end("PDU", "OUT2")), "PORT_INCOMPATIBLE", "b"],
    ["an aggregate", cable(end("LEAF-1", "po1"), end("SPINE-1", "e2")), "PORT_INCOMPATIBLE", "a"],
    ["a port marked as connected", cable(end("SPINE-1", "con"), end("PP-1", "F1")), "PORT_MARKED_CONNECTED", "b"],
    [
      "a length of 0",
      cable(end("LEAF-1", "e2"), end("SPINE-1", "e2"), { length_m: 0 }),
      "FIELD_OUT_OF_RANGE",
      "length_m",
    ],
    [
      "a colour that is none",
      cable(end("LEAF-1", "e2"), end("SPINE-1", "e2"), { color: "red" }),
      "FIELD_OUT_OF_RANGE",
      "color",
    ],
    [
      "a supply that disagrees with the source",
      cable(end("PDU", "OUT2"), end("SRV-1", "psu2")),
      "SOURCE_CABLE_DISAGREE",
      "b",
    ],
  ],
  UpsertFabricLink: [
    ["one device twice", link(end("LEAF-1", "e1"), end("LEAF-1", "e2")), "FIELD_CONFLICT", "b"],
    ["a port at one end only", link(end("LEAF-1", "e2"), end("SPINE-1", "")), "FIELD_CONFLICT", "b.port_name"],
    ["an unknown device", link(end("LEAF-1", ""), end("NOBODY", "")), "REF_NOT_FOUND", "b"],
    [
      "a capacity of 0",
      link(end("LEAF-1", "e2"), end("SPINE-1", "e2"), { capacity_mbps: 0 }),
      "FIELD_OUT_OF_RANGE",
      "capacity_mbps",
    ],
    ["a port that carries another link", link(end("LEAF-1", "e1"), end("SPINE-1", "e2")), "PORT_IN_USE", "a"],
  ],
};
