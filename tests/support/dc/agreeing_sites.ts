import type { Inventory } from "#dc/model/inventory.ts";
import type { DcStore } from "#dc/ports.ts";
import { generateSample } from "#dc/sample/facility.ts";
import { LAW_INVENTORIES } from "../law_inventories.ts";
import { SeededRandom } from "../seeded_random.ts";
import { ams1 } from "./ams1.ts";
import { storeOf } from "./ams1_inventory.ts";
import { cooledWorld } from "./cooled_world.ts";
import { furnished } from "./furnished.ts";
import { openMemory } from "./memory/store.ts";
import { drawnInventory } from "./power_model/inventory.ts";
import { putAll } from "./stored.ts";
import { WalkedSite } from "./walked_site.ts";

const INVENTORIES = Math.ceil(LAW_INVENTORIES / 2);
const RACKS = Number(process.env["PLANNER_LAW_RACKS"] ?? 0);
/** One generated inventory and nothing else, to look at a failure. */
const ONLY = process.env["PLANNER_LAW_INVENTORY"];

// biome-ignore lint/suspicious/noExplicitAny: items of every kind
type Json = any;

/**
 * Sites on which the service is asked the same in several ways: the sample site, a generated one if PLANNER_LAW_RACKS says
 * so, and half of PLANNER_LAW_INVENTORIES generated inventories; or only the one that PLANNER_LAW_INVENTORY numbers. Each has
 * a database of its own.
 */
export async function* agreeingSites(inventories = INVENTORIES): AsyncGenerator<WalkedSite> {
  for await (const { name, store } of agreeingStores(inventories)) yield await WalkedSite.of(name, store);
}

/** The databases of these sites, each with a number to draw by. */
export async function* agreeingStores(inventories = INVENTORIES): AsyncGenerator<{
  readonly name: string;
  readonly store: DcStore;
  readonly seed: number;
}> {
  if (ONLY !== undefined) {
    yield await generatedStore(Number(ONLY));
    return;
  }
  yield { name: "AMS1", store: await storeOf(ams1), seed: INVENTORIES };
  if (RACKS > 0) yield { name: `${RACKS} racks`, store: await storeOf(sampleSite(RACKS)), seed: INVENTORIES + 1 };
  for (let seed = 0; seed < inventories; seed += 1) yield await generatedStore(seed);
}

async function generatedStore(seed: number) {
  const random = new SeededRandom(seed);
  const drawn = seed % 2 === 0 ? drawnInventory(seed) : cooledWorld(random);
  return { name: `inventory ${seed}`, store: await storedInventory(furnished(drawn, random)), seed };
}

/** The sample of so many racks: each 40 have a supply, cooling and a fabric of their own. */
export function sampleSite(racks: number): Parameters<typeof storeOf>[0] {
  const items = Map.groupBy(generateSample(racks), ({ kind }) => kind);
  const of = (kind: "rack" | "device" | "crac" | "cable" | "fabric_link") =>
    (items.get(kind) ?? []).map(({ item }) => item as Json);
  return {
    racks: of("rack"),
    devices: of("device"),
    cracs: of("crac"),
    cables: of("cable"),
    fabric_links: of("fabric_link"),
  };
}

export async function storedInventory(inventory: Inventory): Promise<DcStore> {
  const store = openMemory();
  await store.write(async (writer) => {
    await putAll(writer, "rack", inventory.racks);
    await putAll(writer, "device", inventory.devices);
    await putAll(writer, "crac", inventory.cracs);
    await putAll(writer, "cable", inventory.cables);
    await putAll(writer, "fabric_link", inventory.fabricLinks);
  });
  return store;
}
