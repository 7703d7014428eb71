import { AIRFLOWS, COOLING_METHODS, type DeviceKind } from "#dc/model/enum_values.ts";
import type { Device, DeviceBody, Port } from "#dc/model/resources.ts";
import { assignCodes, convertToSlug } from "../codes.ts";
import { removeEmptyFields } from "../item.ts";
import { convertToEnumValue } from "../values.ts";
import { readFlagCell, readNumberCell, readTextCell } from "./dataset.ts";
import { inferDeviceKind } from "./kinds.ts";
import { convertToDeviceStatus, convertToKilograms, getDisplayName, type NetboxMapping } from "./mapping.ts";
import { PortMapper } from "./ports.ts";
import type { NetboxRow } from "./read_row.ts";

/** Assigns codes to devices, and to other objects that become devices. An unnamed device is named by type and id. */
export function assignDeviceCodes(
  mapping: NetboxMapping,
  otherObjects: readonly { readonly id: string; readonly name: string; readonly within: readonly string[] }[],
): void {
  const { data, options } = mapping;
  const named = data.all("device").map((device) => ({
    id: `device/${device.id}`,
    name:
      readTextCell(device, "name") ||
      `${readTextCell(data.findReferencedRow("devicetype", device, "device_type"), "slug") || "device"}-${device.id}`,
    within: [
      mapping.where.getSiteCode(data.findReferencedRow("site", device, "site")),
      mapping.racks.get(readTextCell(device, "rack")) ?? "",
    ],
  }));
  const codes = assignCodes([...named, ...otherObjects], options.known, options.foreign.device, "device");
  mapping.devices = codes;
}

interface InstalledBay {
  readonly chassis: string;
  readonly name: string;
}

/** Maps every device with its ports, chassis and remarks. */
export function mapDevices(mapping: NetboxMapping): void {
  const { data } = mapping;
  const components = new PortMapper(mapping);
  const bays = findInstalledBays(mapping);
  const withBays = new Set(data.all("devicebay").map((bay) => readTextCell(bay, "device")));
  const remarks = new DeviceRemarks(mapping);
  for (const row of data.all("device")) {
    const code = mapping.devices.get(`device/${row.id}`);
    const location = mapping.where.findLocation(row);
    const rackCode = mapping.racks.get(readTextCell(row, "rack"));
    const bay = bays.get(row.id);
    if (code === undefined || (location === undefined && rackCode === undefined && bay === undefined)) {
      mapping.noteOmission("A device names no site, rack or bay that exists", "device", row);
      continue;
    }
    const ports = components.mapDevicePorts(row, code);
    const type = data.findReferencedRow("devicetype", row, "device_type");
    const kind = findDeviceKind(mapping, row, type, ports, withBays.has(row.id));
    const resource = removeEmptyFields<Device>({
      code,
      kind,
      ...createIdentityFields(mapping, row, type),
      ...(bay === undefined
        ? createPositionFields(mapping, row, { type, kind, rackCode, location })
        : createBayFields(mapping, bay)),
      airflow: mapping.readEnumValue(
        AIRFLOWS,
        "device",
        row,
        "airflow",
        readTextCell(row, "airflow") || readTextCell(type, "airflow"),
      ),
      coolingMethod: convertToEnumValue(
        COOLING_METHODS,
        readTextCell(row, "cooling_method") || readTextCell(type, "cooling_method"),
      ),
      weightKg: convertToKilograms(readNumberCell(type, "weight"), readTextCell(type, "weight_unit")),
      ports,
      ...remarks.createRemarks(row),
    });
    mapping.items.push({ kind: "device", id: `device/${row.id}`, resource });
  }
}

function createIdentityFields(
  mapping: NetboxMapping,
  row: NetboxRow,
  type: NetboxRow | undefined,
): Partial<DeviceBody> {
  const status = readTextCell(row, "status");
  const known = convertToDeviceStatus(status);
  if (known === undefined && status !== "")
    mapping.noteOmission("A status without an equivalent: ACTIVE is used", "device", row, status);
  const role = mapping.data.findReferencedRow("devicerole", row, "role");
  return {
    name: mapping.readShortText("device", row, "name"),
    role: convertToSlug(readTextCell(role, "slug") || readTextCell(role, "name")),
    status: known,
    manufacturer: mapping.shortenText(
      readTextCell(mapping.data.findReferencedRow("manufacturer", type, "manufacturer"), "name"),
      "device",
      row,
      "manufacturer",
    ),
    model: mapping.shortenText(readTextCell(type, "model"), "device", row, "model"),
    partNumber: mapping.shortenText(readTextCell(type, "part_number"), "device", row, "part_number"),
    serial: mapping.readShortText("device", row, "serial"),
    assetTag: mapping.readShortText("device", row, "asset_tag"),
    tenant: mapping.tenant("device", row),
  } as Partial<DeviceBody>;
}

interface DevicePlacement {
  readonly type: NetboxRow | undefined;
  readonly kind: DeviceKind;
  readonly rackCode: string | undefined;
  readonly location: Device["location"];
}

