import { TEXT_LENGTHS } from "#gen/datacenter/v1/bounds.ts";
import type { DeviceKind, DeviceStatus } from "../../model/enum_values.ts";
import type { Location, Port } from "../../model/resources.ts";
import {
  convertToCode,
  convertToEnumValue,
  type DescribedResource,
  describeResource,
  limitNameLength,
} from "../codes.ts";
import { OmissionLog, removeEmptyFields, type SourceItem } from "../items.ts";
import { type NetboxDataset, readRecordCell, readTextCell, readTextListCell } from "./dataset.ts";
import type { NetboxRow } from "./read_row.ts";
import type { TableName } from "./tables.ts";

/** Options for mapping a NetBox. */
export interface NetboxOptions {
  /** Name of the source, the first part of every origin: `netbox`, or another name if there are several sources. */
  readonly origin: string;
  /** Kinds of devices by the slug of their role. */
  readonly roles: Readonly<Record<string, DeviceKind>>;
  /** Floor, room and row by `<site slug>/<location slug>`. */
  readonly locations: Readonly<
    Record<string, { readonly floor?: number; readonly room?: string; readonly row?: string }>
  >;
  /** Codes of objects that were imported before, by id such as `device/12`. */
  readonly known: ReadonlyMap<string, string>;
  /** Keys of codes that resources of other origins use, by kind. */
  readonly foreign: {
    readonly rack: ReadonlySet<string>;
    readonly device: ReadonlySet<string>;
    readonly crac: ReadonlySet<string>;
    readonly feed: ReadonlySet<string>;
  };
}

const FLOOR_WORDS = "(?:floor|level|storey|etage|stock|ebene|og)";
const FLOOR_NUMBER_AFTER_WORD = new RegExp(`^${FLOOR_WORDS}[\\s._-]*(-?\\d{1,3})$`, "i");
const FLOOR_NUMBER_BEFORE_WORD = new RegExp(`^(-?\\d{1,3})(?:st|nd|rd|th|\\.)?[\\s._-]*${FLOOR_WORDS}$`, "i");
const GROUND_FLOOR_PATTERN = /^(?:ground[\s._-]*(?:floor|level)|erdgeschoss|lobby level)$/i;
const BASEMENT_PATTERN = /^(?:basement|cellar|keller)(?:[\s._-]*(\d))?$/i;
const ROW_PATTERN = /^(?:row|aisle|reihe|rang[ée]e)\b/i;

/** Finds the site, floor, room and row of NetBox objects. */
class LocationFinder {
  readonly #data: NetboxDataset;
  readonly #options: NetboxOptions;
  readonly #siteCodes = new Map<string, string>();
  readonly #locationsByKey = new Map<string, Location>();

  constructor(data: NetboxDataset, options: NetboxOptions) {
    this.#data = data;
    this.#options = options;
  }

  /** Returns the site's code: its slug, converted to the grammar of codes. */
  getSiteCode(site: NetboxRow | undefined): string {
    const id = site?.id ?? "";
    const code = this.#siteCodes.get(id) ?? (convertRowToCode(site) || `site-${convertToCode(id) || "unknown"}`);
    this.#siteCodes.set(id, code);
    return code;
  }

  /** Returns the location of an object by its site, location and rack group; undefined without a site. */
  findLocation(row: NetboxRow): Location | undefined {
    const location = this.#data.findReferencedRow("location", row, "location");
    const site =
      this.#data.findReferencedRow("site", row, "site") ?? this.#data.findReferencedRow("site", location, "site");
    if (site === undefined) return undefined;
    const at = this.#getLocation(site, location);
    const group = this.#data.findReferencedRow("rackgroup", row, "group");
    if (group === undefined) return at;
    const lane = convertRowToCode(group);
    return lane === "" ? at : { ...at, row: lane };
  }

