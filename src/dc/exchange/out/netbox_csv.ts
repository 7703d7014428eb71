import { quoteCsvCell } from "#words/quoting.ts";
import type { PortKind } from "../../model/enum_values.ts";
import type { Cable, Device, Port, Rack } from "../../model/resources.ts";
import { convertToSlug, takeUnusedName } from "../codes.ts";
import { PORT_TABLES } from "../netbox/tables.ts";

/** A device type of NetBox. Types have the dimensions that the inventory records with each device. */
interface NetboxType {
  readonly manufacturer: string;
  readonly model: string;
  readonly slug: string;
  readonly uHeight: number;
  readonly isFullDepth: boolean;
  readonly subdevice: string;
}

const getManufacturer = ({ manufacturer }: Device) => manufacturer ?? "Unknown";

/**
 * Returns the type of each device, by the device's code. Devices of one model with different dimensions get separate
 * types, whose model names show the difference: `R740 (4U)`.
 */
function buildNetboxTypes(devices: readonly Device[]): ReadonlyMap<string, NetboxType> {
  const models = new UniqueNames();
  const slugs = new UniqueNames();
  const types = new Map<string, NetboxType>();
  const byCode = new Map<string, NetboxType>();
  for (const device of devices) {
    const { uHeight = 1, depth, kind, model = kind } = device;
    const manufacturer = getManufacturer(device);
    const isFullDepth = depth !== "HALF";
    const subdevice = kind === "CHASSIS" ? "parent" : kind === "BLADE" ? "child" : "";
    const key = JSON.stringify([manufacturer, model, uHeight, isFullDepth, subdevice]);
    const known = types.get(key);
    if (known === undefined) {
      const build = [`${uHeight}U`, ...(isFullDepth ? [] : ["half depth"]), subdevice].filter((word) => word !== "");
      const name = models.takeName(manufacturer, model, `${model} (${build.join(", ")})`);
      const slug = slugs.takeName("", convertToSlug(`${manufacturer}-${name}`) ?? "unknown");
      types.set(key, { manufacturer, model: name, slug, uHeight, isFullDepth, subdevice });
    }
    const type = types.get(key);
    if (type !== undefined) byCode.set(device.code, type);
  }
  return byCode;
}

/** Returns names with slugs that no other name has. */
function assignSlugs(names: readonly string[]): readonly (readonly [name: string, slug: string])[] {
  const slugs = new UniqueNames();
  return names.map((name) => [name, slugs.takeName("", convertToSlug(name) ?? "unknown")]);
}

/** Gives out names so that each is used once within a group, regardless of case. */
class UniqueNames {
  readonly #usedNames = new Set<string>();

