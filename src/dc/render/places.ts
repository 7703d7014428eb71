import type { Location, Rack } from "#dc/model/resources.ts";

/** Kinds of areas into which elements are collapsed, from the smallest to the largest; each is a kind of reference. */
export const AREA_KINDS = ["rack", "row", "room", "floor", "site"] as const;
export type AreaKind = (typeof AREA_KINDS)[number];

/** References of the smallest known areas that contain an element and are at least as large as each kind. */
export type ElementAreas = Readonly<Record<AreaKind, string>>;

/** Area of elements without a recorded location. */
const UNKNOWN_AREA = "no place recorded";
export const UNKNOWN_AREAS: ElementAreas = {
  rack: UNKNOWN_AREA,
  row: UNKNOWN_AREA,
  room: UNKNOWN_AREA,
  floor: UNKNOWN_AREA,
  site: UNKNOWN_AREA,
};

/** Formats a reference for the middle of a title: "row A, floor 1 of AMS1", "device UPS-A2". */
export function formatRefInTitle(ref: string): string {
  const words = formatArea(ref);
  return words.toLowerCase() === ref.toLowerCase()
    ? ref.replace(":", " ")
    : words.charAt(0).toLowerCase() + words.slice(1);
}

/** Formats an area: "Row A, floor 1 of AMS1". */
export function formatArea(id: string): string {
  const [, before = "", kind = "", place = ""] = /^(.* of |)([a-z]+):(.*)$/.exec(id) ?? [];
  const [first = "", floor = "", name = ""] = place.split("/");
  const words: Readonly<Record<string, string>> = {
    rack: `rack ${place}`,
    row: `row ${name}, floor ${floor} of ${first}`,
    room: `room ${name}, floor ${floor} of ${first}`,
    floor: `floor ${floor} of ${first}`,
    site: `site ${place}`,
  };
  const text = `${before}${Object.hasOwn(words, kind) ? words[kind] : id}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Finds the areas of equipment. Equipment of one rack shares one object, so that grouping much of it is cheap. */
export class AreaFinder {
  readonly #findRack: (code: string) => Rack | undefined;
  readonly #areasByRack = new Map<string, ElementAreas>();
  readonly #areasByLocation = new Map<string, ElementAreas>();

  constructor(rack: (code: string) => Rack | undefined) {
    this.#findRack = rack;
  }

  findAreas({ rackCode, location }: { readonly rackCode?: string; readonly location?: Location }): ElementAreas {
    if (rackCode === undefined) return this.#findLocationAreas(location);
    return this.#areasByRack.getOrInsertComputed(rackCode, () => {
      const rack = this.#findRack(rackCode);
      return { ...this.#findLocationAreas(rack?.location ?? location), rack: `rack:${rack?.code ?? rackCode}` };
    });
  }

  #findLocationAreas(location: Location | undefined): ElementAreas {
    if (location === undefined) return UNKNOWN_AREAS;
    const { siteId, floorNumber, room, row } = location;
    return this.#areasByLocation.getOrInsertComputed(`${siteId}/${floorNumber}/${room ?? ""}/${row ?? ""}`, () => {
      const floor = `floor:${siteId}/${floorNumber}`;
      const roomRef = room === undefined ? floor : `room:${siteId}/${floorNumber}/${room}`;
      const rowRef = row === undefined ? roomRef : `row:${siteId}/${floorNumber}/${row}`;
      return { rack: rowRef, row: rowRef, room: roomRef, floor, site: `site:${siteId}` };
    });
  }
}
