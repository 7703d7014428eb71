import { create } from "@bufbuild/protobuf";
import { computeNextChangeMs } from "#dc/analysis/racks/rack_facts.ts";
import { MAX_FILTER_VALUES, MAX_QUERY_CHARS } from "#dc/limits.ts";
import { INVENTORY_KINDS, type InventoryKind } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import {
  type ListInventoryRequest,
  ListInventoryResponseSchema,
  PlanningService,
} from "#gen/datacenter/v1/planning_pb.ts";
import type { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import { readNetworkSwitches } from "../answers/network_tracer.ts";
import { createMissingFieldRefusal, readEnumValue, readPageSize, requireMaxCount } from "../answers/parameters.ts";
import { defineRead, type ReadSession } from "../rpc.ts";
import {
  computeLinkViews,
  createCablesListing,
  createCoolingListing,
  createDevicesListing,
  createFabricsListing,
  createLinksListing,
  createPortsListing,
  createPowerListing,
  createTypesListing,
} from "./inventory/element_listings.ts";
import {
  type Cell,
  createPlacesListing,
  createRacksListing,
  type Listing,
  listPlaceRows,
  type PlaceKind,
} from "./inventory/places_listing.ts";
import { splitQuery } from "./search_inventory.ts";

export const listInventory = defineRead({
  method: PlanningService.method.listInventory,
  effect: "read",
  async run(session, request) {
    const kind = readEnumValue("kind", request.kind, INVENTORY_KINDS);
    if (kind === undefined) throw createMissingFieldRefusal("kind", INVENTORY_KINDS.join(", "));
    const limit = readPageSize(request.pageSize);
    const listing = await LISTING_FACTORIES[kind](session);
    const { items, total, facets, sums } = await selectRows(listing, request, { limit, scheduler: session.scheduler });
    const loaded = await listing.loadTexts?.(items);
    return create(ListInventoryResponseSchema, {
      rows: items.map((item) => ({
        ref: listing.getRef(item),
        name: listing.getName(item),
        ...groupCellsByType(listing, item, loaded),
      })),
      totalCount: total,
      columns: Object.keys(listing.columns),
      sums: { ...sums },
      facets: facets.map(({ column, counts }) => ({ column, counts: { ...counts } })),
    });
  },
});

type CreateListing = (session: ReadSession) => Promise<Listing<unknown>>;

/**
 * Removes the item type of a listing, so that one table can contain all listings. A listing still receives only its own
 * items.
 */
function eraseItemType<Item>(make: (session: ReadSession) => Promise<Listing<Item>>): CreateListing {
  return make as CreateListing;
}

const LISTING_FACTORIES: Readonly<Record<InventoryKind, CreateListing>> = {
  SITE: createPlaceListingFactory("site"),
  FLOOR: createPlaceListingFactory("floor"),
  ROOM: createPlaceListingFactory("room"),
  ROW: createPlaceListingFactory("row"),
  RACK: eraseItemType(async ({ topology: find, now, lapsesAt }) => {
    const topology = await find("judged");
    lapsesAt(computeNextChangeMs(topology.inventory.racks, now));
    return createRacksListing(topology, now);
  }),
  DEVICE: eraseItemType(async ({ topology, reader }) => createDevicesListing(await topology(), reader)),
  PORT: eraseItemType(async ({ reader }) => createPortsListing(reader, (await reader.inventoryCounts()).ports)),
  CABLE: eraseItemType(async ({ reader }) => createCablesListing(reader, (await reader.inventoryCounts()).cables)),
  CRAC: eraseItemType(async ({ topology }) => createCoolingListing(await topology())),
  SUPPLY: eraseItemType(async ({ topology }) => createPowerListing(await topology("judged"))),
  FABRIC: eraseItemType(async (session) => createFabricsListing(await readLinkViews(session))),
  FABRIC_LINK: eraseItemType(async (session) => createLinksListing(await readLinkViews(session))),
  DEVICE_TYPE: eraseItemType(async ({ topology, reader }) =>
    createTypesListing(reader, (await topology()).inventory.devices),
  ),
};

function createPlaceListingFactory(kind: PlaceKind): CreateListing {
  return eraseItemType(async ({ topology }) => createPlacesListing(listPlaceRows(await topology(), kind), kind));
}

async function readLinkViews(session: ReadSession) {
  const topology = await session.topology();
  return computeLinkViews(topology.inventory.fabricLinks, await readNetworkSwitches({ ...session, topology }));
}

/** Returns the cells of a row, grouped by the type of their values. */
function groupCellsByType<Item>(
  { columns }: Listing<Item>,
  item: Item,
  loaded: ((item: Item) => Readonly<Record<string, string>>) | undefined,
) {
  const texts: Record<string, string> = { ...loaded?.(item) };
  const figures: Record<string, number> = {};
  for (const [name, column] of Object.entries(columns)) {
    const value = column(item);
    if (typeof value === "number") figures[name] = value;
    else if (value !== undefined) texts[name] = value;
  }
  return { texts, figures };
}

const MAX_CONDITIONS = 32;
const MAX_FACETS = 8;
/** Maximum number of values of one facet. Our choice: as many as a user can choose among. */
const MAX_FACET_VALUES = 100;

type RowQuery = Pick<ListInventoryRequest, "query" | "conditions" | "orderBy" | "skip" | "facets" | "sums">;

export interface SelectedRows<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly facets: readonly { readonly column: string; readonly counts: Readonly<Record<string, number>> }[];
  readonly sums: Readonly<Record<string, number>>;
}

