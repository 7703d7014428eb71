import { expect, test } from "bun:test";
import { isPowerKind } from "#dc/model/draw.ts";
import { agreeingSites } from "../../support/dc/agreeing_sites.ts";
import type { WalkedSite } from "../../support/dc/walked_site.ts";

// What PowerBlastRadius says about the loss of a source is what search, GetRack, FloorPlan and the lists say once that source is
// recorded as failed.

const SOURCES_PER_SITE = 8;
const POWERED = ["DEVICE_STATUS_ACTIVE", "DEVICE_STATUS_DECOMMISSIONING"];

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

/** What the site says about supplies and racks now. */
interface Now {
  readonly dark: ReadonlySet<string>;
  readonly live: ReadonlySet<string>;
  readonly undocumented: ReadonlySet<string>;
}

async function nowAt(site: WalkedSite): Promise<Now> {
  const supply = (state: string) => site.found({ supply_states: [`SUPPLY_STATE_${state}`] });
  return {
    dark: await supply("NO_LIVE_SUPPLY"),
    live: await supply("LIVE"),
    undocumented: await supply("UNDOCUMENTED"),
  };
}

/** Some power equipment in service, spread over the list. */
function sourcesOf(devices: readonly Json[]): readonly Json[] {
  const sources = devices.filter(
    ({ texts }) => isPowerKind(texts.kind) && POWERED.includes(`DEVICE_STATUS_${texts.status}`),
  );
  const step = Math.max(1, Math.floor(sources.length / SOURCES_PER_SITE));
  return sources.filter((_, at) => at % step === 0);
}

test("what a failure reaches is what has no supply once the source has failed", async () => {
  let compared = 0;
  for await (const site of agreeingSites()) {
    const devices = await site.rows("DEVICE");
    const byCode = new Map(devices.map((row) => [row.name, row]));
    const isConsumer = (code: string) => !isPowerKind(byCode.get(code)?.texts.kind);
    const before = await nowAt(site);
    for (const { name: source } of sourcesOf(devices)) {
      const say = `${site.name}, loss of ${source}`;
      const request = { source_ref: `device:${source}`, include_protected: true, max_items: 10_000 };
      const reply = await site.call("PowerBlastRadius", request);
      const items: readonly Json[] = [...(reply.affected ?? []), ...(reply.protected ?? [])];
      const lost = items.filter(({ kind, state }) => kind === "ITEM_KIND_DEVICE" && state === "IMPACT_STATE_OFFLINE");
      const consumers = lost.map(({ code }) => code).filter(isConsumer);
      countsAgree(say, reply, items);
      await site.withStatus(source, "FAILED", async (failed) => {
        const after = await nowAt(failed);
        const dark = [...after.dark.difference(before.dark)].filter(isConsumer);
        expect([say, dark.toSorted()]).toEqual([say, consumers.toSorted()]);
        for (const rack of items.filter(({ kind }) => kind === "ITEM_KIND_RACK")) {
          const inside = devices.filter(
            ({ name, texts }) => texts.rack === rack.code && name !== source && isConsumer(name),
          );
          await rackAgrees(failed, { say, rack, inside: inside.map(({ name }) => name), consumers, after });
          compared += 1;
        }
      });
    }
  }
  expect(compared).toBeGreaterThan(100);
}, 3_600_000);

function countsAgree(say: string, { impact = {} }: Json, items: readonly Json[]): void {
  const count = (kind: string, ...states: string[]) =>
    items.filter(
      (item) => item.kind === `ITEM_KIND_${kind}` && states.includes(item.state.slice("IMPACT_STATE_".length)),
    ).length;
  expect([
    say,
    impact.racks_dark ?? 0,
    impact.racks_partial ?? 0,
    impact.racks_protected ?? 0,
    impact.devices_offline ?? 0,
    impact.devices_degraded ?? 0,
    impact.cracs_offline ?? 0,
  ]).toEqual([
    say,
    count("RACK", "DARK"),
    count("RACK", "PARTIAL"),
    count("RACK", "DEGRADED"),
    count("DEVICE", "OFFLINE"),
    count("DEVICE", "DEGRADED"),
    count("CRAC", "OFFLINE"),
  ]);
}

interface Touched {
  readonly say: string;
  readonly rack: Json;
  readonly inside: readonly string[];
  readonly consumers: readonly string[];
  readonly after: Now;
}

/** A rack's state after the loss, its health and the supplies of its devices fit. */
async function rackAgrees(site: WalkedSite, { say, rack, inside, consumers, after }: Touched): Promise<void> {
  const says = `${say}, rack ${rack.code}`;
  const now = await site.call("GetRack", { code: rack.code });
  const { health, health_reasons: reasons = [] } = now.rack;
  const off = inside.filter((code) => consumers.includes(code));
  const named = new Set(reasons.filter(({ code }: Json) => code === "NO_LIVE_SUPPLY").map(({ ref }: Json) => ref));
  expect([says, off.filter((code) => !named.has(`device:${code}`))]).toEqual([says, []]);
  if (off.length > 0) expect([says, health]).toEqual([says, "HEALTH_FAULT"]);
  const judged = inside.filter((code) => after.live.has(code) || after.undocumented.has(code));
  if (rack.state === "IMPACT_STATE_DARK") expect([says, judged]).toEqual([says, []]);
  if (rack.state === "IMPACT_STATE_PARTIAL") expect([says, judged.length]).not.toEqual([says, 0]);
  if (rack.state === "IMPACT_STATE_DEGRADED") expect([says, off]).toEqual([says, []]);
}