  /** Returns the first free name of the wishes; if none is free, the last one with a number. */
  takeName(within: string, ...wishes: readonly [string, ...string[]]): string {
    const last = wishes.at(-1) ?? wishes[0];
    const keyOf = (name: string) => `${within}\n${name}`.toLowerCase();
    return takeUnusedName(wishes, (number) => `${last}-${number}`, this.#usedNames, keyOf);
  }
}

type CsvCell = string | number | boolean | undefined;
type CsvCells = readonly CsvCell[];
/** A column of a file: its header, and a function that returns its cell for an item. */
type CsvColumn<About> = readonly [header: string, cell: (about: About) => CsvCell];
type CsvTable = readonly [name: string, header: readonly string[], rows: readonly CsvCells[]];

const TABLE_BY_KIND = new Map<PortKind, (typeof PORT_TABLES)[number]>(PORT_TABLES.map((one) => [one.kind, one]));

/**
 * Writes the inventory as files for NetBox's bulk import, to be imported in the order of their numbers. Names in NetBox
 * are the inventory's codes, so that references are unique.
 */
export function writeNetboxCsv(inventory: ExportInventory): readonly ExportFile[] {
  const { racks, devices, cables } = inventory;
  const types = buildNetboxTypes(devices);
  const files: readonly CsvTable[] = [
    ["sites", ["name", "slug", "status"], assignSlugs(listSites(inventory)).map((site) => [...site, "active"])],
    ["manufacturers", ["name", "slug"], assignSlugs(listUniqueNames(devices.map(getManufacturer)))],
    buildTable("device-types", TYPE_COLUMNS, [...new Set(types.values())]),
    [
      "device-roles",
      ["name", "slug", "color"],
      assignSlugs(listUniqueNames(devices.map(getRoleName))).map((named) => [...named, "9e9e9e"]),
    ],
    buildTable("racks", RACK_COLUMNS, racks),
    buildTable("devices", createDeviceColumns(types), devices),
    ["device-bays", ["device", "name", "installed_device"], devices.flatMap(createBayRow)],
    ...PORT_ORDER.map((kind) => createPortTable(kind, devices)),
    buildTable("cables", CABLE_COLUMNS, listCablesWithTypes(cables, devices)),
  ];
  return files
    .filter(([, , rows]) => rows.length > 0)
    .map(([name, header, rows], index) => ({
      name: `${String(index + 1).padStart(2, "0")}-${name}.csv`,
      text: [header, ...rows].map(formatCsvLine).join(""),
    }));
}

function buildTable<About>(name: string, columns: readonly CsvColumn<About>[], abouts: readonly About[]): CsvTable {
  return [name, columns.map(([header]) => header), abouts.map((about) => columns.map(([, cell]) => cell(about)))];
}

function listSites({ racks, devices }: ExportInventory): readonly string[] {
  return listUniqueNames(
    [...racks, ...devices].flatMap(({ location }) => (location === undefined ? [] : [location.siteId])),
  );
}

function listUniqueNames(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}

const getRoleName = ({ role: given, kind }: Device) => given ?? kind.toLowerCase();

const TYPE_COLUMNS: readonly CsvColumn<NetboxType>[] = [
  ["manufacturer", ({ manufacturer }) => manufacturer],
  ["model", ({ model }) => model],
  ["slug", ({ slug }) => slug],
  ["u_height", ({ uHeight }) => uHeight],
  ["is_full_depth", ({ isFullDepth }) => isFullDepth],
  ["subdevice_role", ({ subdevice }) => subdevice],
];

const RACK_COLUMNS: readonly CsvColumn<Rack>[] = [
  ["site", ({ location }) => location?.siteId],
  ["name", ({ code }) => code],
  ["status", ({ status = "ACTIVE" }) => status.toLowerCase()],
  ["u_height", ({ uHeight }) => uHeight],
  ["width", ({ railWidthIn }) => railWidthIn],
  ["serial", ({ serial }) => serial],
  ["asset_tag", ({ assetTag }) => assetTag],
  ["desc_units", ({ descUnits }) => descUnits === true],
  ["comments", ({ comments }) => comments],
];

function createDeviceColumns(types: ReadonlyMap<string, NetboxType>): readonly CsvColumn<Device>[] {
  return [
    ["name", ({ code }) => code],
    ["role", getRoleName],
    ["manufacturer", getManufacturer],
    ["device_type", ({ code }) => types.get(code)?.model],
    ["site", ({ location }) => location?.siteId],
    ["rack", ({ rackCode }) => rackCode],
    ["position", ({ positionU }) => positionU],
    ["face", ({ face }) => face?.toLowerCase()],
    ["status", ({ status = "ACTIVE" }) => status.toLowerCase()],
    ["serial", ({ serial }) => serial],
    ["asset_tag", ({ assetTag }) => assetTag],
    ["comments", ({ comments }) => comments],
  ];
}

function createBayRow({ code, parentDeviceCode, bay }: Device): readonly CsvCells[] {
  return parentDeviceCode === undefined || bay === undefined ? [] : [[parentDeviceCode, bay, code]];
}

/** Port kinds in import order: rear ports before the front ports that refer to them, inlets before outlets. */
const PORT_ORDER = ["NETWORK", "REAR", "FRONT", "CONSOLE", "CONSOLE_SERVER", "POWER_IN", "POWER_OUT"] as const;

/** Additional columns of each kind of port, after the common columns of all ports. */
const PORT_COLUMNS: Readonly<Record<PortKind, readonly CsvColumn<Port>[]>> = {
  NETWORK: [
    ["enabled", ({ enabled = true }) => enabled],
    ["mgmt_only", ({ mgmtOnly = false }) => mgmtOnly],
    ["lag", ({ lag }) => lag],
    ["speed", ({ speedMbps }) => (speedMbps === undefined ? undefined : speedMbps * 1000)],
  ],
  REAR: [["positions", ({ positions = 1 }) => positions]],
  FRONT: [
    ["rear_port", ({ mappings }) => mappings?.[0]?.rearPort],
    ["rear_port_position", ({ mappings }) => mappings?.[0]?.rearPosition],
  ],
  CONSOLE: [],
  CONSOLE_SERVER: [],
  POWER_IN: [
    ["maximum_draw", ({ powerIn }) => powerIn?.maxDrawW],
    ["allocated_draw", ({ powerIn }) => powerIn?.allocatedDrawW],
  ],
  POWER_OUT: [
    ["power_port", ({ powerOut }) => powerOut?.inletName],
    ["feed_leg", ({ powerOut }) => powerOut?.leg],
  ],
};

function createPortTable(kind: PortKind, devices: readonly Device[]): CsvTable {
  const rows = devices.flatMap(({ code, ports = [] }) =>
    ports
      .filter((port) => port.kind === kind)
      .map((port) => {
        const type = port.type ?? (kind === "NETWORK" ? "other" : undefined);
        return [code, port.name, port.label, type, ...PORT_COLUMNS[kind].map(([, cell]) => cell(port))];
      }),
  );
  const own = PORT_COLUMNS[kind].map(([header]) => header);
  return [TABLE_BY_KIND.get(kind)?.list ?? "", ["device", "name", "label", "type", ...own], rows];
}

/** A cable with the NetBox types of its two ends. */
interface TypedCable {
  readonly cable: Cable;
  readonly types: readonly string[];
}

const CABLE_COLUMNS: readonly CsvColumn<TypedCable>[] = [
  ["side_a_device", ({ cable }) => cable.a.deviceCode],
  ["side_a_type", ({ types }) => types[0]],
  ["side_a_name", ({ cable }) => cable.a.portName],
  ["side_b_device", ({ cable }) => cable.b.deviceCode],
  ["side_b_type", ({ types }) => types[1]],
  ["side_b_name", ({ cable }) => cable.b.portName],
  ["type", ({ cable: { type } }) => type && (CABLE_TYPE_NAMES[type] ?? type.toLowerCase().replaceAll("_", "-"))],
  ["status", ({ cable: { status = "CONNECTED" } }) => status.toLowerCase()],
  ["label", ({ cable }) => cable.label],
  ["color", ({ cable }) => cable.color?.toLowerCase()],
  ["length", ({ cable }) => cable.lengthM],
  ["length_unit", ({ cable }) => (cable.lengthM === undefined ? undefined : "m")],
];

const CABLE_TYPE_NAMES: Readonly<Record<string, string>> = { POWER: "power", CONSOLE: "", OTHER: "" };

function listCablesWithTypes(cables: readonly Cable[], devices: readonly Device[]): readonly TypedCable[] {
  const kinds = new Map(
    devices.flatMap(({ code, ports = [] }) => ports.map(({ name, kind }) => [`${code}/${name}`, kind] as const)),
  );
  return cables.flatMap((cable) => {
    const types = [cable.a, cable.b].flatMap(({ deviceCode, portName }) => {
      const kind = kinds.get(`${deviceCode}/${portName}`);
      return kind === undefined ? [] : [`dcim.${TABLE_BY_KIND.get(kind)?.table}`];
    });
    return types.length === 2 ? [{ cable, types }] : [];
  });
}

function formatCsvLine(cells: CsvCells): string {
  return `${cells.map((cell) => quoteCsvCell(String(cell ?? ""))).join(",")}\n`;
}

export interface ExportInventory {
  readonly racks: readonly Rack[];
  readonly devices: readonly Device[];
  readonly cables: readonly Cable[];
}

export interface ExportFile {
  readonly name: string;
  readonly text: string;
}

const QUERYABLE_STATUSES: readonly (string | undefined)[] = ["ACTIVE", "FAILED", "DECOMMISSIONING"];

/** Whether a monitoring program can query a device: it is installed, active, and has a network port or no ports. */
export function isQueryable({ status, kind, role, ports = [] }: Device): boolean {
  if (!QUERYABLE_STATUSES.includes(status) || kind === "PATCH_PANEL" || role === "circuit") return false;
  return ports.length === 0 || ports.some((port) => port.kind === "NETWORK");
}

/** Returns the known facts of a device by which other programs group devices, by name. */
export function listDeviceFacts(device: Device): Readonly<Record<string, string>> {
  const { location, rackCode, positionU } = device;
  const facts: readonly (readonly [string, string | number | undefined])[] = [
    ...FACT_FIELDS.map((name) => [name, device[name]] as const),
    ["site", location?.siteId],
    ["floor", location?.floorNumber],
    ["room", location?.room],
    ["row", location?.row],
    ["rack", rackCode],
    ["position_u", positionU],
  ];
  return Object.fromEntries(facts.flatMap(([name, fact]) => (fact === undefined ? [] : [[name, String(fact)]])));
}

const FACT_FIELDS = ["code", "name", "kind", "role", "status", "manufacturer", "model", "serial", "tenant"] as const;

/**
 * Writes targets for Prometheus' file_sd_configs: one group for each device that can be queried, with its facts as
 * labels `planner_<fact>`. The target is the device's name, else its code; relabelling adds a port.
 */
export function writePrometheusSd({ devices }: ExportInventory): readonly ExportFile[] {
  const groups = devices.filter(isQueryable).map((device) => ({
    targets: [device.name ?? device.code],
    labels: Object.fromEntries(
      Object.entries(listDeviceFacts(device)).map(([name, value]) => [`planner_${name}`, value]),
    ),
  }));
  return [{ name: "planner.json", text: `${JSON.stringify(groups, null, 2)}\n` }];
}

/**
 * Writes an inventory for Ansible as JSON: hosts by code, with groups by site, rack, role and kind, and the facts of a
 * device as variables `planner_<fact>`.
 */
export function writeAnsibleInventory({ devices }: ExportInventory): readonly ExportFile[] {
  const hosts = devices.filter(isQueryable);
  const groups = new Map<string, string[]>();
  for (const host of hosts) for (const group of listAnsibleGroups(host)) groups.getOrInsert(group, []).push(host.code);
  const hostvars = Object.fromEntries(hosts.map((host) => [host.code, listAnsibleVariables(host)]));
  const names = [...groups.keys()].toSorted();
  const inventory = {
    _meta: { hostvars },
    all: { children: ["ungrouped", ...names] },
    ...Object.fromEntries(names.map((name) => [name, { hosts: groups.get(name) }])),
  };
  return [{ name: "inventory.json", text: `${JSON.stringify(inventory, null, 2)}\n` }];
}

/** Returns the groups of a device, with names of letters, digits and underscores only. */
function listAnsibleGroups({ location, rackCode, role, kind }: Device): readonly string[] {
  const given: readonly (readonly [string, string | undefined])[] = [
    ["site", location?.siteId],
    ["rack", rackCode],
    ["role", role],
    ["kind", kind.toLowerCase()],
  ];
  return given.flatMap(([prefix, value]) =>
    value === undefined ? [] : [`${prefix}_${value.replace(/[^A-Za-z0-9_]/g, "_")}`],
  );
}

function listAnsibleVariables(device: Device): Readonly<Record<string, string>> {
  const facts = Object.entries(listDeviceFacts(device)).map(([name, value]) => [`planner_${name}`, value]);
  return Object.fromEntries([...facts, ["ansible_host", device.name ?? device.code]]);
}

/** Writes devices and cables as a graph in DOT, racks as clusters. Omits devices without cables. */
export function writeGraphviz({ racks, devices, cables }: ExportInventory): readonly ExportFile[] {
  const cabled = new Set(cables.flatMap(({ a, b }) => [a.deviceCode, b.deviceCode]));
  const shown = devices.filter(({ code }) => cabled.has(code));
  const names = new Map(racks.map(({ code, name }) => [code, name ?? code]));
  const lines = [
    "graph inventory {",
    "  graph [compound=true, overlap=false];",
    '  node [shape=box, fontname="sans-serif"];',
  ];
  for (const [rack, members] of Map.groupBy(shown, ({ rackCode = "" }) => rackCode)) {
    if (rack === "") lines.push(...members.map((device) => `  ${formatDotNode(device)}`));
    else {
      lines.push(`  subgraph ${quoteText(`cluster_${rack}`)} {`, `    label=${quoteText(names.get(rack) ?? rack)};`);
      lines.push(...members.map((device) => `    ${formatDotNode(device)}`), "  }");
    }
  }
  lines.push(...cables.map(formatDotEdge), "}");
  return [{ name: "inventory.dot", text: `${lines.join("\n")}\n` }];
}

function formatDotNode({ code, name, role }: Device): string {
  return `${quoteText(code)} [label=${quoteText(name ?? code)}${role === undefined ? "" : `, tooltip=${quoteText(role)}`}];`;
}

function formatDotEdge({ a, b, color, status }: Cable): string {
  const style = status === "PLANNED" ? ", style=dashed" : "";
  const shade = color === undefined ? "" : `, color=${quoteText(`#${color}`)}`;
  return `  ${quoteText(a.deviceCode)} -- ${quoteText(b.deviceCode)} [taillabel=${quoteText(a.portName)}, headlabel=${quoteText(b.portName)}${shade}${style}];`;
}

function quoteText(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
