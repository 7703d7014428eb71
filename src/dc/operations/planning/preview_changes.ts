import type { BulkReply, FloorPlanRequest } from "#gen/datacenter/v1/datacenter_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { type PreviewChangesResponse, PreviewChangesResponseSchema } from "#gen/datacenter/v1/preview_pb.ts";
import { computePreview, type Preview } from "../../analysis/preview/preview.ts";
import type { Topology } from "../../analysis/topology.ts";
import { DEFAULT_PREVIEW_ITEMS, DEFAULT_READING_AGE_S, MAX_PREVIEW_ITEMS } from "../../limits.ts";
import { computeDayNumber, computePeakFigures, DAY_MS } from "../../model/readings/reading_store.ts";
import { codeKey } from "../../model/ref.ts";
import type { MeasuredRacks } from "../answers/floor_plan.ts";
import { readCount, readLoadBasis } from "../answers/parameters.ts";
import { readChangedPart } from "../answers/topology.ts";
import { convertToMessage, limitListFields } from "../messages/convert.ts";
import { definePreview, type ReadSession } from "../rpc.ts";
import { applyInventoryChanges } from "./apply_changes.ts";

export const previewChanges = definePreview({
  method: PlanningService.method.previewChanges,
  effect: "preview",
  async run(session, { changes: asked, loadBasis, maxItems }) {
    const { topology, writer, changes, now, revision } = session;
    const moment = { basis: readLoadBasis(loadBasis), now };
    const most = readCount("max_items", maxItems, { usual: DEFAULT_PREVIEW_ITEMS, most: MAX_PREVIEW_ITEMS });
    const reply = await applyInventoryChanges(session, asked, { atomic: false });
    const part = await readChangedPart(writer, topology, changes.entityRefs);
    if (part === undefined) throw new Error(`Cannot read a reference among ${changes.entityRefs.join(", ")}`);
    return async (scheduler) => {
      const draft = topology.createDraft(part.keys, part.after);
      const preview = await scheduler.run(computePreview(topology, draft, moment));
      return createPreviewReply(reply, preview, { revision, most });
    };
  },
});

function createPreviewReply(
  { results, failed }: BulkReply,
  { supplies, racks, cooling, devices, counts, findings: { added, removed } }: Preview,
  { revision, most }: { readonly revision: number; readonly most: number },
): PreviewChangesResponse {
  return convertToMessage(PreviewChangesResponseSchema, {
    results,
    refused: failed,
    revision,
    ...limitListFields("supplies", supplies, most),
    ...limitListFields("racks", racks, most),
    ...limitListFields("cooling", cooling, most),
    ...limitListFields("devices", devices, most),
    lostCount: counts.LOST,
    reducedCount: counts.REDUCED,
    gainedCount: counts.GAINED,
    increasedCount: counts.INCREASED,
    ...limitListFields("newFindings", added, most),
    ...limitListFields("resolvedFindings", removed, most),
  });
}

/** Reads racks' measured device draw and warmest inlet; undefined unless the request asks for measured loads. */
export async function readMeasuredRacks(
  session: ReadSession,
  topology: Topology,
  { loadBasis, maxAgeS }: Pick<FloorPlanRequest, "loadBasis" | "maxAgeS">,
): Promise<MeasuredRacks | undefined> {
  const basis = readLoadBasis(loadBasis);
  if (basis !== "MEASURED" && basis !== "MEASURED_PEAK") return undefined;
  const byNode = (await session.measuredW?.()) ?? new Map<number, number>();
  const byElement = await readInletTemperatures(session, { isPeak: basis === "MEASURED_PEAK", maxAgeS });
  const watts = new Map<string, number>();
  const warmest = new Map<string, number>();
  for (const { code } of topology.inventory.racks) {
    await session.scheduler.yieldIfDue();
    const key = codeKey(code);
    const devices = topology.listDevicesInRack(code).map((device) => `device:${codeKey(device.code)}`);
    const draws = devices.flatMap((device) => byNode.get(topology.power.indexOf.get(device) ?? -1) ?? []);
    if (draws.length > 0)
      watts.set(
        key,
        draws.reduce((sum, one) => sum + one, 0),
      );
    const inlets = [`rack:${key}`, ...devices].flatMap((element) => byElement.get(element) ?? []);
    if (inlets.length > 0) warmest.set(key, Math.max(...inlets));
  }
  return { watts, inletsC: warmest };
}

/** Reads inlet temperatures in degrees Celsius, by the key of the element. */
async function readInletTemperatures(
  { reader, now, lapsesAt, scheduler }: ReadSession,
  { isPeak, maxAgeS = DEFAULT_READING_AGE_S }: { readonly isPeak: boolean; readonly maxAgeS: number | undefined },
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const at = Date.parse(now);
  const today = computeDayNumber(at);
  if (isPeak) lapsesAt((today + 1) * DAY_MS);
  for (const { element, kept } of await reader.readings({ quantities: ["INLET_C"], withDays: isPeak })) {
    await scheduler.yieldIfDue();
    const lapse = kept.at + maxAgeS * 1000;
    const celsius = isPeak ? computePeakFigures(kept.days, today)?.p95 : lapse > at ? kept.value : undefined;
    if (celsius === undefined) continue;
    found.set(element.key, celsius);
    if (!isPeak) lapsesAt(lapse);
  }
  return found;
}