function createPositionFields(
  mapping: NetboxMapping,
  row: NetboxRow,
  { type, kind, rackCode, location }: DevicePlacement,
): Partial<DeviceBody> {
  const height = readNumberCell(type, "u_height") ?? 1;
  const position = readNumberCell(row, "position");
  const depth = readFlagCell(type, "is_full_depth") === false ? "HALF" : "FULL";
  if (rackCode === undefined) {
    if (position !== undefined) mapping.noteOmission("A position without a rack", "device", row, String(position));
    return { location, uHeight: height } as Partial<DeviceBody>;
  }
  const face =
    readTextCell(row, "face") === "rear"
      ? "REAR"
      : readTextCell(row, "face") === "front" || position !== undefined
        ? "FRONT"
        : undefined;
  if (position === undefined || height === 0) {
    if (position !== undefined)
      mapping.noteOmission("A position of a device without height", "device", row, String(position));
    // A PDU without a position is a vertical strip. NetBox does not record its side, so left is assumed.
    return {
      rackCode,
      uHeight: height,
      face,
      ...(kind === "RACK_PDU" && { mount: "ZERO_U_LEFT" }),
    } as Partial<DeviceBody>;
  }
  return { rackCode, positionU: position, uHeight: height, face, depth } as Partial<DeviceBody>;
}

function createBayFields(mapping: NetboxMapping, { chassis, name }: InstalledBay): Partial<DeviceBody> {
  return { parentDeviceCode: mapping.devices.get(`device/${chassis}`) ?? "", bay: name, mount: "BAY" };
}

function findDeviceKind(
  mapping: NetboxMapping,
  row: NetboxRow,
  type: NetboxRow | undefined,
  ports: readonly Port[],
  bays: boolean,
): DeviceKind {
  const role = mapping.data.findReferencedRow("devicerole", row, "role");
  const slug = readTextCell(role, "slug");
  const given = Object.hasOwn(mapping.options.roles, slug) ? mapping.options.roles[slug] : undefined;
  return (
    given ??
    inferDeviceKind({
      // A phrase does not reach from the name into the slug.
      role: `${readTextCell(role, "name")} / ${slug.replaceAll("-", " ")}`,
      model: readTextCell(type, "model"),
      subdevice: readTextCell(type, "subdevice_role"),
      bays,
      ports,
    })
  );
}

/** Returns the bay of each installed device. Omits a device that would be inside itself. */
function findInstalledBays(mapping: NetboxMapping): ReadonlyMap<string, InstalledBay> {
  const { data } = mapping;
  const bays = new Map<string, InstalledBay>();
  for (const bay of data.all("devicebay")) {
    const inner = data.findReferencedRow("device", bay, "installed");
    const chassis = data.findReferencedRow("device", bay, "device");
    if (inner === undefined || chassis === undefined) continue;
    if (isInsideDevice(chassis.id, inner.id, bays))
      mapping.noteOmission("A device would be inside itself", "devicebay", bay);
    else if (bays.has(inner.id)) mapping.noteOmission("A device is in another bay already", "devicebay", bay);
    else bays.set(inner.id, { chassis: chassis.id, name: getDisplayName(bay).slice(0, 64) });
  }
  return bays;
}

function isInsideDevice(device: string, of: string, bays: ReadonlyMap<string, InstalledBay>): boolean {
  for (let one: string | undefined = device; one !== undefined; one = bays.get(one)?.chassis)
    if (one === of) return true;
  return false;
}

/** Converts modules, inventory items, platforms and virtual chassis to remarks, for lack of fields in the inventory. */
class DeviceRemarks {
  readonly #mapping: NetboxMapping;
  readonly #modules: ReadonlyMap<string, readonly NetboxRow[]>;
  readonly #inventory: ReadonlyMap<string, readonly NetboxRow[]>;

  constructor(mapping: NetboxMapping) {
    this.#mapping = mapping;
    this.#modules = mapping.data.groupRowsByField("module", "device");
    this.#inventory = mapping.data.groupRowsByField("inventoryitem", "device");
  }

  createRemarks(row: NetboxRow) {
    const { data } = this.#mapping;
    const chassis = data.findReferencedRow("virtualchassis", row, "virtual_chassis");
    const member = readNumberCell(row, "vc_position");
    const lines = [
      ...(this.#modules.get(row.id) ?? []).map((one) => this.#formatModule(one)),
      ...(this.#inventory.get(row.id) ?? []).map((one) => this.#formatInventoryItem(one)),
    ];
    return this.#mapping.createRemarks(
      "device",
      row,
      [
        ["platform", readTextCell(data.findReferencedRow("platform", row, "platform"), "name")],
        ["virtual_chassis", readTextCell(chassis, "name")],
        ["virtual_chassis_position", chassis === undefined || member === undefined ? "" : String(member)],
      ],
      [lines.join("\n")],
    );
  }

  #formatModule(row: NetboxRow): string {
    const { data } = this.#mapping;
    const type = data.findReferencedRow("moduletype", row, "type");
    const maker = readTextCell(data.findReferencedRow("manufacturer", type, "manufacturer"), "name");
    const bay = readTextCell(data.findReferencedRow("modulebay", row, "bay"), "name");
    return `Module ${bay}: ${joinWords([maker, readTextCell(type, "model"), formatSerial(row)])}`;
  }

  #formatInventoryItem(row: NetboxRow): string {
    const maker = readTextCell(this.#mapping.data.findReferencedRow("manufacturer", row, "manufacturer"), "name");
    return `Part ${readTextCell(row, "name")}: ${joinWords([maker, readTextCell(row, "part"), formatSerial(row)])}`;
  }
}

function formatSerial(row: NetboxRow): string {
  const number = readTextCell(row, "serial");
  return number === "" ? "" : `serial ${number}`;
}

function joinWords(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}
