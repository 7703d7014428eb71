import { AIRFLOWS, COOLING_METHODS, type DeviceKind } from "#dc/model/enum_values.ts";
import type { Device, DeviceBody, Port } from "#dc/model/resources.ts";
import { assignCodes, slugFrom } from "../codes.ts";
import { compact } from "../item.ts";
import { oneOf } from "../values.ts";
import { number, readFlag, text } from "./dataset.ts";
import { deviceKind } from "./kinds.ts";
import { deviceStatus, kilograms, type Mapping, nameOf } from "./mapping.ts";
import { Components } from "./ports.ts";
import type { Row } from "./read_row.ts";

/** Gives devices their codes. A device without a name is called by its type and id. */
export function nameDevices(
  mapping: Mapping,
  others: readonly { readonly id: string; readonly name: string; readonly within: readonly string[] }[],
): void {
  const { data, options } = mapping;
  const named = data.all("device").map((device) => ({
    id: `device/${device.id}`,
    name:
      text(device, "name") ||
      `${text(data.named("devicetype", device, "device_type"), "slug") || "device"}-${device.id}`,
    within: [mapping.where.site(data.named("site", device, "site")), mapping.racks.get(text(device, "rack")) ?? ""],
  }));
  const codes = assignCodes([...named, ...others], options.known, options.foreign.device, "device");
  mapping.devices = codes;
}

interface Bay {
  readonly chassis: string;
  readonly name: string;
}

/** Maps every device with its ports, chassis and remarks. */
export function mapDevices(mapping: Mapping): void {
  const { data } = mapping;
  const components = new Components(mapping);
  const bays = installedBays(mapping);
  const withBays = new Set(data.all("devicebay").map((bay) => text(bay, "device")));
  const remarks = new DeviceRemarks(mapping);
  for (const row of data.all("device")) {
    const code = mapping.devices.get(`device/${row.id}`);
    const location = mapping.where.of(row);
    const rackCode = mapping.racks.get(text(row, "rack"));
    const bay = bays.get(row.id);
    if (code === undefined || (location === undefined && rackCode === undefined && bay === undefined)) {
      mapping.omit("A device names no site, rack or bay that exists", "device", row);
      continue;
    }
    const ports = components.of(row, code);
    const type = data.named("devicetype", row, "device_type");
    const kind = kindOf(mapping, row, type, ports, withBays.has(row.id));
    const resource = compact<Device>({
      code,
      kind,
      ...identity(mapping, row, type),
      ...(bay === undefined ? place(mapping, row, { type, kind, rackCode, location }) : inBay(mapping, bay)),
      airflow: mapping.word(AIRFLOWS, "device", row, "airflow", text(row, "airflow") || text(type, "airflow")),
      coolingMethod: oneOf(COOLING_METHODS, text(row, "cooling_method") || text(type, "cooling_method")),
      weightKg: kilograms(number(type, "weight"), text(type, "weight_unit")),
      ports,
      ...remarks.of(row),
    });
    mapping.items.push({ kind: "device", id: `device/${row.id}`, resource });
  }
}

function identity(mapping: Mapping, row: Row, type: Row | undefined): Partial<DeviceBody> {
  const status = text(row, "status");
  const known = deviceStatus(status);
  if (known === undefined && status !== "")
    mapping.omit("A status without an equivalent: ACTIVE is used", "device", row, status);
  const role = mapping.data.named("devicerole", row, "role");
  return {
    name: mapping.short("device", row, "name"),
    role: slugFrom(text(role, "slug") || text(role, "name")),
    status: known,
    manufacturer: mapping.shortened(
      text(mapping.data.named("manufacturer", type, "manufacturer"), "name"),
      "device",
      row,
      "manufacturer",
    ),
    model: mapping.shortened(text(type, "model"), "device", row, "model"),
    partNumber: mapping.shortened(text(type, "part_number"), "device", row, "part_number"),
    serial: mapping.short("device", row, "serial"),
    assetTag: mapping.short("device", row, "asset_tag"),
    tenant: mapping.tenant("device", row),
  } as Partial<DeviceBody>;
}

interface Housing {
  readonly type: Row | undefined;
  readonly kind: DeviceKind;
  readonly rackCode: string | undefined;
  readonly location: Device["location"];
}

