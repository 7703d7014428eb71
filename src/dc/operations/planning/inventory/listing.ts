import { isDrawUnknown } from "#dc/model/draw.ts";
import { roundFigure } from "#dc/model/figure.ts";
import type { Location } from "#dc/model/resources.ts";

/** A value of a column; undefined is an unknown value, as opposed to an empty text or 0. */
export type Cell = string | number | undefined;

/** Resources of one kind as rows. Columns are computed only for the rows and columns of a query. */
export interface Listing<Item> {
  readonly ref: (item: Item) => string;
  readonly name: (item: Item) => string;
  /** Columns by name, in display order. The name of a column of measured values ends with their unit. */
  readonly columns: Readonly<Record<string, (item: Item) => Cell>>;
  /** Yields all items in the order of names, in batches. */
  readonly batches: () => AsyncIterable<readonly Item[]>;
  /** Total number of items, if it is known without reading them. */
  readonly total?: number;
  /** Conditions without a column, by name, such as the sources of a device. Each is prepared once for its values. */
  readonly relations?: Readonly<Record<string, Relation<Item>>>;
  /** Loads texts for the rows of one page only. Conditions and orders cannot use them. */
  readonly lookUp?: (items: readonly Item[]) => Promise<(item: Item) => Readonly<Record<string, string>>>;
}

/** Prepares a condition. @throws Refusal for values that it cannot read, naming the field */
export type Relation<Item> = (values: readonly string[], field: string) => Promise<(item: Item) => boolean>;

const BATCH = 1000;

export async function* splitIntoBatches<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
}

/** Converts a text to a cell: an empty or absent text is unknown. */
export function createTextCell(text: string | undefined): Cell {
  return text === "" ? undefined : text;
}

/** Returns the draw of several devices in watts; undefined if none of them has a recorded draw. */
export function createDrawCell(devices: number, sumW: number): Cell {
  return isDrawUnknown(devices, sumW) ? undefined : createRoundedCell(sumW);
}

/** Rounds a figure for a cell, as in every reply. */
export function createRoundedCell(figure: number | undefined): Cell {
  return figure === undefined ? undefined : roundFigure(figure);
}

interface Placed {
  readonly location?: Location;
}

/** Columns of a location, from the site down to the row. */
export const LOCATION_COLUMNS = {
  site: ({ location }: Placed): Cell => location?.siteId,
  floor: ({ location }: Placed): Cell => (location === undefined ? undefined : String(location.floorNumber)),
  room: ({ location }: Placed): Cell => createTextCell(location?.room),
  row: ({ location }: Placed): Cell => createTextCell(location?.row),
};
