/**
 * Reply fields that each tool returns by default, by the tool's name: a few thousand tokens at most. A tool without an
 * entry returns every field. Source: docs/decisions.md#d-04.
 */
export const DEFAULT_REPLY_FIELDS: Readonly<Record<string, readonly string[]>> = {
  power_blast_radius: [
    ..."source_ref impact overloads cascade_cut fabric_links_down fabric_lost_mbps switches_cut_off".split(" "),
    ..."devices_without_data_path truncated".split(" "),
    ...prefixNames("affected", "kind code state rack_code role draw_w"),
    ...prefixNames("protected", "kind code state rack_code role"),
    ...prefixNames("undocumented", "kind code rack_code undocumented_inlets"),
    ...prefixNames("cascade_steps", "step devices_offline trips"),
    ...prefixNames("zones", "ref medium short heat_kw capacity_kw"),
  ],
  get_rack: [
    ..."rack capacity conflicts".split(" "),
    ...prefixNames("occupants", "device_code name role kind position_u u_height face status draw_w"),
  ],
  fabric_topology: [
    ..."congested missing summary".split(" "),
    ...prefixNames("nodes", "code role oversubscription uplinks_up uplinks_total failed"),
    ...prefixNames("findings", "severity code message"),
  ],
  floor_plan: [
    ..."floor_ref load_basis counts unplaced".split(" "),
    ...prefixNames("racks", "code health reasons.code power_pct heat_w inlet_temp_c"),
    ...prefixNames("cracs", "code status utilization_pct"),
    ...prefixNames("devices", "code kind status power_pct power_failover_pct"),
    ...prefixNames("unplaced_racks", "code health reasons.code power_pct heat_w inlet_temp_c"),
  ],
  search_devices: [
    ..."next_page_token total_count role_counts".split(" "),
    ...prefixNames("devices", "code name kind role status rack_code position_u"),
  ],
  get_device: [
    ..."device power_chain power_single_points cables power_load_w power_failover_w power_failover_ref".split(" "),
    ..."power_pct power_failover_pct power_reasons supply_state undocumented_inlets active_inlet".split(" "),
    ...prefixNames("recent", "occurred_at actor.principal action changed_fields message"),
  ],
};

/** @param names separated by blanks */
function prefixNames(place: string, names: string): readonly string[] {
  return names.split(" ").map((name) => `${place}.${name}`);
}
