import { create } from "@bufbuild/protobuf";
import { computeNextChangeMs } from "#dc/analysis/racks/rack_facts.ts";
import { INVENTORY_KINDS, type InventoryKind } from "#dc/model/enum_values.ts";
import { ListInventoryResponseSchema, PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { createMissingFieldRefusal, readEnumValue, readPageSize } from "../answers/parameters.ts";
import { createSwitchLookup } from "../answers/switch_devices.ts";
import { defineRead, type ReadSession } from "../rpc.ts";
import {
  computeLinkViews,
  createCablesListing,
  createCoolingListing,
  createFabricsListing,
  createLinksListing,
  createPortsListing,
  createPowerListing,
} from "./inventory/cabling_listing.ts";
import { createDevicesListing, createTypesListing } from "./inventory/devices_listing.ts";
import {
  createPlacesListing,
  createRacksListing,
  type Listing,
  listPlaceRows,
  type PlaceKind,
} from "./inventory/places_listing.ts";
import { selectRows } from "./inventory/select_rows.ts";

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

async function readLinkViews({ reader, topology }: ReadSession) {
  const known = await topology();
  return computeLinkViews(known.inventory.fabricLinks, await createSwitchLookup(reader, known));
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
