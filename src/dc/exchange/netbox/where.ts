import type { DeviceKind } from "#dc/model/enum_values.ts";
import type { Location } from "#dc/model/resources.ts";
import { convertToCode } from "../codes.ts";
import { removeEmptyFields } from "../item.ts";
import { type NetboxDataset, readTextCell } from "./dataset.ts";
import type { NetboxRow } from "./read_row.ts";

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
export class LocationFinder {
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
export function parseFloorNumber(name: string): number | undefined {
  const counted = FLOOR_NUMBER_AFTER_WORD.exec(name)?.[1] ?? FLOOR_NUMBER_BEFORE_WORD.exec(name)?.[1];
  if (counted !== undefined) return Number(counted);
  if (GROUND_FLOOR_PATTERN.test(name)) return 0;
  const below = BASEMENT_PATTERN.exec(name);
  return below === null ? undefined : -Number(below[1] ?? 1);
}
