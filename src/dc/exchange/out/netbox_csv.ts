import type { PortKind } from "#dc/model/enum_values.ts";
import type { Cable, Device, Port, Rack } from "#dc/model/resources.ts";
import type { ExportFile, ExportInventory } from "./inventory.ts";
import { maker, type NetboxType, netboxTypes, sluggedNames } from "./netbox_types.ts";

type Cells = readonly (string | number | boolean | undefined)[];

const TABLE_OF: Readonly<Record<PortKind, readonly [file: string, type: string]>> = {
  NETWORK: ["interfaces", "dcim.interface"],
  FRONT: ["front-ports", "dcim.frontport"],
  REAR: ["rear-ports", "dcim.rearport"],
  CONSOLE: ["console-ports", "dcim.consoleport"],
  CONSOLE_SERVER: ["console-server-ports", "dcim.consoleserverport"],
  POWER_IN: ["power-ports", "dcim.powerport"],
  POWER_OUT: ["power-outlets", "dcim.poweroutlet"],
};

const DEVICE_COLUMNS = [
  "name",
  "role",
  "manufacturer",
  "device_type",
  "site",
  "rack",
  "position",
  "face",
  "status",
  "serial",
  "asset_tag",
  "comments",
];

/**
 * The inventory as files for NetBox's bulk import, to be imported in the order of their numbers. Codes are the names
 * there, so that references are unique.
 */
export function netboxCsv(inventory: ExportInventory): readonly ExportFile[] {
  const { racks, devices, cables } = inventory;
  const types = netboxTypes(devices);
  const files: readonly (readonly [name: string, header: readonly string[], rows: readonly Cells[]])[] = [
    ["sites", ["name", "slug", "status"], sluggedNames(sitesOf(inventory)).map((site) => [...site, "active"])],
    ["manufacturers", ["name", "slug"], sluggedNames(uniqueNames(devices.map(maker)))],
    [
      "device-types",
      ["manufacturer", "model", "slug", "u_height", "is_full_depth", "subdevice_role"],
      [...new Set(types.values())].map(typeRow),
    ],
    [
      "device-roles",
      ["name", "slug", "color"],
      sluggedNames(uniqueNames(devices.map(role))).map((named) => [...named, "9e9e9e"]),
    ],
    [
      "racks",
      ["site", "name", "status", "u_height", "width", "serial", "asset_tag", "desc_units", "comments"],
      racks.map(rackRow),
    ],
    ["devices", DEVICE_COLUMNS, devices.map((device) => deviceRow(device, types.get(device.code)?.model))],
    ["device-bays", ["device", "name", "installed_device"], devices.flatMap(bayRow)],
    ...portFiles(devices),
    [
      "cables",
      [
        "side_a_device",
        "side_a_type",
        "side_a_name",
        "side_b_device",
        "side_b_type",
        "side_b_name",
        "type",
        "status",
        "label",
        "color",
        "length",
        "length_unit",
      ],
      cableRows(cables, devices),
    ],
  ];
  return files
    .filter(([, , rows]) => rows.length > 0)
    .map(([name, header, rows], index) => ({
      name: `${String(index + 1).padStart(2, "0")}-${name}.csv`,
      text: [header, ...rows].map(line).join(""),
    }));
}

function sitesOf({ racks, devices }: ExportInventory): readonly string[] {
  return uniqueNames(
    [...racks, ...devices].flatMap(({ location }) => (location === undefined ? [] : [location.siteId])),
  );
}

function uniqueNames(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}

const role = ({ role: given, kind }: Device) => given ?? kind.toLowerCase();

function typeRow({ manufacturer, model, slug, uHeight, isFullDepth, subdevice }: NetboxType): Cells {
  return [manufacturer, model, slug, uHeight, isFullDepth, subdevice];
}

function rackRow({
  code,
  location,
  status = "ACTIVE",
  uHeight,
  railWidthIn,
  serial,
  assetTag,
  descUnits,
  comments,
}: Rack): Cells {
  return [
    location?.siteId,
    code,
    status.toLowerCase(),
    uHeight,
    railWidthIn,
    serial,
    assetTag,
    descUnits === true,
    comments,
  ];
}