  #getLocation(site: NetboxRow, location: NetboxRow | undefined): Location {
    const key = `${site.id}/${location?.id ?? ""}`;
    return this.#locationsByKey.getOrInsertComputed(key, () => this.#resolveLocation(site, location));
  }

  #resolveLocation(site: NetboxRow, location: NetboxRow | undefined): Location {
    const found: NestedLocation = { floor: 0, row: "", rooms: [] };
    for (const one of this.#listContainingLocations(location)) {
      const key = `${readTextCell(site, "slug")}/${readTextCell(one, "slug")}`;
      addLocation(found, one, Object.hasOwn(this.#options.locations, key) ? this.#options.locations[key] : undefined);
    }
    const { floor, row, rooms } = found;
    return removeEmptyFields<Location>({
      siteId: this.getSiteCode(site),
      floorNumber: floor,
      room: joinRooms(rooms),
      row,
    });
  }

  /** Returns a location and the locations that contain it, widest first. Stops at a location that contains itself. */
  #listContainingLocations(location: NetboxRow | undefined): readonly NetboxRow[] {
    const chain: NetboxRow[] = [];
    for (
      let one = location;
      one !== undefined && !chain.includes(one);
      one = this.#data.findReferencedRow("location", one, "parent")
    ) {
      chain.unshift(one);
    }
    return chain;
  }
}

interface NestedLocation {
  floor: number;
  row: string;
  rooms: string[];
}

/** Adds the next nested location: a floor, a row or a room. A given option takes precedence over its name. */
function addLocation(
  found: NestedLocation,
  location: NetboxRow,
  given: NetboxOptions["locations"][string] | undefined,
): void {
  const name = readTextCell(location, "name").trim();
  const floor = given?.floor ?? parseFloorNumber(name);
  if (floor !== undefined) found.floor = floor;
  if (given !== undefined) {
    if (given.room !== undefined) found.rooms = [given.room];
    found.row = given.row ?? found.row;
    return;
  }
  const code = convertRowToCode(location);
  if (floor !== undefined || code === "") return;
  if (ROW_PATTERN.test(name)) found.row = code;
  else found.rooms.push(code);
}

/** Returns the code of a row: its slug, else its name; empty if neither can be spelled as a code. */
function convertRowToCode(row: NetboxRow | undefined): string {
  return convertToCode(readTextCell(row, "slug")) || convertToCode(readTextCell(row, "name"));
}

function joinRooms(rooms: readonly string[]): string {
  const all = rooms.join("-");
  return all.length <= 64 ? all : convertToCode(all.slice(all.length - 64));
}

/** Returns the floor number that a location's name means; undefined if it names no floor. */
function parseFloorNumber(name: string): number | undefined {
  const counted = FLOOR_NUMBER_AFTER_WORD.exec(name)?.[1] ?? FLOOR_NUMBER_BEFORE_WORD.exec(name)?.[1];
  if (counted !== undefined) return Number(counted);
  if (GROUND_FLOOR_PATTERN.test(name)) return 0;
  const below = BASEMENT_PATTERN.exec(name);
  return below === null ? undefined : -Number(below[1] ?? 1);
}

/** A port of the inventory to which an end of a NetBox cable refers. */
export interface PortPlace {
  readonly deviceCode: string;
  readonly portName: string;
  readonly kind: "NETWORK" | "CONSOLE" | "CONSOLE_SERVER" | "FRONT" | "REAR" | "POWER_IN" | "POWER_OUT";
}

export class NetboxMapping {
  readonly data: NetboxDataset;
  readonly options: NetboxOptions;
  readonly where: LocationFinder;
  readonly omissions = new OmissionLog();
  readonly items: SourceItem[] = [];
  /** Codes of racks and devices by the ids of their rows. */
  racks: ReadonlyMap<string, string> = new Map();
  devices: ReadonlyMap<string, string> = new Map();
  /** Ports at the ends of cables, by NetBox end such as `interface/12`. */
  readonly ports = new Map<string, PortPlace>();
  /** Keys of the channels into which a cable with several lanes divides a port, by the port's end. */
  readonly channelsByEnd = new Map<string, readonly string[]>();

  constructor(data: NetboxDataset, options: NetboxOptions) {
    this.data = data;
    this.options = options;
    this.where = new LocationFinder(data, options);
  }

  /** Returns a text field within the limit of names. Cuts and notes a longer one. */
  readShortText(table: TableName, row: NetboxRow, field: string): string | undefined {
    return this.shortenText(readTextCell(row, field), table, row, field);
  }