type GetCell<Item> = (item: Item) => Cell;

/**
 * Returns the page of a list that a query selects. Cost: O(items), less for the first pages of an unordered and
 * unfiltered list.
 * @throws Refusal for a column that the list does not have, naming the field
 */
async function selectRows<Item>(
  listing: Listing<Item>,
  question: RowQuery,
  { limit, scheduler }: { readonly limit: number; readonly scheduler: CooperativeScheduler },
): Promise<SelectedRows<Item>> {
  const { skip } = question;
  requireQuerySizes(question);
  const matches = await buildMatcher(listing, question);
  const order = parseOrder(listing, question.orderBy);
  const facets = question.facets.map((column, at): Facet<Item> => {
    return { column, of: findColumn(listing, column, `facets[${at}]`), counts: new Map() };
  });
  const sums = question.sums.map((column, at): ColumnSum<Item> => {
    return { column, of: findColumn(listing, column, `sums[${at}]`), total: 0 };
  });
  const isWhole = matches === undefined && order === undefined && facets.length + sums.length === 0;
  const found: Item[] = [];
  for await (const batch of listing.readBatches()) {
    await scheduler.yieldIfDue();
    const matching = matches === undefined ? batch : batch.filter(matches);
    found.push(...matching);
    for (const facet of facets) countFacetValues(facet, matching);
    for (const sum of sums) addToSum(sum, matching);
    // Without filter and sort order, rows after the page need not be read.
    if (isWhole && listing.total !== undefined && found.length >= skip + limit) break;
  }
  if (order !== undefined) sortItems(found, order);
  await scheduler.yieldIfDue();
  return {
    items: found.slice(skip, skip + limit),
    total: isWhole ? (listing.total ?? found.length) : found.length,
    facets: facets.map(({ column, counts }) => ({ column, counts: selectMostFrequentValues(counts) })),
    sums: Object.fromEntries(sums.map(({ column, total }) => [column, total])),
  };
}

interface Facet<Item> {
  readonly column: string;
  readonly of: GetCell<Item>;
  readonly counts: Map<string, number>;
}

