import { expect, test } from "bun:test";
import { create } from "@bufbuild/protobuf";
import { createInventoryFactsReader } from "#cli/dc/serve/inventory_facts.ts";
import { getCapacity } from "#dc/operations/planning/get_capacity.ts";
import {
  type AreaCapacity,
  GetCapacityRequestSchema,
  type GetCapacityResponse,
} from "#gen/datacenter/v1/capacity_pb.ts";
import { LoadBasis } from "#gen/datacenter/v1/datacenter_pb.ts";
import type { GaugeFamily, MetricSample } from "#interfaces/http/metrics.ts";
import { agreeingStores } from "../../support/dc/agreeing_sites.ts";
import { type TestService, testService } from "../../support/dc/service.ts";

const watts = (kw: number | undefined) => (kw === undefined ? undefined : Math.round(kw * 1e6) / 1000);

/** What GetCapacity answers for one area, by the name of its metric. */
const FIGURES: Readonly<Record<string, (area: AreaCapacity) => number | undefined>> = {
  racks: ({ racks }) => racks,
  racks_without_supply: ({ racksWithoutSupply }) => racksWithoutSupply,
  power_planned_watts: ({ drawKw, devicesWithoutDraw: lacking }) => watts(drawKw || lacking === 0 ? drawKw : undefined),
  power_free_watts: ({ power }) => watts(power?.freeKw),
  power_free_after_failure_watts: ({ power }) => watts(power?.failoverFreeKw),
  air_cooling_free_watts: ({ air }) => watts(air?.freeKw),
  air_cooling_free_after_failure_watts: ({ air }) => watts(air?.failoverFreeKw),
  liquid_cooling_free_watts: ({ liquid }) => watts(liquid?.freeKw),
  liquid_cooling_free_after_failure_watts: ({ liquid }) => watts(liquid?.failoverFreeKw),
  rack_units: ({ totalU }) => totalU,
  rack_units_free: ({ freeU }) => freeU,
  largest_free_block_units: ({ largestFreeBlockU }) => largestFreeBlockU,
};

const AREAS = { site: [], floor: ["floor"], room: ["floor", "room"], zone: ["floor", "zone"] } as const;

/** A metric of each part. */
const PARTS = ["area_racks", "failure_causes", "readings"].map((name) => `planner_dc_${name}`);

type Labels = NonNullable<MetricSample["labels"]>;

/** Looks samples up by the name of their metric and some of their labels. */
class Figures {
  readonly #families: readonly GaugeFamily[];

  constructor(families: readonly GaugeFamily[]) {
    this.#families = families;
  }

  of(name: string, labels: Labels = {}): readonly number[] {
    return this.samples(name, labels).map(({ value }) => value);
  }

