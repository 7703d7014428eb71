import { cable, crac, device, free, inlet, link, oldRack, ported, type Row, rack } from "./rule_requests.ts";
import { end } from "./small_site.ts";

const SOURCE = "ports[0].power_in.source_ref";

/** What the small site takes with a warning. Source: docs/contract/datacenter-rules.md#general. */
export const warned: Readonly<Record<string, readonly Row[]>> = {
  UpsertDevice: [
    [
      "a measured draw above the nameplate",
      device({ max_draw_w: 10, measured_draw_w: 11 }),
      "MEASURED_ABOVE_MAX",
      "measured_draw_w",
    ],
    [
      "a draw that differs from the inlets'",
      device({
        max_draw_w: 10,
        ports: [{ name: "p", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: "feed:FA", max_draw_w: 20 } }],
      }),
      "INLET_DRAWS_DIFFER",
      "max_draw_w",
    ],
    [
      "a unit reserved for the device's own tenant",
      device({ position_u: 40, tenant: "acme" }),
      "UNIT_RESERVED_BY_OWNER",
      "position_u",
    ],
    ["air against the rack's", device({ airflow: "AIRFLOW_REAR_TO_FRONT" }), "AIRFLOW_AGAINST_RACK", "airflow"],
    [
      "liquid in an air-only rack",
      device({ cooling_method: "COOLING_METHOD_LIQUID" }),
      "LIQUID_IN_AIR_ONLY_RACK",
      "cooling_method",
    ],
    [
      "a device deeper than the rails",
      device({ placement: { width_mm: 1, depth_mm: 901 } }),
      "DEEPER_THAN_RACK",
      "placement.depth_mm",
    ],
    ["more draw than the rack gives", device({ allocated_draw_w: 9700 }), "RACK_POWER_EXCEEDED", "allocated_draw_w"],
    ["more heat than the rack loses", device({ heat_w: 9700 }), "RACK_COOLING_EXCEEDED", "heat_w"],
    ["weight near the limit", device({ weight_kg: 900 }), "WEIGHT_NEAR_LIMIT", "weight_kg"],
    ["a feed that nobody declares", inlet({ source_ref: "feed:LATER" }), "UNDECLARED_FEED", SOURCE],
    ["one inlet where two supplies are required", inlet({ source_ref: "feed:FA" }), "SINGLE_CORDED", "ports"],
    [
      "both inlets on one side",
      ported(
        { name: "a", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: "feed:FA" } },
        { name: "b", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: "device:PDU" } },
      ),
      "SAME_PATH",
      "ports",
    ],
    [
      "a plug that does not fit",
      inlet({ source_ref: "port:PDU/OUT2" }, { type: "iec-60320-c14" }),
      "PLUG_MISMATCH",
      SOURCE,
    ],
    [
      "less redundancy than demanded",
      device({
        power: { required_redundancy: "REDUNDANCY_TWO_N" },
        ports: [{ name: "a", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: "feed:FA" } }],
      }),
      "REDUNDANCY_UNMET",
      "power.required_redundancy",
    ],
  ],
  UpsertRack: [
    ["weight near its limit", oldRack({ max_load_kg: 32 }), "WEIGHT_NEAR_LIMIT", "max_load_kg"],
    [
      "overlapping footprints",
      rack({ placement: { x_mm: 1500, y_mm: 1500, width_mm: 600, depth_mm: 1200 } }),
      "TILE_OVERLAP",
      "placement",
    ],
    [
      "opposite air across an aisle",
      rack({
        airflow: "AIRFLOW_REAR_TO_FRONT",
        placement: { x_mm: 1000, y_mm: 3400, width_mm: 600, depth_mm: 1200, rotation_deg: 180 },
      }),
      "OPPOSITE_AIRFLOW",
      "airflow",
    ],
  ],
  UpsertCrac: [
    ["no power inlets", crac({ power_inputs: [] }), "NO_POWER_INLETS", "power_inputs"],
    ["a scope that no other unit serves", crac({}), "ZONE_WITHOUT_RESERVE", "serves[0]"],
  ],
  UpsertCable: [
    [
      "a copper pair of 101 m",
      cable(...free, { type: "CABLE_TYPE_CAT6A", length_m: 101 }),
      "MEDIA_TOO_LONG",
      "length_m",
    ],
    [
      "single-mode fibre at a multi-mode optic",
      cable(end("LEAF-1", "e2"), end("OPT", "short"), { type: "CABLE_TYPE_SMF_OS2" }),
      "MEDIA_MISMATCH",
      "type",
    ],
    [
      "multi-mode fibre at a single-mode optic",
      cable(end("LEAF-1", "e2"), end("OPT", "long"), { type: "CABLE_TYPE_MMF_OM4" }),
      "MEDIA_MISMATCH",
      "type",
    ],
    ["ends of different speeds", cable(end("LEAF-1", "e2"), end("OPT", "slow")), "SPEED_MISMATCH", "b"],
    ["an angled connector in a flat one", cable(end("OPT", "lc-apc"), end("OPT", "lc-upc")), "POLISH_MISMATCH", "b"],
    ["a way to another site", cable(end("FAR", "e2"), end("LEAF-1", "e2")), "CABLE_ACROSS_SITES", "b"],
    [
      "a passive copper cable of 8 m",
      cable(...free, { type: "CABLE_TYPE_DAC_PASSIVE", length_m: 8 }),
      "MEDIA_TOO_LONG",
      "length_m",
    ],
    [
      "OM4 of 151 m at 100G",
      cable(...free, { type: "CABLE_TYPE_MMF_OM4", length_m: 151 }),
      "MEDIA_TOO_LONG",
      "length_m",
    ],
  ],
  UpsertFabricLink: [
    ["more links to one spine than to another", link(...free, { fabric_id: "FAB" }), "UNEQUAL_LINKS", "b"],
    ["two leaves", link(end("LEAF-1", ""), end("SRV-1", "")), "UNUSUAL_ROLES", "b"],
    ["more capacity than the port", link(...free, { capacity_mbps: 400000 }), "CAPACITY_ABOVE_PORT", "capacity_mbps"],
    ["more traffic than capacity", link(...free, { a_to_b_mbps: 100001 }), "MEASURED_ABOVE_CAPACITY", "a_to_b_mbps"],
    ["ports without cables", link(...free), "NO_PHYSICAL_PATH", "a"],
  ],
};