  /** Returns a text within the limit of names. Cuts a longer one and notes it for a field of a row. */
  shortenText(value: string, table: TableName, row: NetboxRow, field: string): string | undefined {
    return limitNameLength(value, () =>
      this.omissions.addObject(
        `The field ${field} is longer than ${TEXT_LENGTHS.Device.name} characters: its end is left out`,
        `${table}/${row.id}`,
        getDisplayName(row),
      ),
    );
  }

  tenant(table: TableName, row: NetboxRow): string | undefined {
    return this.shortenText(
      readTextCell(this.data.findReferencedRow("tenant", row, "tenant"), "name"),
      table,
      row,
      "tenant",
    );
  }

  /** Returns labels, tags and comments of an object, with its origin. */
  createRemarks(
    table: TableName,
    row: NetboxRow,
    labels: readonly (readonly [string, string])[] = [],
    comments: readonly string[] = [],
  ): DescribedResource {
    const id = `${table}/${row.id}`;
    return describeResource(
      {
        id,
        name: getDisplayName(row),
        origin: `${this.options.origin}:${id}`,
        url: row.url,
        labels: [
          ...labels,
          ...Object.entries(readRecordCell(row, "custom")).map(([key, value]) => [`cf.${key}`, value] as const),
        ],
        tags: readTextListCell(row, "tags"),
        comments: [readTextCell(row, "description"), readTextCell(row, "comments"), ...comments],
      },
      this.omissions,
    );
  }

  /** Returns an enumeration value; notes a word that the enumeration lacks. */
  readEnumValue<Word extends string>(
    words: readonly Word[],
    table: TableName,
    row: NetboxRow,
    field: string,
    given = readTextCell(row, field),
  ): Word | undefined {
    const found = convertToEnumValue(words, given);
    if (found === undefined && given !== "")
      this.noteOmission(`A word for ${field} that is none of ours is left out`, table, row, given);
    return found;
  }

  noteOmission(reason: string, table: TableName, row: NetboxRow, detail?: string): void {
    this.omissions.addObject(reason, `${table}/${row.id}`, getDisplayName(row), detail);
  }
}

/** Returns an object's name, else its label, circuit id or row id. */
export function getDisplayName(row: NetboxRow): string {
  return readTextCell(row, "name") || readTextCell(row, "label") || readTextCell(row, "cid") || row.id;
}

const STATUS_BY_NAME: Readonly<Record<string, DeviceStatus>> = {
  active: "ACTIVE",
  offline: "OFFLINE",
  planned: "PLANNED",
  staged: "STAGED",
  failed: "FAILED",
  inventory: "INVENTORY",
  decommissioning: "DECOMMISSIONING",
};

export function convertToDeviceStatus(word: string): DeviceStatus | undefined {
  return STATUS_BY_NAME[word];
}

export const KILOGRAMS_BY_UNIT: Readonly<Record<string, number>> = {
  kg: 1,
  g: 0.001,
  lb: 0.45359237,
  oz: 0.028349523125,
};
export const MILLIMETRES_BY_UNIT: Readonly<Record<string, number>> = { mm: 1, in: 25.4 };

export function convertToKilograms(weight: number | undefined, unit: string): number | undefined {
  const factor = KILOGRAMS_BY_UNIT[unit];
  if (weight === undefined || factor === undefined || weight <= 0) return undefined;
  return Math.round(weight * factor * 1000) / 1000;
}

export function convertToMillimetres(length: number | undefined, unit: string): number | undefined {
  const factor = MILLIMETRES_BY_UNIT[unit];
  return length === undefined || factor === undefined || length <= 0 ? undefined : Math.round(length * factor);
}

/**
 * Device kinds by words in role or type names; of the phrases in a name, the one with the most words decides, the first of
 * equal ones. NetBox has user-defined roles, but no kinds.
 */
