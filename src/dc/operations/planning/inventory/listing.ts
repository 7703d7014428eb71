import { isDrawUnknown } from "#dc/model/draw.ts";
import { roundFigure } from "#dc/model/figure.ts";
import type { Location } from "#dc/model/resources.ts";

/** A value of a column; undefined is unknown, which is neither empty nor 0. */
export type Cell = string | number | undefined;

/** Resources of one kind as rows. Columns are computed only for the rows and columns of a query. */
export interface Listing<Item> {
  readonly ref: (item: Item) => string;
  readonly name: (item: Item) => string;
  /** In the order in which a person reads them. A name ends in the unit of its figures. */
  readonly columns: Readonly<Record<string, (item: Item) => Cell>>;
  /** All things in the order of names, in batches. */
  readonly batches: () => AsyncIterable<readonly Item[]>;
  /** How many there are, where that is known without walking through them. */
  readonly total?: number;
  /** Conditions without a column, by name, such as the sources of a device. Each is prepared once for its values. */
  readonly relations?: Readonly<Record<string, Relation<Item>>>;
  /** Loads texts for the rows of one page only. Conditions and orders cannot use them. */
  readonly lookUp?: (items: readonly Item[]) => Promise<(item: Item) => Readonly<Record<string, string>>>;
}

/** Prepares a condition. @throws Refusal for values that it cannot read, naming the field */
export type Relation<Item> = (values: readonly string[], field: string) => Promise<(item: Item) => boolean>;

const BATCH = 1000;

export async function* inBatches<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
}

/** A text for a cell: empty and absent ones are unknown. */
export function textCell(text: string | undefined): Cell {
  return text === "" ? undefined : text;
}

/** Draw of a number of devices, in watts; empty if none of them has a recorded draw. */
export function drawCell(devices: number, sumW: number): Cell {
  return isDrawUnknown(devices, sumW) ? undefined : roundedCell(sumW);
}

/** A figure for a cell, rounded as in every reply. */
export function roundedCell(figure: number | undefined): Cell {
  return figure === undefined ? undefined : roundFigure(figure);
}

interface Placed {
  readonly location?: Location;
}

/** Where something is located, from the site down to the row. */
export const PLACE_COLUMNS = {
  site: ({ location }: Placed): Cell => location?.siteId,
  floor: ({ location }: Placed): Cell => (location === undefined ? undefined : String(location.floorNumber)),
  room: ({ location }: Placed): Cell => textCell(location?.room),
  row: ({ location }: Placed): Cell => textCell(location?.row),
};
