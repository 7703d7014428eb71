import { AIRFLOWS, COOLING_METHODS, type DeviceKind } from "../../model/enum_values.ts";
import type { Device, DeviceBody, Port, PowerOut } from "../../model/resources.ts";
import { assignCodes, convertToCode, convertToSlug, takeUnusedName, UniquePortNames } from "../codes.ts";
import { removeEmptyFields } from "../items.ts";
import { readFlagCell, readNumberCell, readTextCell } from "./dataset.ts";
import { PortMapper } from "./ports.ts";
import type { NetboxRow } from "./read_row.ts";
import {
  convertToDeviceStatus,
  convertToKilograms,
  getDisplayName,
  inferDeviceKind,
  type NetboxMapping,
} from "./where.ts";

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
      coolingMethod: mapping.readEnumValue(
        COOLING_METHODS,
        "device",
        row,
        "cooling_method",
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
    return `Module ${bay}: ${joinWords([maker, readTextCell(type, "model"), ...listMarks(row)])}`;
  }

  #formatInventoryItem(row: NetboxRow): string {
    const maker = readTextCell(this.#mapping.data.findReferencedRow("manufacturer", row, "manufacturer"), "name");
    return `Part ${readTextCell(row, "name")}: ${joinWords([maker, readTextCell(row, "part"), ...listMarks(row)])}`;
  }
}

function listMarks(row: NetboxRow): readonly string[] {
  const marks = { serial: readTextCell(row, "serial"), "asset tag": readTextCell(row, "asset_tag") };
  return Object.entries(marks).map(([name, mark]) => (mark === "" ? "" : `${name} ${mark}`));
}

function joinWords(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}

/** Returns names of the power panels, which become devices and need codes. */
export function listPanelNames(mapping: NetboxMapping) {
  const { data, where } = mapping;
  return data.all("powerpanel").map((panel) => ({
    id: `powerpanel/${panel.id}`,
    name: readTextCell(panel, "name"),
    within: [
      where.getSiteCode(data.findReferencedRow("site", panel, "site")),
      readTextCell(data.findReferencedRow("location", panel, "location"), "slug"),
    ],
  }));
}

/** Maps every power panel as a device of kind RPP with a breaker for each of its feeds. */
export function mapPowerPanels(mapping: NetboxMapping): void {
  const feeds = mapping.data.groupRowsByField("powerfeed", "panel");
  const feedIds = new UniqueFeedIds(mapping);
  const sides = findPanelSides(mapping);
  for (const row of mapping.data.all("powerpanel")) {
    const code = mapping.devices.get(`powerpanel/${row.id}`);
    const location = mapping.where.findLocation(row);
    if (code === undefined || location === undefined) {
      mapping.noteOmission("A power panel names no site that exists", "powerpanel", row);
      continue;
    }
    const names = new UniquePortNames();
    const labels: [string, string][] = [];
    const ports = (feeds.get(row.id) ?? []).map((feed) => {
      const name = names.takeName(readTextCell(feed, "name"), "feed", feed.id);
      mapping.ports.set(`powerfeed/${feed.id}`, { deviceCode: code, portName: name, kind: "POWER_OUT" });
      labels.push([`feed_type.${name}`, readTextCell(feed, "type")]);
      return createBreakerPort(mapping, feed, name, feedIds.takeId(code, name));
    });
    const name = mapping.readShortText("powerpanel", row, "name");
    const resource = removeEmptyFields<Device>({
      code,
      name,
      kind: "RPP",
      role: "power-panel",
      location,
      mount: "FLOOR",
      ports,
      ...(sides.has(row.id) && { power: { powerPath: sides.get(row.id) ?? "" } }),
      ...mapping.createRemarks("powerpanel", row, joinEqualLabels("feed_type", labels)),
    });
    mapping.items.push({ kind: "device", id: `powerpanel/${row.id}`, resource });
  }
  for (const feed of mapping.data.all("powerfeed")) {
    if (!mapping.data.rows("powerpanel").has(readTextCell(feed, "panel")))
      mapping.noteOmission("A power feed names no panel that exists", "powerfeed", feed);
  }
}

/** Returns one label if all have the same value. */
function joinEqualLabels(key: string, labels: readonly [string, string][]): readonly [string, string][] {
  const [value, ...others] = new Set(labels.map(([, one]) => one));
  return value === undefined || others.length > 0 ? labels : [[key, value]];
}

/**
 * Returns the types of feeds that tell the sides of a site's panels apart. NetBox calls a feed primary by default,
 * so the types of a site are no sides if they are all the same or equal for two panels of a rack.
 */
