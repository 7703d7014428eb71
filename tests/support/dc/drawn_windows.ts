import type { JsonObject } from "@bufbuild/protobuf";
import type { PortRef } from "#dc/model/resources.ts";
import type { SeededRandom } from "../seeded_random.ts";
import { START, type TestService } from "./service.ts";

const HOUR = 3_600_000;
const BEGIN = Date.parse(START) + HOUR;
/** A time as requests have it. */
export const at = (hours: number) => new Date(BEGIN + hours * HOUR).toISOString();

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

/** A window by hours after a time that is not yet begun. */
export interface Drawn {
  readonly code: string;
  readonly from: number;
  readonly until: number;
  readonly refs: readonly string[];
}

/** @param hours in which windows begin: some of 12 windows overlap in 8 */
export function drawWindow(code: string, random: SeededRandom, elements: readonly string[], hours = 8): Drawn {
  const from = random.below(hours);
  const refs = [...new Set(Array.from({ length: 1 + random.below(2) }, () => random.pick(elements)))];
  return { code, from, until: from + 1 + random.below(4), refs };
}

export const put = ({ call }: TestService, { code, from, until, refs }: Drawn): Promise<Json> =>
  call("UpsertWindow", {
    window: { code, starts_at: at(from), ends_at: at(until), element_refs: [...refs] },
    update_mask: "*",
  });

/** References of what windows take out. */
export async function elementsOf(site: TestService): Promise<readonly string[]> {
  const found: string[] = [];
  for (const kind of ["SUPPLY", "CRAC", "RACK", "FABRIC_LINK"]) {
    const { rows = [] }: Json = await site.call("ListInventory", { kind: `INVENTORY_KIND_${kind}`, page_size: 1000 });
    found.push(...rows.map(({ ref }: Json) => ref));
  }
  return found;
}

/** Changes the inventory or a window at random. @returns whether it was a change of the inventory that no rule refused */
export async function changeSomething(
  site: TestService,
  random: SeededRandom,
  {
    elements,
    windows,
    hours,
  }: { readonly elements: readonly string[]; readonly windows: number; readonly hours?: number },
): Promise<boolean> {
  const code = `W${random.below(windows)}`;
  if (random.below(3) === 0) {
    if (random.below(2) === 0) await put(site, drawWindow(code, random, elements, hours)).catch(() => {});
    else await site.call("DeleteWindow", { code, allow_missing: true });
    return false;
  }
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const [rpc, request] = random.pick(await inventoryChanges(site, random, elements));
    const { outcome, deleted }: Json = await site.call(rpc, request).catch(() => ({}));
    if (outcome === "OUTCOME_UPDATED" || deleted === true) return true;
  }
  return false;
}

/** Changes of all that verdicts follow from: supply, loads, cooling, fabrics, data cables, racks and roles. */
async function inventoryChanges(
  site: TestService,
  random: SeededRandom,
  elements: readonly string[],
): Promise<readonly (readonly [rpc: string, request: JsonObject])[]> {
  const { devices, racks, cracs, fabricLinks, cables } = await site.store.read((reader) => reader.inventory());
  const supply = random.pick(elements.filter((one) => one.startsWith("device:"))).slice("device:".length);
  const any = random.pick(devices).code;
  const change = (code: string, fields: JsonObject, update_mask: string): readonly [string, JsonObject] => [
    "UpsertDevice",
    { device: { code, ...fields }, update_mask },
  ];
  const status = (words: readonly string[]) => ({ status: `DEVICE_STATUS_${random.pick(words)}` });
  const ends = ({ a, b }: { readonly a: PortRef; readonly b: PortRef }) => ({ a: { ...a }, b: { ...b } });
  const some = <Item>(list: readonly Item[], of: (item: Item) => readonly [string, JsonObject]) =>
    list.length === 0 ? [] : [of(random.pick(list))];
  return [
    change(supply, status(["ACTIVE", "FAILED", "OFFLINE"]), "status"),
    change(supply, { power: { capacity_w: 100 + random.below(20_000) } }, "power.capacity_w"),
    change(any, status(["ACTIVE", "FAILED", "OFFLINE"]), "status"),
    change(any, { allocated_draw_w: random.below(3000) }, "allocated_draw_w"),
    change(any, { role: random.pick(["leaf", "spine", "host"]) }, "role"),
    ...some(cracs, ({ code }) => [
      "UpsertCrac",
      { crac: { code, status: `CRAC_STATUS_${random.pick(["ACTIVE", "FAILED"])}` }, update_mask: "status" },
    ]),
    ...some(fabricLinks, (link) => [
      "UpsertFabricLink",
      { fabric_link: { ...ends(link), status: `LINK_STATUS_${random.pick(["UP", "DOWN"])}` }, update_mask: "status" },
    ]),
    ...some(cables, (cable) => ["DeleteCable", ends(cable)]),
    ...some(racks, ({ code }) =>
      change(any, { rack_code: code, position_u: 1 + random.below(40) }, "rack_code,position_u"),
    ),
  ];
}
