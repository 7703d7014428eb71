import type { Caller } from "#dc/context.ts";
import { everyWindow } from "#dc/every_window.ts";
import { IDLE } from "#dc/operations/answers/cooperative_scheduler.ts";
import type { DcStore } from "#dc/ports.ts";
import type { DcService } from "#dc/service.ts";
import { WindowState } from "#gen/datacenter/v1/windows_pb.ts";
import type { GaugeFamily } from "#interfaces/http/metric_text.ts";
import { areaGauges } from "./area_gauges.ts";
import { HeldFacts } from "./held_facts.ts";
import { readingGauges } from "./reading_gauges.ts";
import { type Asking, riskGauges } from "./risk_gauges.ts";
import { windowGauges } from "./window_facts.ts";

/** Age of cached facts, in milliseconds. Ours: scrapes come every 15 to 60 seconds. */
const HOLD_MS = 15_000;
/** Share of the time that figures of areas may be computed in after changes: 5 %. Ours. */
const AREAS_SHARE = 0.05;

/** The server itself, which may read where callers need a token. Calls go first. */
const CALLER: Caller = {
  interface: "SYSTEM",
  principal: { name: "metrics", roles: [], authMethod: "none" },
  peer: IDLE,
};

/**
 * Returns the figures of the inventory as metrics. They are the replies of RPCs, so that they cost nothing between changes.
 * A scrape gets the figures before while new ones take longer than it waits.
 */
export function inventoryFacts(store: DcStore, service: DcService): () => Promise<readonly GaugeFamily[]> {
  const asking: Asking = { service, caller: CALLER };
  const held = <Facts>(ask: () => Promise<Facts>, share = 1) =>
    new HeldFacts({ ask, holdMs: HOLD_MS, share, keepsLate: true });
  const states = [WindowState.PLANNED, WindowState.BEGUN];
  const windows = held(async () => (await everyWindow(service, CALLER, { states })).windows);
  const readings = held(() => store.read((reader) => reader.readingAges()), AREAS_SHARE);
  const risks = held(() => riskGauges(asking), AREAS_SHARE);
  const areas = held(async () => areaGauges(asking, await store.read((reader) => reader.readingAges())), AREAS_SHARE);
  return async () => {
    // At once, so that a scrape waits no longer than for the slowest.
    const [open, ages, risk, area] = await Promise.all([windows.now(), readings.now(), risks.now(), areas.now()]);
    return [
      ...(open === undefined ? [] : windowGauges(open, Date.now())),
      ...(risk ?? []),
      ...(area ?? []),
      ...(ages === undefined ? [] : readingGauges(ages)),
    ];
  };
}