function findPanelSides({ data }: NetboxMapping): ReadonlyMap<string, string> {
  const feeds = data.all("powerfeed").filter((feed) => readTextCell(feed, "type") !== "");
  const byPanel = Map.groupBy(feeds, (feed) => readTextCell(feed, "panel"));
  const bySite = Map.groupBy(feeds, (feed) =>
    readTextCell(data.findReferencedRow("powerpanel", feed, "panel"), "site"),
  );
  const sides = new Map<string, string>();
  for (const ofSite of bySite.values()) {
    const racks = Map.groupBy(
      ofSite.filter((feed) => readTextCell(feed, "rack") !== ""),
      (feed) => readTextCell(feed, "rack"),
    );
    const isMixed = new Set(ofSite.map((feed) => readTextCell(feed, "type"))).size > 1;
    if (!isMixed || [...racks.values()].some(haveEqualTypes)) continue;
    for (const panel of new Set(ofSite.map((feed) => readTextCell(feed, "panel")))) {
      const [type, ...others] = new Set((byPanel.get(panel) ?? []).map((feed) => readTextCell(feed, "type")));
      if (type !== undefined && others.length === 0) sides.set(panel, type);
    }
  }
  return sides;
}

/** Whether feeds of different panels have the same type. */
function haveEqualTypes(feeds: readonly NetboxRow[]): boolean {
  const panels = new Set(feeds.map((feed) => readTextCell(feed, "panel")));
  const pairs = new Set(feeds.map((feed) => `${readTextCell(feed, "panel")}\n${readTextCell(feed, "type")}`));
  const types = new Set(feeds.map((feed) => readTextCell(feed, "type")));
  return panels.size > 1 && pairs.size > types.size;
}

function createBreakerPort(mapping: NetboxMapping, feed: NetboxRow, name: string, feedId: string): Port {
  const voltage = readNumberCell(feed, "voltage");
  const isDirectCurrent = readTextCell(feed, "supply") === "dc";
  const isVoltageValid = voltage !== undefined && voltage !== 0 && (voltage > 0 || isDirectCurrent);
  if (voltage !== undefined && !isVoltageValid)
    mapping.noteOmission("A voltage that a feed cannot have", "powerfeed", feed, String(voltage));
  const amperes = readNumberInRange(mapping, feed, "amperage", Number.POSITIVE_INFINITY);
  const most = readNumberInRange(mapping, feed, "max_utilization", 100);
  const rack = mapping.racks.get(readTextCell(feed, "rack"));
  return removeEmptyFields<Port>({
    name,
    kind: "POWER_OUT",
    label: mapping.shortenText(
      [rack === undefined ? "" : `rack ${rack}`, readTextCell(feed, "description")]
        .filter((one) => one !== "")
        .join(", "),
      "powerfeed",
      feed,
      "description",
    ),
    markConnected: readFlagCell(feed, "marked"),
    powerOut: removeEmptyFields<PowerOut>({
      feedId,
      supply: isDirectCurrent ? "DC" : "AC",
      phase: readTextCell(feed, "phase") === "three-phase" ? "THREE" : "SINGLE",
      voltageV: isVoltageValid ? voltage : undefined,
      amperageA: amperes,
      maxUtilizationPct: most === undefined ? undefined : Math.round(most),
      state: findFeedState(mapping, feed),
    }),
  });
}

/** Reads a number of a feed from 1 to `most`; notes a number out of range. */
function readNumberInRange(mapping: NetboxMapping, feed: NetboxRow, field: string, most: number): number | undefined {
  const given = readNumberCell(feed, field);
  if (given === undefined || (given >= 1 && given <= most)) return given;
  mapping.noteOmission(`A feed's ${field} is out of range`, "powerfeed", feed, String(given));
  return undefined;
}

/** Returns the state of a feed. A planned or offline feed supplies nothing. */
function findFeedState(mapping: NetboxMapping, feed: NetboxRow): PowerOut["state"] | undefined {
  const status = readTextCell(feed, "status");
  if (!["", "active", "failed", "planned", "offline"].includes(status))
    mapping.noteOmission("A status is none of ours: the feed supplies nothing", "powerfeed", feed, status);
  if (status === "failed") return "FAULTY";
  return status === "" || status === "active" ? undefined : "DISABLED";
}

/** Assigns unique identifiers to feeds, from the panel's code and the feed's name. */
class UniqueFeedIds {
  readonly #usedIds: Set<string>;

  constructor({ options }: NetboxMapping) {
    this.#usedIds = new Set(options.foreign.feed);
  }

  takeId(panel: string, feed: string): string {
    const base = convertToCode(`${panel}.${convertToCode(feed) || "feed"}`).slice(0, 60);
    return takeUnusedName([base], (number) => `${base}-${number}`, this.#usedIds);
  }
}
