/** Accepted values of a condition without a column: words, or references to elements of the given kinds. */
export type ConditionRelation = { readonly words: readonly string[] } | { readonly kinds: readonly string[] };

/** A kind of element with a list page and one page per element. */
export interface ListKind {
  /** Name of the list's page; `kind` is the value of InventoryKind without its prefix. */
  readonly page: string;
  readonly kind: string;
  readonly title: string;
  readonly singular: string;
  readonly icon:
    | "site"
    | "floor"
    | "room"
    | "row"
    | "rack"
    | "device"
    | "port"
    | "cable"
    | "power"
    | "cooling"
    | "fabric"
    | "link";
  /** Default columns after the name. */
  readonly columns: readonly string[];
  /** Conditions without a column, by name. */
  readonly relations?: Readonly<Record<string, ConditionRelation>>;
  /** Frequent conditions, each offered as a chip. */
  readonly quickFilters?: readonly { readonly name: string; readonly settings: Readonly<Record<string, string>> }[];
  /** Text for an empty inventory: the elements that this list shows, and how to add them. */
  readonly emptyText: string;
}

const LOCATION_HINT = "It comes with the location of racks, devices and cooling units.";
const FAILED_FILTER = { name: "failed", settings: { status: "FAILED" } };

export const LIST_KINDS: readonly ListKind[] = [
  {
    page: "sites",
    kind: "SITE",
    title: "Sites",
    singular: "site",
    icon: "site",
    columns: ["racks", "devices", "cracs", "draw_w"],
    emptyText: LOCATION_HINT,
  },
  {
    page: "floors",
    kind: "FLOOR",
    title: "Floors",
    singular: "floor",
    icon: "floor",
    columns: ["site", "racks", "devices", "cracs", "draw_w"],
    emptyText: LOCATION_HINT,
  },
  {
    page: "rooms",
    kind: "ROOM",
    title: "Rooms",
    singular: "room",
    icon: "room",
    columns: ["site", "floor", "racks", "devices", "cracs", "draw_w"],
    emptyText: LOCATION_HINT,
  },
  {
    page: "rows",
    kind: "ROW",
    title: "Rows",
    singular: "row",
    icon: "row",
    columns: ["site", "floor", "room", "racks", "devices", "cracs", "draw_w"],
    emptyText: LOCATION_HINT,
  },
  {
    page: "racks",
    kind: "RACK",
    title: "Racks",
    singular: "rack",
    icon: "rack",
    columns: "health room row role devices free_u largest_free_block_u draw_w power_pct cooling_pct".split(" "),
    quickFilters: [
      { name: "fault", settings: { health: "FAULT" } },
      { name: "watch", settings: { health: "WATCH" } },
      { name: "over 80 % power", settings: { power_pct: "80.." } },
    ],
    emptyText: "Racks come from an import, or one by one from a writer.",
  },
  {
    page: "devices",
    kind: "DEVICE",
    title: "Devices",
    singular: "device",
    icon: "device",
    columns: ["kind", "role", "status", "rack", "position_u", "draw_w", "supply", "redundancy", "model"],
    quickFilters: [
      FAILED_FILTER,
      { name: "redundancy not met", settings: { redundancy: "UNMET" } },
      { name: "one cord", settings: { cords: "1..1" } },
      { name: "no live supply", settings: { supply: "NO_LIVE_SUPPLY" } },
      { name: "with a free data port", settings: { free_port: "YES" } },
    ],
    relations: {
      fed_by: { kinds: ["SUPPLY", "DEVICE", "RACK", "ROW", "ROOM", "FLOOR", "SITE"] },
      free_port: { words: ["YES", "NO"] },
    },
    emptyText: "Devices come from an import, or one by one from a writer.",
  },
  {
    page: "ports",
    kind: "PORT",
    title: "Ports",
    singular: "port",
    icon: "port",
    columns: ["device", "kind", "type", "speed_mbps", "leads_to", "source", "feed", "rack"],
    quickFilters: [
      { name: "network", settings: { kind: "NETWORK" } },
      { name: "power inlets", settings: { kind: "POWER_IN" } },
      { name: "switched off", settings: { enabled: "NO" } },
    ],
    emptyText: "Ports come with their devices.",
  },
  {
    page: "cables",
    kind: "CABLE",
    title: "Cables",
    singular: "cable",
    icon: "cable",
    columns: ["label", "type", "status", "length_m", "a_device", "b_device"],
    quickFilters: [{ name: "planned", settings: { status: "PLANNED" } }],
    emptyText: "Cables come from an import, or are connected from a port.",
  },
  {
    page: "supplies",
    kind: "SUPPLY",
    title: "Power",
    singular: "supply",
    icon: "power",
    columns: ["kind", "power", "side", "load_w", "capacity_w", "load_pct", "failover_pct", "failover_ref", "consumers"],
    quickFilters: [
      { name: "over 100 % after one failure", settings: { failover_pct: "100.." } },
      { name: "dead", settings: { power: "DEAD" } },
      { name: "feeds", settings: { kind: "FEED" } },
    ],
    emptyText: "Feeds and sources come with power equipment and its outlets.",
  },
  {
    page: "cooling",
    kind: "CRAC",
    title: "Cooling units",
    singular: "cooling unit",
    icon: "cooling",
    columns: ["kind", "status", "medium", "heat_rejection", "room", "serves", "load_kw", "effective_kw", "load_pct"],
    quickFilters: [FAILED_FILTER, { name: "liquid", settings: { medium: "LIQUID" } }],
    emptyText: "Cooling units come from an import, or one by one from a writer.",
  },
  {
    page: "fabrics",
    kind: "FABRIC",
    title: "Fabrics",
    singular: "fabric",
    icon: "fabric",
    columns: ["switches", "links", "up", "down", "congested", "busiest_pct"],
    emptyText: "A fabric comes with its links.",
  },
  {
    page: "links",
    kind: "FABRIC_LINK",
    title: "Fabric links",
    singular: "fabric link",
    icon: "link",
    columns: ["fabric", "a_device", "b_device", "health", "traffic", "capacity_mbps", "load_pct"],
    quickFilters: [
      { name: "over 80 %", settings: { load_pct: "80.." } },
      { name: "down", settings: { traffic: "DOWN" } },
    ],
    emptyText: "Links come from an import, or one by one from a writer.",
  },
  {
    page: "types",
    kind: "DEVICE_TYPE",
    title: "Device types",
    singular: "device type",
    icon: "device",
    columns: ["manufacturer", "model", "kind", "height_u", "depth", "weight_kg", "max_draw_w", "ports", "devices"],
    emptyText: 'Types come from the command "planner dc types import", or one by one from a writer.',
  },
];

export function findListKindByPage(page: string): ListKind | undefined {
  return LIST_KINDS.find((kind) => kind.page === page);
}

/** Returns the list for a value of InventoryKind without its prefix, such as RACK. */
export function findListKindByName(kind: string): ListKind | undefined {
  return LIST_KINDS.find((list) => list.kind === kind);
}