function countFacetValues<Item>({ of, counts }: Facet<Item>, items: readonly Item[]): void {
  for (const item of items) {
    const value = String(of(item) ?? "");
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
}

interface ColumnSum<Item> {
  readonly column: string;
  readonly of: GetCell<Item>;
  total: number;
}

function addToSum<Item>(sum: ColumnSum<Item>, items: readonly Item[]): void {
  for (const item of items) {
    const value = sum.of(item);
    if (typeof value === "number") sum.total += value;
  }
}

function requireQuerySizes({ query, conditions, skip, facets, sums }: RowQuery): void {
  requireMaxCount("query", query.length, MAX_QUERY_CHARS, "characters");
  requireMaxCount("conditions", conditions.length, MAX_CONDITIONS, "conditions");
  requireMaxCount("facets", facets.length, MAX_FACETS, "columns");
  requireMaxCount("sums", sums.length, MAX_FACETS, "columns");
  for (const [at, { values }] of conditions.entries()) {
    requireMaxCount(`conditions[${at}].values`, values.length, MAX_FILTER_VALUES, "values");
  }
  if (skip >= 0) return;
  const detail = { field: "skip", value: skip, expected: "0 or more" };
  throw refuse("FIELD_OUT_OF_RANGE", `Field "skip" is negative: ${skip}, expected 0 or more`, detail);
}

function findColumn<Item>({ columns }: Listing<Item>, name: string, field: string): GetCell<Item> {
  const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
  if (column !== undefined) return column;
  const expected = `one of ${Object.keys(columns).join(", ")}`;
  const detail = { field, value: name, expected };
  throw refuse("FIELD_OUT_OF_RANGE", `There is no column "${name}": expected ${expected}`, detail);
}

type RowTest<Item> = (item: Item) => boolean;

/** Combines all conditions of a query into one test; undefined if there are none. */
async function buildMatcher<Item>(
  listing: Listing<Item>,
  { query, conditions }: RowQuery,
): Promise<RowTest<Item> | undefined> {
  const words = splitQuery(query);
  const columns = Object.values(listing.columns);
  const joinRowText = (item: Item) =>
    `${listing.getName(item)} ${columns.map((column) => column(item) ?? "").join(" ")}`.toLowerCase();
  const tests = await Promise.all(
    conditions.map((condition, at) => buildConditionTest(listing, condition, `conditions[${at}]`)),
  );
  if (words.length > 0) {
    tests.push((item) => {
      const text = joinRowText(item);
      return words.every((word) => text.includes(word));
    });
  }
  return tests.length === 0 ? undefined : (item) => tests.every((test) => test(item));
}

async function buildConditionTest<Item>(
  listing: Listing<Item>,
  { column, values, min, max }: RowQuery["conditions"][number],
  field: string,
): Promise<RowTest<Item>> {
  const { relations = {} } = listing;
  const relation = Object.hasOwn(relations, column) ? relations[column] : undefined;
  if (relation !== undefined) return relation(values, `${field}.values`);
  const of = findColumn(listing, column, `${field}.column`);
  const wanted = new Set(values.map((value) => value.toLowerCase()));
  return (item) => {
    const cell = of(item);
    if (wanted.size > 0 && !wanted.has(String(cell ?? "").toLowerCase())) return false;
    if (min === undefined && max === undefined) return true;
    return typeof cell === "number" && cell >= (min ?? cell) && cell <= (max ?? cell);
  };
}

interface RowOrder<Item> {
  readonly of: GetCell<Item>;
  readonly sign: 1 | -1;
}

function parseOrder<Item>(listing: Listing<Item>, text: string): RowOrder<Item> | undefined {
  if (text.trim() === "") return undefined;
  const [name = "", direction = "asc", ...rest] = text.trim().split(/\s+/);
  if (rest.length > 0 || (direction !== "asc" && direction !== "desc")) {
    const expected = 'a column, and "desc" to turn the order round';
    const detail = { field: "order_by", value: text, expected };
    throw refuse("FIELD_OUT_OF_RANGE", `Cannot order by "${text}": expected ${expected}`, detail);
  }
  return { of: findColumn(listing, name, "order_by"), sign: direction === "desc" ? -1 : 1 };
}

/** Sorts in place; equal rows keep the order of names, and unknown values come last in either direction. */
function sortItems<Item>(items: Item[], { of, sign }: RowOrder<Item>): void {
  const keyed = items.map((item) => ({ item, key: createSortKey(of(item)) }));
  keyed.sort(({ key: a }, { key: b }) => {
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return sign * compareCells(a, b);
  });
  for (const [at, { item }] of keyed.entries()) items[at] = item;
}

function createSortKey(cell: Cell): Cell {
  return typeof cell === "string" ? cell.toLowerCase() : cell;
}

function compareCells(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : compareText(String(a), String(b));
}

function selectMostFrequentValues(counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  const sorted = [...counts].sort(([a, many], [b, few]) => few - many || compareText(a, b));
  return Object.fromEntries(sorted.slice(0, MAX_FACET_VALUES));
}
