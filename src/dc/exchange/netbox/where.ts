import type { DeviceKind } from "#dc/model/enum_values.ts";
import type { Location } from "#dc/model/resources.ts";
import { convertToCode } from "../codes.ts";
import { removeEmptyFields } from "../item.ts";
import { type Dataset, readTextCell } from "./dataset.ts";
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
const NUMBER_AFTER = new RegExp(`^${FLOOR_WORDS}[\\s._-]*(-?\\d{1,3})$`, "i");
const NUMBER_BEFORE = new RegExp(`^(-?\\d{1,3})(?:st|nd|rd|th|\\.)?[\\s._-]*${FLOOR_WORDS}$`, "i");
const GROUND = /^(?:ground[\s._-]*(?:floor|level)|erdgeschoss|lobby level)$/i;
const BASEMENT = /^(?:basement|cellar|keller)(?:[\s._-]*(\d))?$/i;
const ROW = /^(?:row|aisle|reihe|rang[ée]e)\b/i;

/** Finds the site, floor, room and row of NetBox objects. */
export class LocationFinder {
  readonly #data: Dataset;
  readonly #options: NetboxOptions;
  readonly #sites = new Map<string, string>();
  readonly #known = new Map<string, Location>();

  constructor(data: Dataset, options: NetboxOptions) {
    this.#data = data;
    this.#options = options;
  }

  /** Returns the site's code: its slug, converted to the grammar of codes. */
  site(site: NetboxRow | undefined): string {
    const id = site?.id ?? "";
    const code =
      this.#sites.get(id) ??
      (convertToCode(readTextCell(site, "slug")) ||
        convertToCode(readTextCell(site, "name")) ||
        `site-${convertToCode(id) || "unknown"}`);
    this.#sites.set(id, code);
    return code;
  }

  /** Returns the location of an object by its site, location and rack group; undefined without a site. */
  of(row: NetboxRow): Location | undefined {
    const location = this.#data.named("location", row, "location");
    const site = this.#data.named("site", row, "site") ?? this.#data.named("site", location, "site");
    if (site === undefined) return undefined;
    const at = this.#at(site, location);
    const group = this.#data.named("rackgroup", row, "group");
    if (group === undefined) return at;
    const lane = convertToCode(readTextCell(group, "slug")) || convertToCode(readTextCell(group, "name"));
    return lane === "" ? at : { ...at, row: lane };
  }

  #at(site: NetboxRow, location: NetboxRow | undefined): Location {
    const key = `${site.id}/${location?.id ?? ""}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const at = this.#resolve(site, location);
    this.#known.set(key, at);
    return at;
  }

  #resolve(site: NetboxRow, location: NetboxRow | undefined): Location {
    const found: Steps = { floor: 0, row: "", rooms: [] };
    for (const one of this.#chain(location)) {
      const key = `${readTextCell(site, "slug")}/${readTextCell(one, "slug")}`;
      addLocation(found, one, Object.hasOwn(this.#options.locations, key) ? this.#options.locations[key] : undefined);
    }
    const { floor, row, rooms } = found;
    return removeEmptyFields<Location>({ siteId: this.site(site), floorNumber: floor, room: joinRooms(rooms), row });
  }

  /** Returns a location and the locations that contain it, widest first. Stops at a location that contains itself. */
  #chain(location: NetboxRow | undefined): readonly NetboxRow[] {
    const chain: NetboxRow[] = [];
    for (
      let one = location;
      one !== undefined && !chain.includes(one);
      one = this.#data.named("location", one, "parent")
    ) {
      chain.unshift(one);
    }
    return chain;
  }
}

interface Steps {
  floor: number;
  row: string;
  rooms: string[];
}

/** Adds the next nested location: a floor, a row or a room. A given option takes precedence over its name. */
function addLocation(found: Steps, location: NetboxRow, given: NetboxOptions["locations"][string] | undefined): void {
  const name = readTextCell(location, "name").trim();
  const floor = given?.floor ?? parseFloor(name);
  if (floor !== undefined) found.floor = floor;
  if (given !== undefined) {
    if (given.room !== undefined) found.rooms = [given.room];
    found.row = given.row ?? found.row;
    return;
  }
  const code = convertToCode(readTextCell(location, "slug")) || convertToCode(name);
  if (floor !== undefined || code === "") return;
  if (ROW.test(name)) found.row = code;
  else found.rooms.push(code);
}

function joinRooms(rooms: readonly string[]): string {
  const all = rooms.join("-");
  return all.length <= 64 ? all : convertToCode(all.slice(all.length - 64));
}

/** Returns the floor number that a location's name means; undefined if it names no floor. */
export function parseFloor(name: string): number | undefined {
  const counted = NUMBER_AFTER.exec(name)?.[1] ?? NUMBER_BEFORE.exec(name)?.[1];
  if (counted !== undefined) return Number(counted);
  if (GROUND.test(name)) return 0;
  const below = BASEMENT.exec(name);
  return below === null ? undefined : -Number(below[1] ?? 1);
}
