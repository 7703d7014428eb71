import { create } from "@bufbuild/protobuf";
import { findNextChange } from "#dc/analysis/racks/rack_facts.ts";
import { INVENTORY_KINDS, type InventoryKind } from "#dc/model/enum_values.ts";
import { ListInventoryResponseSchema, PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { readEnumWord, readPageSize, refuseMissingField } from "../answers/parameters.ts";
import { switchLookup } from "../answers/switch_devices.ts";
import { defineRead, type ReadSession } from "../rpc.ts";
import { cablesListing, portsListing } from "./inventory/cabling_listing.ts";
import { devicesListing, typesListing } from "./inventory/devices_listing.ts";
import { computeLinkViews, fabricsListing, linksListing } from "./inventory/fabrics_listing.ts";
import type { Listing } from "./inventory/listing.ts";
import { type PlaceKind, placeRows, placesListing, racksListing } from "./inventory/places_listing.ts";
import { coolingListing, powerListing } from "./inventory/power_listing.ts";
import { selectRows } from "./inventory/select_rows.ts";

export const listInventory = defineRead({
  method: PlanningService.method.listInventory,
  effect: "read",
  async run(session, request) {
    const kind = readEnumWord("kind", request.kind, INVENTORY_KINDS);
    if (kind === undefined) throw refuseMissingField("kind", INVENTORY_KINDS.join(", "));
    const limit = readPageSize(request.pageSize);
    const listing = await LISTINGS[kind](session);
    const { items, total, facets, sums } = await selectRows(listing, request, { limit, scheduler: session.scheduler });
    const loaded = await listing.lookUp?.(items);
    return create(ListInventoryResponseSchema, {
      rows: items.map((item) => ({
        ref: listing.ref(item),
        name: listing.name(item),
        ...cellsByType(listing, item, loaded),
      })),
      totalCount: total,
      columns: Object.keys(listing.columns),
      sums: { ...sums },
      facets: facets.map(({ column, counts }) => ({ column, counts: { ...counts } })),
    });
  },
});

type MakeListing = (session: ReadSession) => Promise<Listing<unknown>>;

/** Removes the item type of a listing, for the table of all listings: a listing receives only its own items. */
function untypedListing<Item>(make: (session: ReadSession) => Promise<Listing<Item>>): MakeListing {
  return make as MakeListing;
}

const LISTINGS: Readonly<Record<InventoryKind, MakeListing>> = {
  SITE: placeListing("site"),
  FLOOR: placeListing("floor"),
  ROOM: placeListing("room"),
  ROW: placeListing("row"),
  RACK: untypedListing(async ({ judgedTopology, now, lapsesAt }) => {
    const topology = await judgedTopology();
    lapsesAt(findNextChange(topology.inventory.racks, now));
    return racksListing(topology, now);
  }),
  DEVICE: untypedListing(async ({ topology, reader }) => devicesListing(await topology(), reader)),
  PORT: untypedListing(async ({ reader }) => portsListing(reader, (await reader.inventoryCounts()).ports)),
  CABLE: untypedListing(async ({ reader }) => cablesListing(reader, (await reader.inventoryCounts()).cables)),
  CRAC: untypedListing(async ({ topology }) => coolingListing(await topology())),
  SUPPLY: untypedListing(async ({ judgedTopology }) => powerListing(await judgedTopology())),
  FABRIC: untypedListing(async (session) => fabricsListing(await readLinkViews(session))),
  FABRIC_LINK: untypedListing(async (session) => linksListing(await readLinkViews(session))),
  DEVICE_TYPE: untypedListing(async ({ topology, reader }) =>
    typesListing(reader, (await topology()).inventory.devices),
  ),
};

function placeListing(kind: PlaceKind): MakeListing {
  return untypedListing(async ({ topology }) => placesListing(placeRows(await topology(), kind), kind));
}

async function readLinkViews({ reader, topology }: ReadSession) {
  const known = await topology();
  return computeLinkViews(known.inventory.fabricLinks, await switchLookup(reader, known));
}

/** Returns the cells of a row, grouped by the type of their values. */
function cellsByType<Item>(
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