  samples(name: string, labels: Labels = {}): readonly MetricSample[] {
    const all = this.#families.find((one) => one.name === `planner_dc_${name}`)?.samples ?? [];
    return all.filter((one) => Object.entries(labels).every(([label, value]) => one.labels?.[label] === value));
  }
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

/** Compares the figures of each area with the reply to this area alone. Returns how many were compared. */
async function compareAreas({ service, call }: TestService, figures: Figures): Promise<number> {
  let compared = 0;
  const areaOf = async (scopeRef: string, loadBasis: LoadBasis) => {
    const request = create(GetCapacityRequestSchema, { scopeRef, loadBasis });
    const reply = (await service.call(getCapacity, request, { interface: "SYSTEM" })) as GetCapacityResponse;
    return reply.areas[0] as AreaCapacity;
  };
  for (const [area, parts] of Object.entries(AREAS)) {
    const there = figures.samples("area_racks", { area });
    const { total_count = 0 } = await call("GetCapacity", { by: `AREA_KIND_${area.toUpperCase()}`, pageSize: 1 });
    expect(there.length).toBe(total_count);
    for (const { labels = {} } of there) {
      const ref = `${area}:${[labels["site"], ...parts.map((part) => labels[part])].join("/")}`;
      const planned = await areaOf(ref, LoadBasis.ALLOCATED);
      for (const [name, of] of Object.entries(FIGURES)) {
        const wanted = of(planned);
        expect([ref, name, ...figures.of(`area_${name}`, labels)]).toEqual(
          wanted === undefined ? [ref, name] : [ref, name, wanted],
        );
        compared += 1;
      }
      const [measured] = figures.of("area_power_measured_watts", labels);
      const { drawKw } = await areaOf(ref, LoadBasis.MEASURED);
      if (measured !== undefined) expect(measured).toBe(watts(drawKw) ?? -1);
    }
  }
  return compared;
}

/** Compares risks with other RPCs: floor plans count racks by health, lists count devices, pages of causes have severities. */
async function compareRisks({ call, service }: TestService, figures: Figures): Promise<void> {
  const { sites } = await service.readOverview({ interface: "SYSTEM" });
  for (const { site_id, floors } of sites) {
    for (const { floor_ref, floor_number } of floors) {
      const { counts } = await call("FloorPlan", { floor_ref });
      const { ok = 0, ok_unproven: unknown = 0, watch = 0, fault = 0 } = counts;
      for (const [health, count] of Object.entries({ ok: ok - unknown, watch, fault, unknown })) {
        const labels = { site: site_id, floor: String(floor_number), health };
        expect([floor_ref, health, sum(figures.of("racks", labels))]).toEqual([floor_ref, health, count]);
      }
    }
    await compareCauses(call, `site:${site_id}`, (severity) =>
      figures.of("site_failure_causes", { site: site_id, severity }),
    );
  }
  await compareCauses(call, "", (severity) => figures.of("failure_causes", { severity }));
  const { worst } = await call("RehearseFailures", { cascade: true, page_size: 1 });
  const { refs = [], impact = {}, devices_without_data_path_count = 0, fabric_lost_mbps = 0 } = worst ?? {};
  const { it_devices_offline = 0, racks_dark = 0, it_load_lost_w = 0 } = impact;
  const taken = Object.entries({
    devices: it_devices_offline + devices_without_data_path_count,
    racks_dark,
    it_load_watts: it_load_lost_w,
    fabric_bytes_per_second: fabric_lost_mbps * 125_000,
  });
  expect(taken.map(([name]) => figures.of(`worst_failure_${name}`, { element: refs.join(" ") }))).toEqual(
    taken.map(([, value]) => (worst === undefined ? [] : [value])),
  );
  const { fault_count = 0, watch_count = 0 } = await call("ListFindings", {});
  const found = ["fault", "watch"].flatMap((severity) => figures.of("findings", { severity }));
  expect(found).toEqual([fault_count, watch_count]);
  for (const redundancy of ["unmet", "unknown"]) {
    const conditions = [{ column: "redundancy", values: [redundancy] }];
    const { total_count = 0 } = await call("ListInventory", { kind: "INVENTORY_KIND_DEVICE", conditions });
    expect(sum(figures.of("devices_redundancy", { redundancy }))).toBe(total_count);
  }
}

async function compareCauses(
  call: TestService["call"],
  scope_ref: string,
  of: (severity: string) => readonly number[],
): Promise<void> {
  const { causes = [], total_count = 0 } = await call("RehearseFailures", {
    scope_ref,
    cascade: true,
    page_size: 1000,
  });
  expect(causes.length).toBe(Math.min(1000, total_count));
  for (const severity of ["critical", "high", "medium", "low", "info"]) {
    const name = `FAILURE_SEVERITY_${severity.toUpperCase()}`;
    const wanted = causes.filter((one: { severity: string }) => one.severity === name).length;
    if (total_count <= 1000) expect([scope_ref, severity, ...of(severity)]).toEqual([scope_ref, severity, wanted]);
  }
}

/** Metrics once every part of them is there: a scrape on a busy machine goes on without the parts that take long. */
async function wholeFacts(facts: () => Promise<readonly GaugeFamily[]>): Promise<readonly GaugeFamily[]> {
  for (;;) {
    const families = await facts();
    const names = new Set(families.map(({ name }) => name));
    if (PARTS.every((name) => names.has(name))) return families;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("Figures of the inventory in metrics equal the replies of RPCs", async () => {
  let compared = 0;
  for await (const { store, seed } of agreeingStores()) {
    const site = await testService({ store });
    const { rows = [] } = await site.call("ListInventory", { kind: "INVENTORY_KIND_DEVICE", pageSize: 20 });
    const readings = rows.slice(seed % 20).map(({ ref }: { ref: string }, place: number) => ({
      elementRef: ref,
      quantity: "READING_QUANTITY_POWER_W",
      value: 100 + place,
    }));
    if (seed % 2 === 0 && readings.length > 0) await site.call("ReportReadings", { readings });
    const figures = new Figures(await wholeFacts(createInventoryFactsReader(store, site.service)));
    compared += await compareAreas(site, figures);
    await compareRisks(site, figures);
    expect(sum(figures.of("readings"))).toBe(
      (await site.call("ListReadings", { pageSize: 1000 })).readings?.length ?? 0,
    );
    await store.close();
  }
  expect(compared).toBeGreaterThan(100);
}, 240_000);
