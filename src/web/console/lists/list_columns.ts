import { FORM_ENUMS } from "#gen/datacenter/v1/forms.ts";

const LOCATION_COLUMNS = "site floor room row";

/** Columns of each list that conditions and orders can name, in the service's order, by page. */
const COLUMNS_BY_PAGE: Readonly<Record<string, string>> = {
  sites: "racks devices cracs draw_w devices_without_draw",
  floors: "site floor racks devices cracs draw_w devices_without_draw",
  rooms: "site floor racks devices cracs draw_w devices_without_draw",
  rows: "site floor room racks devices cracs draw_w devices_without_draw",
  racks: `name health findings ${LOCATION_COLUMNS} role status devices space_pct free_u largest_free_block_u height_u draw_w devices_without_draw power_capacity_w power_pct heat_w cooling_pct inlet_temp_c weight_kg devices_without_weight max_load_kg redundancy cooling tenant serial asset_tag tags`,
  devices: `name kind role status ${LOCATION_COLUMNS} rack position_u height_u draw_w draw_source max_draw_w measured_draw_w heat_w supply cords redundancy cooling inside manufacturer model serial asset_tag weight_kg tenant tags`,
  ports: "device port kind type speed_mbps role enabled source feed lag mac_address label rack",
  cables: "label a_device a_port b_device b_port type status length_m color bundle tenant tags",
  supplies:
    "kind status power side load_w capacity_w load_pct failover_w failover_pct failover_ref limit_pct phase_a_va phase_b_va phase_c_va worst_leg failover_phase_a_va failover_phase_b_va failover_phase_c_va failover_worst_leg battery_min battery_failover_min consumers consumers_without_draw site floor room rack source",
  cooling: `name kind status medium heat_rejection ${LOCATION_COLUMNS} rack serves load_kw effective_kw rated_kw load_pct redundancy_group supply_temp_c return_temp_c manufacturer model serial`,
  fabrics: "links up down congested busiest_pct switches",
  links: "fabric a_device a_port b_device b_port health status traffic capacity_mbps load_pct errors ecmp_group lag",
  types: "manufacturer model part_number kind height_u depth airflow weight_kg max_draw_w ports bays devices",
};

const HEALTH_VALUES = ["OK", "WATCH", "FAULT"];

/** Columns and relations with enum values, by page: the enumeration's name in the proto files, or the values. */
const ENUM_VALUES_BY_PAGE: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>> = {
  racks: { health: HEALTH_VALUES, status: "RackStatus", redundancy: "Redundancy", cooling: "CoolingCapability" },
  devices: {
    kind: "DeviceKind",
    status: "DeviceStatus",
    supply: ["LIVE", "NO_LIVE_SUPPLY", "UNDOCUMENTED"],
    redundancy: ["MET", "UNMET", "UNKNOWN"],
    draw_source: ["ALLOCATED", "MAX", "MEASURED", "INLETS_ALLOCATED", "INLETS_MAX", "NOT_RECORDED"],
    cooling: "CoolingMethod",
    free_port: ["YES", "NO"],
  },
  ports: { kind: "PortKind", role: "NetRole", enabled: ["YES", "NO"] },
  cables: { type: "CableType", status: "CableStatus" },
  supplies: {
    kind: [...(FORM_ENUMS["DeviceKind"]?.values ?? []), "FEED", "OUTLET"],
    status: "DeviceStatus",
    power: ["LIVE", "DEAD"],
  },
  cooling: { kind: "CracKind", status: "CracStatus", medium: "CoolingMedium", heat_rejection: "HeatRejection" },
  links: { health: HEALTH_VALUES, status: "LinkStatus", traffic: ["UP", "DOWN"] },
  types: { kind: "DeviceKind", depth: "Depth", airflow: "Airflow" },
};

/** Returns an own property only, because a URL may contain any name, such as `toString`. */
function getOwnValue<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Returns the columns of a page's list; empty for other pages. */
export function listAllColumns(page: string): readonly string[] {
  return getOwnValue(COLUMNS_BY_PAGE, page)?.split(" ") ?? [];
}

/** Returns the values that a column can have; undefined for a column of other texts or figures. */
export function listColumnValues(page: string, column: string): readonly string[] | undefined {
  const words = getOwnValue(getOwnValue(ENUM_VALUES_BY_PAGE, page) ?? {}, column);
  return typeof words === "string" ? FORM_ENUMS[words]?.values : words;
}

type ListSettings = Readonly<Record<string, string>>;

/** Converts settings of a list to their spelling in URLs: `free-port=yes` for the service's `free_port=YES`. */
export function convertToAddressSettings(page: string, settings: ListSettings): ListSettings {
  if (!Object.hasOwn(COLUMNS_BY_PAGE, page)) return settings;
  return Object.fromEntries(
    Object.entries(settings).map(
      ([name, text]) => [replaceUnderscores(name), convertToAddressValue(page, name, text)] as const,
    ),
  );
}

function convertToAddressValue(page: string, name: string, text: string): string {
  if (name === "order" || name === "columns") return replaceUnderscores(text);
  if (name === "fed_by") return text.replace(/^device:/, "");
  return listColumnValues(page, name) === undefined ? text : replaceUnderscores(text).toLowerCase();
}

/** Converts a URL's settings to the service's spelling. Accepts settings in that spelling, as in earlier URLs. */
export function convertToServiceSettings(
  page: string,
  settings: URLSearchParams & Iterable<[string, string]>,
): URLSearchParams {
  if (!Object.hasOwn(COLUMNS_BY_PAGE, page)) return settings;
  return new URLSearchParams(
    [...settings].map(([name, text]) => convertToServiceSetting(page, name.replaceAll("-", "_"), text)),
  );
}

function convertToServiceSetting(page: string, name: string, text: string): [string, string] {
  if (name === "order" || name === "columns") return [name, text.replaceAll("-", "_")];
  if (name === "fed_by") return [name, text.replace(/^device:/, "")];
  if (listColumnValues(page, name) === undefined) return [name, text];
  return [name, text.replaceAll("-", "_").toUpperCase()];
}

function replaceUnderscores(text: string): string {
  return text.replaceAll("_", "-");
}
