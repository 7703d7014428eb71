import { cableItems, fabricLinkItems } from "./cabling.ts";
import { equipmentItems } from "./equipment.ts";
import { cracItems, facilityItems } from "./facility.ts";
import { type Hall, hallsOf } from "./plan.ts";
import type { Item } from "./ports.ts";
import { rackItems } from "./racks.ts";

/** Racks of the well-known sample. Source: docs/decisions.md#d-12. */
export const SAMPLE_RACKS = 40;
/** Most racks of a sample. Ours: half a million devices, more than one server is made for. */
export const MAX_SAMPLE_RACKS = 10_000;

/** One resource of the sample: its kind, and what its upsert takes. */
export interface SampleItem {
  readonly kind: "rack" | "device" | "crac" | "cable" | "fabric_link";
  readonly item: Item;
}

const KINDS: readonly (readonly [SampleItem["kind"], (hall: Hall) => Iterable<Item>])[] = [
  ["rack", rackItems],
  ["device", deviceItems],
  ["crac", cracItems],
  ["cable", cableItems],
  ["fabric_link", fabricLinkItems],
];

function* deviceItems(hall: Hall): Generator<Item> {
  yield* facilityItems(hall);
  yield* equipmentItems(hall);
}

/**
 * Generates the sample site. With 40 racks it is AMS1 (808 devices, 8 cooling units, 1,822 cables, 272 fabric links).
 * More racks add denser halls of the same kind: 2,000 racks hold 101,552 devices. The result depends only on the number
 * of racks, and each item refers only to earlier ones. Cost: the memory of one hall, for any size.
 */
export function* sampleItems(racks = SAMPLE_RACKS): Generator<SampleItem> {
  for (const [kind, itemsOf] of KINDS) {
    for (const hall of hallsOf(racks)) {
      for (const item of itemsOf(hall)) yield { kind, item };
    }
  }
}
