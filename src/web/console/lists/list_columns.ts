import { FORM_ENUMS } from "#gen/datacenter/v1/forms.ts";

const PLACES = "site floor room row";

/** Every column of a list that conditions and orders can name, in the order of the service. */
const COLUMNS: Readonly<Record<string, string>> = {
  sites: "racks devices cracs draw_w",
  floors: "site floor racks devices cracs draw_w",
  rooms: "site floor racks devices cracs draw_w",
  rows: "site floor room racks devices cracs draw_w",
  racks: `name health findings ${PLACES} role status devices space_pct free_u largest_free_block_u height_u draw_w power_capacity_w power_pct heat_w cooling_pct inlet_temp_c weight_kg devices_without_weight max_load_kg redundancy cooling tenant serial asset_tag tags`,
  devices: `name kind role status ${PLACES} rack position_u height_u draw_w max_draw_w measured_draw_w heat_w supply cords redundancy cooling inside manufacturer model serial asset_tag weight_kg tenant tags`,
  ports: "device port kind type speed_mbps role enabled source feed lag mac_address label rack",
  cables: "label a_device a_port b_device b_port type status length_m color bundle tenant tags",
  supplies:
    "kind status power side load_w capacity_w load_pct failover_w failover_pct failover_ref limit_pct phase_a_va phase_b_va phase_c_va worst_leg failover_phase_a_va failover_phase_b_va failover_phase_c_va failover_worst_leg battery_min battery_failover_min consumers site floor room rack source",
  cooling: `name kind status medium heat_rejection ${PLACES} rack serves load_kw effective_kw rated_kw load_pct redundancy_group supply_temp_c return_temp_c manufacturer model serial`,
  fabrics: "links up down congested busiest_pct switches",
  links: "fabric a_device a_port b_device b_port health status traffic capacity_mbps load_pct errors ecmp_group lag",
  types: "manufacturer model part_number kind height_u depth airflow weight_kg max_draw_w ports bays devices",
};

const HEALTHS = ["OK", "WATCH", "FAULT"];

/** Columns and relations whose texts are words of an enumeration: its name in the proto files, or the words. */
const ENUMERATED: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>> = {
  racks: { health: HEALTHS, status: "RackStatus", redundancy: "Redundancy", cooling: "CoolingCapability" },
  devices: {
    kind: "DeviceKind",
    status: "DeviceStatus",
    supply: ["LIVE", "NO_LIVE_SUPPLY", "UNDOCUMENTED"],
    redundancy: ["MET", "UNMET", "UNKNOWN"],
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
  links: { health: HEALTHS, status: "LinkStatus", traffic: ["UP", "DOWN"] },
  types: { kind: "DeviceKind", depth: "Depth", airflow: "Airflow" },
};

/** An address may have any name, such as that of a method that every object has. */
function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The columns of a list by its page; none for other pages. */
export function allColumns(page: string): readonly string[] {
  return own(COLUMNS, page)?.split(" ") ?? [];
}

/** The words that a column may hold; undefined for one of other texts or figures. */
export function wordsOfColumn(page: string, column: string): readonly string[] | undefined {
  const words = own(own(ENUMERATED, page) ?? {}, column);
  return typeof words === "string" ? FORM_ENUMS[words]?.values : words;
}

type Settings = Readonly<Record<string, string>>;

/** Settings of a list as its address has them, in words: `free-port=yes` for the service's `free_port=YES`. */
export function listAddress(page: string, settings: Settings): Settings {
  if (!Object.hasOwn(COLUMNS, page)) return settings;
  return Object.fromEntries(
    Object.entries(settings).map(([name, text]) => [hyphenText(name), addressValue(page, name, text)] as const),
  );
}

function addressValue(page: string, name: string, text: string): string {
  if (name === "order" || name === "columns") return hyphenText(text);
  if (name === "fed_by") return text.replace(/^device:/, "");
  return wordsOfColumn(page, name) === undefined ? text : hyphenText(text).toLowerCase();
}

/** The inverse of `listAddress`, which takes the service's own spelling as well: earlier addresses have it. */
export function listSettings(page: string, settings: URLSearchParams & Iterable<[string, string]>): URLSearchParams {
  if (!Object.hasOwn(COLUMNS, page)) return settings;
  return new URLSearchParams([...settings].map(([name, text]) => settingOf(page, name.replaceAll("-", "_"), text)));
}

function settingOf(page: string, name: string, text: string): [string, string] {
  if (name === "order" || name === "columns") return [name, text.replaceAll("-", "_")];
  if (name === "fed_by") return [name, text.replace(/^device:/, "")];
  if (wordsOfColumn(page, name) === undefined) return [name, text];
  return [name, text.replaceAll("-", "_").toUpperCase()];
}

function hyphenText(text: string): string {
  return text.replaceAll("_", "-");
}
