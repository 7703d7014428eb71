/**
 * Default selection of each reply: its essential fields, a few thousand tokens at most. A tool without an entry returns
 * everything. Source: docs/decisions.md#d-04.
 */
export const SHOWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  power_blast_radius: [
    "source_ref",
    "impact",
    ...namesBelow("affected", ["kind", "code", "state", "rack_code", "role", "draw_w"]),
    ...namesBelow("protected", ["kind", "code", "state", "rack_code", "role"]),
    ...namesBelow("undocumented", ["kind", "code", "rack_code", "undocumented_inlets"]),
    "overloads",
    ...namesBelow("cascade_steps", ["step", "devices_offline", "trips"]),
    "cascade_cut",
    ...namesBelow("zones", ["ref", "medium", "short", "heat_kw", "capacity_kw"]),
    "fabric_links_down",
    "fabric_lost_mbps",
    "switches_cut_off",
    "devices_without_data_path",
    "truncated",
  ],
  get_rack: [
    "rack",
    ...namesBelow("occupants", [
      "device_code",
      "name",
      "role",
      "kind",
      "position_u",
      "u_height",
      "face",
      "status",
      "draw_w",
    ]),
    "capacity",
    "conflicts",
  ],
  fabric_topology: [
    ...namesBelow("nodes", ["code", "role", "oversubscription", "uplinks_up", "uplinks_total", "failed"]),
    "congested",
    "missing",
    ...namesBelow("findings", ["severity", "code", "message"]),
    "summary",
  ],
  floor_plan: [
    "floor_ref",
    "load_basis",
    ...namesBelow("racks", ["code", "health", "reasons.code", "power_pct", "heat_w", "inlet_temp_c"]),
    ...namesBelow("cracs", ["code", "status", "utilization_pct"]),
    ...namesBelow("devices", ["code", "kind", "status", "power_pct", "power_failover_pct"]),
    "counts",
    "unplaced",
    ...namesBelow("unplaced_racks", ["code", "health", "reasons.code", "power_pct", "heat_w", "inlet_temp_c"]),
  ],
  search_devices: [
    ...namesBelow("devices", ["code", "name", "kind", "role", "status", "rack_code", "position_u"]),
    "next_page_token",
    "total_count",
    "role_counts",
  ],
  get_device: [
    "device",
    "power_chain",
    "power_single_points",
    "cables",
    "power_load_w",
    "power_failover_w",
    "power_failover_ref",
    "power_pct",
    "power_failover_pct",
    "power_reasons",
    "supply_state",
    "undocumented_inlets",
    "active_inlet",
    ...namesBelow("recent", ["occurred_at", "actor.principal", "action", "changed_fields", "message"]),
  ],
};

function namesBelow(place: string, names: readonly string[]): readonly string[] {
  return names.map((name) => `${place}.${name}`);
}