function place(mapping: Mapping, row: Row, { type, kind, rackCode, location }: Housing): Partial<DeviceBody> {
  const height = number(type, "u_height") ?? 1;
  const position = number(row, "position");
  const depth = readFlag(type, "is_full_depth") === false ? "HALF" : "FULL";
  if (rackCode === undefined) {
    if (position !== undefined) mapping.omit("A position without a rack", "device", row, String(position));
    return { location, uHeight: height } as Partial<DeviceBody>;
  }
  const face =
    text(row, "face") === "rear"
      ? "REAR"
      : text(row, "face") === "front" || position !== undefined
        ? "FRONT"
        : undefined;
  if (position === undefined || height === 0) {
    if (position !== undefined) mapping.omit("A position of a device without height", "device", row, String(position));
    // A strip beside the rails; which side NetBox does not say.
    return {
      rackCode,
      uHeight: height,
      face,
      ...(kind === "RACK_PDU" && { mount: "ZERO_U_LEFT" }),
    } as Partial<DeviceBody>;
  }
  return { rackCode, positionU: position, uHeight: height, face, depth } as Partial<DeviceBody>;
}

function inBay(mapping: Mapping, { chassis, name }: Bay): Partial<DeviceBody> {
  return { parentDeviceCode: mapping.devices.get(`device/${chassis}`) ?? "", bay: name, mount: "BAY" };
}

function kindOf(mapping: Mapping, row: Row, type: Row | undefined, ports: readonly Port[], bays: boolean): DeviceKind {
  const role = mapping.data.named("devicerole", row, "role");
  const slug = text(role, "slug");
  const given = Object.hasOwn(mapping.options.roles, slug) ? mapping.options.roles[slug] : undefined;
  return (
    given ??
    deviceKind({
      role: `${text(role, "name")} ${slug.replaceAll("-", " ")}`,
      model: text(type, "model"),
      subdevice: text(type, "subdevice_role"),
      bays,
      ports,
    })
  );
}

/** Which device is in which bay. One that would be inside itself is in none. */
function installedBays(mapping: Mapping): ReadonlyMap<string, Bay> {
  const { data } = mapping;
  const bays = new Map<string, Bay>();
  for (const bay of data.all("devicebay")) {
    const inner = data.named("device", bay, "installed");
    const chassis = data.named("device", bay, "device");
    if (inner === undefined || chassis === undefined) continue;
    if (isInside(chassis.id, inner.id, bays)) mapping.omit("A device would be inside itself", "devicebay", bay);
    else if (bays.has(inner.id)) mapping.omit("A device is in another bay already", "devicebay", bay);
    else bays.set(inner.id, { chassis: chassis.id, name: nameOf(bay).slice(0, 64) });
  }
  return bays;
}

function isInside(device: string, of: string, bays: ReadonlyMap<string, Bay>): boolean {
  for (let one: string | undefined = device; one !== undefined; one = bays.get(one)?.chassis)
    if (one === of) return true;
  return false;
}

/** Modules, inventory items, platforms and virtual chassis, which have no fields here. */
class DeviceRemarks {
  readonly #mapping: Mapping;
  readonly #modules: ReadonlyMap<string, readonly Row[]>;
  readonly #inventory: ReadonlyMap<string, readonly Row[]>;

  constructor(mapping: Mapping) {
    this.#mapping = mapping;
    this.#modules = mapping.data.grouped("module", "device");
    this.#inventory = mapping.data.grouped("inventoryitem", "device");
  }

  of(row: Row) {
    const { data } = this.#mapping;
    const chassis = data.named("virtualchassis", row, "virtual_chassis");
    const member = number(row, "vc_position");
    const lines = [
      ...(this.#modules.get(row.id) ?? []).map((one) => this.#module(one)),
      ...(this.#inventory.get(row.id) ?? []).map((one) => this.#item(one)),
    ];
    return this.#mapping.remarks(
      "device",
      row,
      [
        ["platform", text(data.named("platform", row, "platform"), "name")],
        ["virtual_chassis", text(chassis, "name")],
        ["virtual_chassis_position", chassis === undefined || member === undefined ? "" : String(member)],
      ],
      [lines.join("\n")],
    );
  }

  #module(row: Row): string {
    const { data } = this.#mapping;
    const type = data.named("moduletype", row, "type");
    const maker = text(data.named("manufacturer", type, "manufacturer"), "name");
    const bay = text(data.named("modulebay", row, "bay"), "name");
    return `Module ${bay}: ${words([maker, text(type, "model"), serial(row)])}`;
  }

  #item(row: Row): string {
    const maker = text(this.#mapping.data.named("manufacturer", row, "manufacturer"), "name");
    return `Part ${text(row, "name")}: ${words([maker, text(row, "part"), serial(row)])}`;
  }
}

function serial(row: Row): string {
  const number = text(row, "serial");
  return number === "" ? "" : `serial ${number}`;
}

function words(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}