function deviceRow(device: Device, model: string | undefined): Cells {
  const { code, location, rackCode, positionU, face, status = "ACTIVE", serial, assetTag, comments } = device;
  return [
    code,
    role(device),
    maker(device),
    model,
    location?.siteId,
    rackCode,
    positionU,
    face?.toLowerCase(),
    status.toLowerCase(),
    serial,
    assetTag,
    comments,
  ];
}

function bayRow({ code, parentDeviceCode, bay }: Device): readonly Cells[] {
  return parentDeviceCode === undefined || bay === undefined ? [] : [[parentDeviceCode, bay, code]];
}

function portFiles(devices: readonly Device[]) {
  // Rear ports before the front ports that lead to them, inlets before outlets.
  const order: readonly PortKind[] = ["NETWORK", "REAR", "FRONT", "CONSOLE", "CONSOLE_SERVER", "POWER_IN", "POWER_OUT"];
  return order.map((kind) => {
    const rows = devices.flatMap((device) =>
      (device.ports ?? []).filter((port) => port.kind === kind).map((port) => portRow(device, port)),
    );
    return [TABLE_OF[kind][0], HEADERS[kind], rows] as const;
  });
}

const PORT_HEADER = ["device", "name", "label", "type"];
const HEADERS: Readonly<Record<PortKind, readonly string[]>> = {
  NETWORK: [...PORT_HEADER, "enabled", "mgmt_only", "lag", "speed"],
  REAR: [...PORT_HEADER, "positions"],
  FRONT: [...PORT_HEADER, "rear_port", "rear_port_position"],
  CONSOLE: PORT_HEADER,
  CONSOLE_SERVER: PORT_HEADER,
  POWER_IN: [...PORT_HEADER, "maximum_draw", "allocated_draw"],
  POWER_OUT: [...PORT_HEADER, "power_port", "feed_leg"],
};

function portRow({ code }: Device, port: Port): Cells {
  const { name, label, type, kind } = port;
  const common: Cells = [code, name, label, type ?? (kind === "NETWORK" ? "other" : undefined)];
  const [mapping] = port.mappings ?? [];
  switch (kind) {
    case "NETWORK":
      return [
        ...common,
        port.enabled ?? true,
        port.mgmtOnly ?? false,
        port.lag,
        port.speedMbps === undefined ? undefined : port.speedMbps * 1000,
      ];
    case "REAR":
      return [...common, port.positions ?? 1];
    case "FRONT":
      return [...common, mapping?.rearPort, mapping?.rearPosition];
    case "POWER_IN":
      return [...common, port.powerIn?.maxDrawW, port.powerIn?.allocatedDrawW];
    case "POWER_OUT":
      return [...common, port.powerOut?.inletName, port.powerOut?.leg];
    default:
      return common;
  }
}

const CABLE_WORDS: Readonly<Record<string, string>> = { POWER: "power", CONSOLE: "", OTHER: "" };

function cableRows(cables: readonly Cable[], devices: readonly Device[]): readonly Cells[] {
  const kinds = new Map(
    devices.flatMap(({ code, ports = [] }) => ports.map(({ name, kind }) => [`${code}/${name}`, kind] as const)),
  );
  return cables.flatMap(({ a, b, type, status = "CONNECTED", label, color, lengthM }) => {
    const ends = [a, b].map(({ deviceCode, portName }) => {
      const kind = kinds.get(`${deviceCode}/${portName}`);
      return kind === undefined ? undefined : [deviceCode, TABLE_OF[kind][1], portName];
    });
    const [one, other] = ends;
    if (one === undefined || other === undefined) return [];
    const word = type === undefined ? "" : (CABLE_WORDS[type] ?? type.toLowerCase().replaceAll("_", "-"));
    return [
      [
        ...one,
        ...other,
        word,
        status.toLowerCase(),
        label,
        color?.toLowerCase(),
        lengthM,
        lengthM === undefined ? undefined : "m",
      ],
    ];
  });
}

function line(cells: Cells): string {
  return `${cells.map(cellText).join(",")}\n`;
}

function cellText(cell: Cells[number]): string {
  const text = cell === undefined ? "" : String(cell);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