const KIND_PATTERNS: readonly (readonly [RegExp, DeviceKind])[] = [
  [/blade[ -]?(?:chassis|enclosure|cent(?:er|re)|system)/i, "CHASSIS"],
  [/blade[ -]?server/i, "BLADE"],
  [/storage[ -](?:server|node|array|system|shelf)/i, "STORAGE"],
  [/(?:console|terminal)[ -]?server/i, "CONSOLE_SERVER"],
  [/kvm[ -]switch/i, "KVM"],
  [/(?:rack|(?:switched|metered|managed|basic)(?:[ -]rack)?)[ -]pdu/i, "RACK_PDU"],
  [/patch[ -]panel|patch|fib(?:er|re)[ -]?panel|odf|cassette|keystone/i, "PATCH_PANEL"],
  [/\b(?:ats|sts)\b|(?:(?:automatic|static)[ -])?transfer[ -]?switch|static[ -]switch/i, "TRANSFER_SWITCH"],
  [/\bups\b|uninterrupt/i, "UPS"],
  [/\brpp\b|remote[ -]?power[ -]?panel/i, "RPP"],
  [/floor[ -]?pdu/i, "FLOOR_PDU"],
  [/\bpdu\b|power[ -]?distribution|power[ -]?strip|steckdosenleiste/i, "RACK_PDU"],
  [/bus[ -]?way|busbar/i, "BUSWAY"],
  [/generator|genset/i, "GENERATOR"],
  [/switch[ -]?(?:gear|board)/i, "SWITCHGEAR"],
  [/console|\boob\b/i, "CONSOLE_SERVER"],
  [/\bkvm\b/i, "KVM"],
  [/sensor|environment|camera/i, "SENSOR"],
  [/load[ -]?balanc|\badc\b/i, "LOAD_BALANCER"],
  [/fire[ -]?wall/i, "FIREWALL"],
  [
    /(?:\b[a-z]+[ -])?switch(?!ed|[ -]?(?:gear|board))|\b(?:leaf|spine|super-spine|border-leaf|tor|top-of-rack)\b/i,
    "SWITCH",
  ],
  [/router|gateway|\b(?:edge|wan|core|pe|ce|bng)\b/i, "ROUTER"],
  [/storage|\b(?:nas|san)\b|disk|array/i, "STORAGE"],
  [/\bcdu\b|coolant/i, "CDU"],
  [/chassis|enclosure/i, "CHASSIS"],
  [/blade/i, "BLADE"],
  [/(?:\b[a-z]+[ -])?server|compute|hypervisor|\b(?:host|node|gpu|vm|esxi?)\b/i, "SERVER"],
];

/** Properties of a device that determine its kind. */
interface DeviceTraits {
  /** Name and slug of the device's role. */
  readonly role: string;
  /** Model of the device's type. */
  readonly model: string;
  /** Subdevice role: `parent`, `child` or empty. */
  readonly subdevice: string;
  readonly bays: boolean;
  readonly ports: readonly Port[];
}

/** Returns the kind of a device: by its bays, role, components and model. */
export function inferDeviceKind({ role, model, subdevice, bays, ports }: DeviceTraits): DeviceKind {
  if (subdevice === "parent" || bays) return "CHASSIS";
  const byRole = inferKindFromText(role);
  if (subdevice === "child" && (byRole === undefined || byRole === "SERVER")) return "BLADE";
  if (byRole !== undefined) return byRole;
  const kinds = new Set(ports.map(({ kind }) => kind));
  const active = ports.some(({ kind, mgmtOnly }) => kind === "NETWORK" && mgmtOnly !== true);
  if (kinds.has("POWER_OUT") && kinds.has("POWER_IN") && !active)
    return inferKindFromText(model) === "UPS" ? "UPS" : "RACK_PDU";
  if ((kinds.has("FRONT") || kinds.has("REAR")) && !active) return "PATCH_PANEL";
  return inferKindFromText(model) ?? "OTHER";
}

/** Returns the device kind whose words a text contains, such as the name of a role; undefined if none. */
export function inferKindFromText(words: string): DeviceKind | undefined {
  const text = words.replaceAll("_", " ");
  let found: { readonly kind: DeviceKind; readonly words: number } | undefined;
  for (const [pattern, kind] of KIND_PATTERNS) {
    const [phrase] = pattern.exec(text) ?? [];
    const count = phrase?.split(/[ -]+/).length ?? 0;
    if (count > (found?.words ?? 0)) found = { kind, words: count };
  }
  return found?.kind;
}
