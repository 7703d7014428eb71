import type { ReadingAge } from "#dc/model/readings/reading_store.ts";
import { parseRef } from "#dc/model/ref.ts";
import { getCapacity } from "#dc/operations/planning/get_capacity.ts";
import { readPages } from "#dc/read_pages.ts";
import {
  type AreaCapacity,
  AreaKind,
  GetCapacityRequestSchema,
  type GetCapacityResponse,
} from "#gen/datacenter/v1/capacity_pb.ts";
import { LoadBasis } from "#gen/datacenter/v1/datacenter_pb.ts";
import type { GaugeFamily, MetricSample } from "#interfaces/http/metric_text.ts";
import type { MetricsReader } from "./risk_gauges.ts";

/** Maximum number of areas with series, about 15 each. Sites come first, then floors, rooms and zones. */
export const MAX_AREAS = 1000;

const GAUGE_AREA_KINDS = [AreaKind.SITE, AreaKind.FLOOR, AreaKind.ROOM, AreaKind.ZONE] as const;

/** Values of GetCapacity, by metric name without its prefix. A value that a reply does not set has no series. */
const AREA_FIGURES: readonly (readonly [name: string, help: string, of: (area: AreaCapacity) => number | undefined])[] =
  [
    ["racks", "Racks that take devices.", ({ racks }) => racks],
    ["racks_without_supply", "Racks to which no power can be added.", ({ racksWithoutSupply }) => racksWithoutSupply],
    ["power_planned_watts", "Planned draw of devices in service.", ({ drawKw }) => convertToWatts(drawKw)],
    ["power_free_watts", "What racks may still draw together.", ({ power }) => convertToWatts(power?.freeKw)],
    [
      "power_free_after_failure_watts",
      "What racks may still draw together so that every supply withstands the worst single failure.",
      ({ power }) => convertToWatts(power?.failoverFreeKw),
    ],
    ["air_cooling_free_watts", "Air cooling that is left.", ({ air }) => convertToWatts(air?.freeKw)],
    [
      "air_cooling_free_after_failure_watts",
      "Air cooling that is left after the worst single failure.",
      ({ air }) => convertToWatts(air?.failoverFreeKw),
    ],
    ["liquid_cooling_free_watts", "Liquid cooling that is left.", ({ liquid }) => convertToWatts(liquid?.freeKw)],
    [
      "liquid_cooling_free_after_failure_watts",
      "Liquid cooling that is left after the worst single failure.",
      ({ liquid }) => convertToWatts(liquid?.failoverFreeKw),
    ],
    ["rack_units", "Rack units.", ({ totalU }) => totalU],
    ["rack_units_free", "Rack units that are neither used nor reserved.", ({ freeU }) => freeU],
    ["largest_free_block_units", "Most adjacent free units in one rack.", ({ largestFreeBlockU }) => largestFreeBlockU],
  ];

/** Returns the capacity of areas as GetCapacity computes it. */
export async function readAreaGauges(
  asking: MetricsReader,
  ages: readonly ReadingAge[],
): Promise<readonly GaugeFamily[]> {
  const { areas, omitted } = await readAreas(asking, LoadBasis.ALLOCATED);
  const hasReadings = ages.some(({ quantity }) => quantity === "POWER_W");
  const measured = hasReadings ? await readAreas(asking, LoadBasis.MEASURED) : undefined;
  const createFamily = (name: string, help: string, samples: readonly MetricSample[]) => ({
    name: `planner_dc_area_${name}`,
    help,
    samples,
  });
  return [
    ...AREA_FIGURES.map(([name, help, of]) => createFamily(name, help, createAreaSamples(areas, of))),
    createFamily(
      "power_measured_watts",
      "Draw of devices in service by readings, by the recorded draw for want of one.",
      measured === undefined ? [] : createAreaSamples(measured.areas, ({ drawKw }) => convertToWatts(drawKw)),
    ),
    {
      name: "planner_dc_measured_load_watts",
      help: "Load of the inventory with a reading that is new enough, and without one.",
      samples:
        measured?.load === undefined
          ? []
          : [
              { labels: { source: "reading" }, value: measured.load.measuredW },
              { labels: { source: "record" }, value: measured.load.plannedW },
            ],
    },
    { name: "planner_dc_areas_omitted", help: "Areas that have no series.", samples: [{ value: omitted }] },
  ];
}

async function readAreas({ service, caller }: MetricsReader, loadBasis: LoadBasis) {
  const areas: AreaCapacity[] = [];
  let all = 0;
  let load: GetCapacityResponse["measuredLoad"];
  for (const by of GAUGE_AREA_KINDS) {
    const init = { by, loadBasis, pageSize: MAX_AREAS };
    const asked = { schema: GetCapacityRequestSchema, init, caller };
    const left = Math.max(1, MAX_AREAS - areas.length);
    const reply = await readPages(service, getCapacity, asked, (page: GetCapacityResponse) => page.areas, left);
    areas.push(...reply.areas.slice(0, MAX_AREAS - areas.length));
    all += reply.totalCount;
    load = reply.measuredLoad;
  }
  return { areas, omitted: all - areas.length, load };
}

function createAreaSamples(
  areas: readonly AreaCapacity[],
  of: (area: AreaCapacity) => number | undefined,
): readonly MetricSample[] {
  return areas.flatMap((area) => {
    const value = of(area);
    return value === undefined ? [] : [{ labels: createAreaLabels(area.ref), value }];
  });
}

/** Returns an area's labels, the kind first, because only areas of one kind can be summed: a site contains floors. */
function createAreaLabels(text: string): NonNullable<MetricSample["labels"]> {
  const ref = parseRef(text);
  switch (ref?.kind) {
    case "site":
      return { area: ref.kind, site: ref.site };
    case "floor":
      return { area: ref.kind, site: ref.site, floor: String(ref.floor) };
    case "room":
    case "zone":
      return { area: ref.kind, site: ref.site, floor: String(ref.floor), [ref.kind]: ref.name };
    default:
      return { area: text };
  }
}

/** Converts kilowatts to watts, rounded to thousandths. */
function convertToWatts(kw: number | undefined): number | undefined {
  return kw === undefined ? undefined : Math.round(kw * 1e6) / 1000;
}
