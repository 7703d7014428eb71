import type { Location } from "#dc/model/resources.ts";
import { codeFrom } from "../codes.ts";
import { compact } from "../item.ts";
import { type Dataset, text } from "./dataset.ts";
import type { NetboxOptions } from "./mapping_options.ts";
import type { Row } from "./read_row.ts";

const FLOOR_WORDS = "(?:floor|level|storey|etage|stock|ebene|og)";
const NUMBER_AFTER = new RegExp(`^${FLOOR_WORDS}[\\s._-]*(-?\\d{1,3})$`, "i");
const NUMBER_BEFORE = new RegExp(`^(-?\\d{1,3})(?:st|nd|rd|th|\\.)?[\\s._-]*${FLOOR_WORDS}$`, "i");
const GROUND = /^(?:ground[\s._-]*(?:floor|level)|erdgeschoss|lobby level)$/i;
const BASEMENT = /^(?:basement|cellar|keller)(?:[\s._-]*(\d))?$/i;
const ROW = /^(?:row|aisle|reihe|rang[ée]e)\b/i;

/** Locations of sites and of the places in them. */
export class Whereabouts {
  readonly #data: Dataset;
  readonly #options: NetboxOptions;
  readonly #sites = new Map<string, string>();
  readonly #known = new Map<string, Location>();

  constructor(data: Dataset, options: NetboxOptions) {
    this.#data = data;
    this.#options = options;
  }

  /** The site's code: its slug, brought into the grammar of codes. */
  site(site: Row | undefined): string {
    const id = site?.id ?? "";
    const code =
      this.#sites.get(id) ??
      (codeFrom(text(site, "slug")) || codeFrom(text(site, "name")) || `site-${codeFrom(id) || "unknown"}`);
    this.#sites.set(id, code);
    return code;
  }

  /** Where something is that names a site and perhaps a location, or a group of racks. */
  of(row: Row): Location | undefined {
    const location = this.#data.named("location", row, "location");
    const site = this.#data.named("site", row, "site") ?? this.#data.named("site", location, "site");
    if (site === undefined) return undefined;
    const at = this.#at(site, location);
    const group = this.#data.named("rackgroup", row, "group");
    if (group === undefined) return at;
    const lane = codeFrom(text(group, "slug")) || codeFrom(text(group, "name"));
    return lane === "" ? at : { ...at, row: lane };
  }

  #at(site: Row, location: Row | undefined): Location {
    const key = `${site.id}/${location?.id ?? ""}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const at = this.#resolve(site, location);
    this.#known.set(key, at);
    return at;
  }

  #resolve(site: Row, location: Row | undefined): Location {
    let floor = 0;
    let row = "";
    const rooms: string[] = [];
    for (const one of this.#chain(location)) {
      const given = this.#options.locations[`${text(site, "slug")}/${text(one, "slug")}`];
      const name = text(one, "name").trim();
      const number = given?.floor ?? floorOf(name);
      const code = codeFrom(text(one, "slug")) || codeFrom(name);
      if (number !== undefined) floor = number;
      if (given !== undefined) {
        if (given.room !== undefined) rooms.splice(0, rooms.length, given.room);
        row = given.row ?? row;
      } else if (number === undefined && ROW.test(name)) row = code;
      else if (number === undefined && code !== "") rooms.push(code);
    }
    return compact<Location>({ siteId: this.site(site), floorNumber: floor, room: joined(rooms), row });
  }

  /** A location and those around it, widest first. A circle ends where it closes. */
  #chain(location: Row | undefined): readonly Row[] {
    const chain: Row[] = [];
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

function joined(rooms: readonly string[]): string {
  const all = rooms.join("-");
  return all.length <= 64 ? all : codeFrom(all.slice(all.length - 64));
}

/** The floor that a location's name means, or undefined when it is no floor. */
export function floorOf(name: string): number | undefined {
  const counted = NUMBER_AFTER.exec(name)?.[1] ?? NUMBER_BEFORE.exec(name)?.[1];
  if (counted !== undefined) return Number(counted);
  if (GROUND.test(name)) return 0;
  const below = BASEMENT.exec(name);
  return below === null ? undefined : -Number(below[1] ?? 1);
}
