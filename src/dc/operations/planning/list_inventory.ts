import { create } from "@bufbuild/protobuf";
import { findNextChange } from "#dc/analysis/racks/rack_facts.ts";
import { INVENTORY_KINDS, type InventoryKind } from "#dc/model/enum_values.ts";
import { ListInventoryResponseSchema, PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { readPageSize, readWord, requiredField } from "../answers/parameters.ts";
import { allSwitches } from "../answers/switch_devices.ts";
import { defineRead, type ReadSession } from "../rpc.ts";
import { cablesListing, portsListing } from "./inventory/cabling_listing.ts";
import { devicesListing, typesListing } from "./inventory/devices_listing.ts";
import { fabricsListing, linksListing, linkViews } from "./inventory/fabrics_listing.ts";
import type { Listing } from "./inventory/listing.ts";
import { type PlaceKind, placeRows, placesListing, racksListing } from "./inventory/places_listing.ts";
import { coolingListing, powerListing } from "./inventory/power_listing.ts";
import { selectRows } from "./inventory/select_rows.ts";

export const listInventory = defineRead({
  method: PlanningService.method.listInventory,
  effect: "read",
  async run(session, request) {
    const kind = readWord("kind", request.kind, INVENTORY_KINDS);
    if (kind === undefined) throw requiredField("kind", INVENTORY_KINDS.join(", "));
    const limit = readPageSize(request.pageSize);
    const listing = await LISTINGS[kind](session);
    const { items, total, facets, sums } = await selectRows(listing, request, { limit, scheduler: session.scheduler });
    const loaded = await listing.lookUp?.(items);
    return create(ListInventoryResponseSchema, {
      rows: items.map((item) => ({
        ref: listing.ref(item),
        name: listing.name(item),
        ...cells(listing, item, loaded),
      })),
      totalCount: total,
      columns: Object.keys(listing.columns),
      sums: { ...sums },
      facets: facets.map(({ column, counts }) => ({ column, counts: { ...counts } })),
    });
  },
});

type MakeListing = (session: ReadSession) => Promise<Listing<unknown>>;

/** A listing that is asked only for its own items. */
function listing<Item>(make: (session: ReadSession) => Promise<Listing<Item>>): MakeListing {
  return make as MakeListing;
}

const LISTINGS: Readonly<Record<InventoryKind, MakeListing>> = {
  SITE: places("site"),
  FLOOR: places("floor"),
  ROOM: places("room"),
  ROW: places("row"),
  RACK: listing(async ({ judgedTopology, now, lapsesAt }) => {
    const topology = await judgedTopology();
    lapsesAt(findNextChange(topology.inventory.racks, now));
    return racksListing(topology, now);
  }),
  DEVICE: listing(async ({ topology, reader }) => devicesListing(await topology(), reader)),
  PORT: listing(async ({ reader }) => portsListing(reader, (await reader.inventoryCounts()).ports)),
  CABLE: listing(async ({ reader }) => cablesListing(reader, (await reader.inventoryCounts()).cables)),
  CRAC: listing(async ({ topology }) => coolingListing(await topology())),
  SUPPLY: listing(async ({ judgedTopology }) => powerListing(await judgedTopology())),
  FABRIC: listing(async (session) => fabricsListing(await viewsOf(session))),
  FABRIC_LINK: listing(async (session) => linksListing(await viewsOf(session))),
  DEVICE_TYPE: listing(async ({ topology, reader }) => typesListing(reader, (await topology()).inventory.devices)),
};

function places(kind: PlaceKind): MakeListing {
  return listing(async ({ topology }) => placesListing(placeRows(await topology(), kind), kind));
}

async function viewsOf({ reader, topology }: ReadSession) {
  const known = await topology();
  return linkViews(known.inventory.fabricLinks, await allSwitches(reader, known));
}

/** The columns of a row by the type of their values. */
function cells<Item>(
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
