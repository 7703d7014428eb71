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

export function drawWindow(code: string, random: SeededRandom, elements: readonly string[]): Drawn {
  const from = random.below(8);
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
    const { rows = [] }: Json = await site.call("ListInventory", { kind: `INVENTORY_KIND_${kind}`, page_size: 200 });
    found.push(...rows.map(({ ref }: Json) => ref));
  }
  return found;
}

/** Changes the inventory or a window at random. */
export async function changeSomething(
  site: TestService,
  random: SeededRandom,
  { elements, windows }: { readonly elements: readonly string[]; readonly windows: number },
): Promise<void> {
  const code = `W${random.below(windows)}`;
  const ref = random.pick(elements.filter((one) => one.startsWith("device:")));
  const device = {
    code: ref.slice("device:".length),
    status: `DEVICE_STATUS_${random.pick(["ACTIVE", "FAILED", "OFFLINE"])}`,
  };
  const power = { capacity_w: 100 + random.below(20_000) };
  const changes: readonly (() => Promise<unknown>)[] = [
    () => site.call("UpsertDevice", { device, update_mask: "status" }),
    () => site.call("UpsertDevice", { device: { code: device.code, power }, update_mask: "power.capacity_w" }),
    () => put(site, drawWindow(code, random, elements)),
    () => site.call("DeleteWindow", { code, allow_missing: true }),
  ];
  // A change that a rule refuses is none.
  await random
    .pick(changes)()
    .catch(() => {});
}
