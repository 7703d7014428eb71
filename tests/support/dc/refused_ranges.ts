import { cable, crac, device, free, inlet, link, net, outlet, ported, type Row, rack, rear } from "./rule_requests.ts";

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
    ["100.5 units", device({ u_height: 100.5 }), OUT, "u_height"],
    ["a height between steps", device({ u_height: 1.25 }), OUT, "u_height"],
    ["unit 0", device({ position_u: 0 }), OUT, "position_u"],
    ["a weight below zero", device({ weight_kg: -1 }), OUT, "weight_kg"],
    ["a nameplate below zero", device({ max_draw_w: -1 }), OUT, "max_draw_w"],
    ["a draw below zero", device({ allocated_draw_w: -1 }), OUT, "allocated_draw_w"],
    ["a measured draw below zero", device({ measured_draw_w: -1 }), OUT, "measured_draw_w"],
    ["heat below zero", device({ heat_w: -1 }), OUT, "heat_w"],
    ["a power factor above one", device({ power_factor: 1.01 }), OUT, "power_factor"],
    ["101 % of liquid", device({ liquid_fraction_pct: 101 }), OUT, "liquid_fraction_pct"],
    ["an inlet of 151 °C", device({ inlet_temp_c: 151 }), OUT, "inlet_temp_c"],
    ["an exhaust of -61 °C", device({ exhaust_temp_c: -61 }), OUT, "exhaust_temp_c"],
    ["65 labels", device({ labels: label(65) }), OUT, "labels"],
    ["65 tags", device({ tags: Object.keys(label(65)) }), OUT, "tags"],
    ["a tag that is no slug", device({ tags: ["ok", "Not OK"] }), OUT, "tags[1]"],
    ["a comment of 4,097 characters", device({ comments: "x".repeat(4097) }), OUT, "comments"],
    ["a long serial", device({ serial: LONG }), OUT, "serial"],
    ["a capacity below zero", device({ power: { capacity_w: -1 } }), OUT, "power.capacity_w"],
    ["a utilisation of 0 %", device({ power: { max_utilization_pct: 0 } }), OUT, "power.max_utilization_pct"],
    ["a utilisation of 101 %", device({ power: { max_utilization_pct: 101 } }), OUT, "power.max_utilization_pct"],
    ["a battery of less than nothing", device({ power: { runtime_s: -1 } }), OUT, "power.runtime_s"],
    ["an efficiency of 101 %", device({ power: { efficiency_pct: 101 } }), OUT, "power.efficiency_pct"],
    ["a port's speed of 0", ported(net("a"), net("b", { speed_mbps: 0 })), OUT, "ports[1].speed_mbps"],
    ["1,025 positions", ported(rear("r", 1025)), OUT, "ports[0].positions"],
    ["a channel below zero", ported(net("p"), net("a", { parent_port: "p", channel: -1 })), OUT, "ports[1].channel"],
    ["traffic below zero", ported(net("a", { rx_mbps: -1 })), OUT, "ports[0].rx_mbps"],
    ["sent traffic below zero", ported(net("a", { tx_mbps: -1 })), OUT, "ports[0].tx_mbps"],
    ["a port measured in the future", ported(net("a", { measured_at: LATER })), OUT, "ports[0].measured_at"],
    ["an inlet's draw below zero", inlet({ max_draw_w: -1 }), OUT, "ports[0].power_in.max_draw_w"],
    [
      "more allocated than an inlet's nameplate",
      inlet({ max_draw_w: 1, allocated_draw_w: 2 }),
      OUT,
      "ports[0].power_in.allocated_draw_w",
    ],
    ["an outlet's share of 0 %", outlet({ max_utilization_pct: 0 }), OUT, "ports[0].power_out.max_utilization_pct"],
    ["an outlet's share of 101 %", outlet({ max_utilization_pct: 101 }), OUT, "ports[0].power_out.max_utilization_pct"],
    ["breaker position 0", outlet({ breaker_position: 0 }), OUT, "ports[0].power_out.breaker_position"],
    ["a breaker of 4 poles", outlet({ breaker_poles: 4 }), OUT, "ports[0].power_out.breaker_poles"],
  ],
  UpsertRack: [
    ["0 units", rack({ u_height: 0 }), OUT, "u_height"],
    ["place 0 in its row", rack({ position_in_row: 0 }), OUT, "position_in_row"],
    ["rails without depth", rack({ mounting_depth_mm: 0 }), OUT, "mounting_depth_mm"],
    ["no outer height", rack({ outer_height_mm: 0 }), OUT, "outer_height_mm"],
    ["a weight below zero", rack({ weight_kg: -1 }), OUT, "weight_kg"],
    ["room for no weight", rack({ max_load_kg: 0 }), OUT, "max_load_kg"],
    ["power below zero", rack({ power_capacity_w: -1 }), OUT, "power_capacity_w"],
    ["cooling below zero", rack({ cooling_capacity_w: -1 }), OUT, "cooling_capacity_w"],
    ["a tile left of the floor", rack({ placement: { x_mm: -1, width_mm: 1, depth_mm: 1 } }), OUT, "placement.x_mm"],
    ["a tile without width", rack({ placement: { depth_mm: 1 } }), OUT, "placement.width_mm"],
    ["floor 10,000", rack({ location: { site_id: "S1", floor_number: 10000 } }), OUT, "location.floor_number"],
    ["a role that is no slug", rack({ role: "Network Rack" }), OUT, "role"],
    ["a measurement from the future", rack({ measured_at: LATER }), OUT, "measured_at"],
    ["a long owner", rack({ reservations: [{ units: [1], owner: LONG }] }), OUT, "reservations[0].owner"],
  ],
  UpsertCrac: [
    ["a derating of 101 %", crac({ derate_pct: 101 }), OUT, "derate_pct"],
    ["air below zero", crac({ airflow_m3h: -1 }), OUT, "airflow_m3h"],
    ["a return of 81 °C", crac({ return_temp_c: 81 }), OUT, "return_temp_c"],
    ["a rated return of 81 °C", crac({ rated_return_temp_c: 81 }), OUT, "rated_return_temp_c"],
    ["fans at 101 %", crac({ fan_speed_pct: 101 }), OUT, "fan_speed_pct"],
    ["a load below zero", crac({ measured_load_kw: -1 }), OUT, "measured_load_kw"],
    ["more drawn than the nameplate", crac({ max_draw_w: 1, allocated_draw_w: 2 }), OUT, "allocated_draw_w"],
    ["more live inlets than inlets", crac({ min_live_inlets: 2 }), OUT, "min_live_inlets"],
    ["an inlet's draw below zero", crac({ power_inputs: [{ max_draw_w: -1 }] }), OUT, "power_inputs[0].max_draw_w"],
    ["a measurement from the future", crac({ measured_at: LATER }), OUT, "measured_at"],
  ],
  UpsertCable: [
    ["more than 100 km", cable(...free, { length_m: 100001 }), OUT, "length_m"],
    ["a long label", cable(...free, { label: LONG }), OUT, "label"],
  ],
  UpsertFabricLink: [
    ["traffic below zero", link(...free, { b_to_a_mbps: -1 }), OUT, "b_to_a_mbps"],
    ["errors below zero", link(...free, { error_count: -1 }), OUT, "error_count"],
    ["a measurement from the future", link(...free, { measured_at: LATER }), OUT, "measured_at"],
  ],
};
