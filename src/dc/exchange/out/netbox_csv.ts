import type { PortKind } from "#dc/model/enum_values.ts";
import type { Cable, Device, Port, Rack } from "#dc/model/resources.ts";
import { PORT_TABLES } from "../netbox/component_tables.ts";
import type { ExportFile, ExportInventory } from "./inventory.ts";
import { assignSlugs, buildNetboxTypes, getManufacturer, type NetboxType } from "./netbox_types.ts";

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
  return `${cells.map(formatCsvCell).join(",")}\n`;
}

function formatCsvCell(cell: CsvCell): string {
  const text = cell === undefined ? "" : String(cell);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
