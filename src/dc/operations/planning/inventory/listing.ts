import { isDrawUnknown } from "#dc/model/draw.ts";
import { roundFigure } from "#dc/model/figure.ts";
import type { Location } from "#dc/model/resources.ts";

/** A value of a column; undefined is an unknown value, as opposed to an empty text or 0. */
export type Cell = string | number | undefined;

/** Resources of one kind as rows. Columns are computed only for the rows and columns of a query. */
export interface Listing<Item> {
  readonly getRef: (item: Item) => string;
  readonly getName: (item: Item) => string;
  /** Columns by name, in display order. The name of a column of measured values ends with their unit. */
  readonly columns: Readonly<Record<string, (item: Item) => Cell>>;
  /** Yields all items in the order of names, in batches. */
  readonly readBatches: () => AsyncIterable<readonly Item[]>;
  /** Total number of items, if it is known without reading them. */
  readonly total?: number;
  /** Conditions without a column, by name, such as the sources of a device. Each is prepared once for its values. */
  readonly relations?: Readonly<Record<string, PrepareCondition<Item>>>;
  /** Loads texts for the rows of one page only. Conditions and orders cannot use them. */
  readonly loadTexts?: (items: readonly Item[]) => Promise<(item: Item) => Readonly<Record<string, string>>>;
}

/** Prepares a condition. @throws Refusal for values that it cannot read, naming the field */
export type PrepareCondition<Item> = (values: readonly string[], field: string) => Promise<(item: Item) => boolean>;

const BATCH_SIZE = 1000;

export async function* splitIntoBatches<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let start = 0; start < items.length; start += BATCH_SIZE) yield items.slice(start, start + BATCH_SIZE);
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

interface LocatedResource {
  readonly location?: Location;
}

/** Columns of a location, from the site down to the row. */
export const LOCATION_COLUMNS = {
  site: ({ location }: LocatedResource): Cell => location?.siteId,
  floor: ({ location }: LocatedResource): Cell => (location === undefined ? undefined : String(location.floorNumber)),
  room: ({ location }: LocatedResource): Cell => createTextCell(location?.room),
  row: ({ location }: LocatedResource): Cell => createTextCell(location?.row),
};
