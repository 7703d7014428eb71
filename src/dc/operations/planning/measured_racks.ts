import type { Topology } from "#dc/analysis/topology.ts";
import { DEFAULT_READING_AGE_S } from "#dc/limits.ts";
import { codeKey } from "#dc/model/code.ts";
import { computeDayNumber, computePeakFigures, DAY_MS } from "#dc/model/readings/day_history.ts";
import type { FloorPlanRequest } from "#gen/datacenter/v1/datacenter_pb.ts";
import type { MeasuredRacks } from "../answers/floor_plan.ts";
import { readLoadBasis } from "../answers/parameters.ts";
import type { ReadSession } from "../rpc.ts";

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
