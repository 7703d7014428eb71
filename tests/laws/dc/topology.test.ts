import { expect, test } from "bun:test";
import { create, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { Topology } from "#dc/analysis/topology.ts";
import { LOAD_BASES, type LoadBasis } from "#dc/model/enum_values.ts";
import { codeKey, getResourceKey, getResourceRef, parseRef, type Ref } from "#dc/model/ref.ts";
import type { Device, Port, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { TopologyCache } from "#dc/operations/answers/topology.ts";
import { fitFigures } from "#dc/operations/messages/convert.ts";
import { answerPowerBlastRadius } from "#dc/operations/power_blast_radius.ts";
import { answerFloorPlan } from "#dc/operations/rack_reads.ts";
import { answerThermalHeadroom } from "#dc/operations/thermal_headroom.ts";
import type { DcStore, DcWriter } from "#dc/ports.ts";
import {
  FloorPlanRequestSchema,
  FloorPlanResponseSchema,
  PowerBlastRadiusRequestSchema,
  PowerBlastRadiusResponseSchema,
  ThermalHeadroomRequestSchema,
  ThermalHeadroomResponseSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { runAllSteps } from "#kernel/steps.ts";
import { compact, crac, fabricLink, rack, rackCode } from "../../support/dc/arbitrary.ts";
import { changeRecord } from "../../support/dc/change_record.ts";
import { openMemory } from "../../support/dc/memory/store.ts";
import { readingOf } from "../../support/dc/topology_reader.ts";
import { law } from "../../support/law.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

// Rules are left out on purpose: what was written behind the service's back must be followed as well.

const code = fc.constantFrom("A", "B", "C", "D", "E");
const feed = fc.constantFrom("F1", "F2", "F3");
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const sourceRef = fc.oneof(
  feed.map((id) => `feed:${id}`),
  code.map((one) => `device:${one}`),
  code.map((one) => `port:${one}/out1`),
);

const device: fc.Arbitrary<Device> = fc
  .record({
    code,
    name: maybe(fc.constantFrom("alpha", "beta")),
    kind: fc.constantFrom(
      "SERVER" as const,
      "RACK_PDU" as const,
      "TRANSFER_SWITCH" as const,
      "UPS" as const,
      "CHASSIS" as const,
    ),
    status: fc.constantFrom(
      "ACTIVE" as const,
      "ACTIVE" as const,
      "ACTIVE" as const,
      "FAILED" as const,
      "PLANNED" as const,
    ),
    parentDeviceCode: maybe(code),
    bay: maybe(fc.constant("1")),
    powerFactor: maybe(fc.constant(0.8)),
    measuredDrawW: maybe(fc.constant(120)),
    location: fc.constant({ siteId: "S", floorNumber: 1 }),
    rackCode: maybe(rackCode),
    allocatedDrawW: maybe(fc.constantFrom(100, 250)),
    power: maybe(
      fc.constantFrom(
        { capacityW: 300 },
        { minLiveInlets: 2 },
        { capacityW: 100, efficiencyPct: 90 },
        { preferredInlet: "in1" },
        { requiredRedundancy: "TWO_N" as const },
      ),
    ),
    sources: fc.array(fc.option(sourceRef, { nil: undefined, freq: 2 }), { maxLength: 3 }),
    feeds: fc.array(maybe(feed), { maxLength: 2 }),
    direct: fc.boolean(),
    off: fc.boolean(),
  })
  .map(({ sources, feeds, direct, off, ...rest }) => {
    const inlets = sources.map(
      (one, index): Port => ({
        name: `in${index}`,
        kind: "POWER_IN",
        ...(off && index === 1 && { enabled: false }),
        powerIn: one === undefined ? {} : { sourceRef: one },
      }),
    );
    const outlets = feeds.map((one, index): Port => {
      const inletName = direct && inlets.length > 0 ? { inletName: "in0" } : {};
      // A feed is declared once in every stored state, so each belongs to one device.
      const feedId = one === `F${"ABC".indexOf(rest.code) + 1}` && index === 0 ? { feedId: one } : {};
      return {
        name: `out${index}`,
        kind: "POWER_OUT",
        powerOut: { ...inletName, ...feedId, ...(off && { leg: "A" }) },
      };
    });
    return compact({ ...rest, ports: [...inlets, ...outlets] } as Device);
  });

/** Fixed pairs, so that no port ever holds two cables. */
const cable = fc
  .constantFrom(
    { a: { deviceCode: "A", portName: "out0" }, b: { deviceCode: "B", portName: "in1" } },
    { a: { deviceCode: "A", portName: "in2" }, b: { deviceCode: "C", portName: "out1" } },
    { a: { deviceCode: "D", portName: "in0" }, b: { deviceCode: "E", portName: "out0" } },
  )
  .chain((ends) =>
    fc
      .constantFrom("CONNECTED" as const, "CONNECTED" as const, "PLANNED" as const)
      .map((status) => ({ ...ends, status })),
  );

type Resource = ResourceByKind[ResourceKind];
interface Step {
  readonly kind: ResourceKind;
  readonly resource: Resource;
  readonly remove: boolean;
}

const resources = { device, rack, crac, cable, fabric_link: fabricLink } as const;
const step: fc.Arbitrary<Step> = fc
  .constantFrom<ResourceKind>("device", "device", "device", "cable", "cable", "crac", "rack", "fabric_link")
  .chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      resource: resources[kind] as fc.Arbitrary<Resource>,
      remove: fc.integer({ max: 2, min: 0 }).map((roll) => roll === 0),
    }),
  );
/** Transactions; the flag says whether somebody reads after one. */
const history = fc.array(fc.tuple(fc.array(step, { minLength: 1, maxLength: 5 }), fc.boolean()), {
  minLength: 1,
  maxLength: 8,
});

async function apply(writer: DcWriter, steps: readonly Step[]): Promise<void> {
  let { seq } = await writer.chainHead();
  for (const { kind, resource, remove } of steps) {
    if (remove) await writer.remove(kind, getResourceKey(resource));
    else await writer.put(kind, { resource, etag: "e", createTime: "T0", updateTime: "T1" } as never);
    seq += 1;
    await writer.append([changeRecord({ seq, entity: getResourceRef(kind, resource as never), hash: `h${seq}` })]);
  }
  await writer.raiseRevision();
}

/** Everything about a topology but the numbers of its nodes. */
function shapeOf({ inventory, power, live }: Topology) {
  const refOf = (index: number) => power.nodes[index]?.ref.toLowerCase() ?? "";
  const nodes = [...power.nodes.entries()].filter(([, { ref }]) => ref !== "");
  return {
    inventory,
    nodes: nodes
      .map(([index, node]) => ({
        node: { ...node, ref: refOf(index) },
        live: live[index],
        supplies: power.supplies.listEdges(index).map(({ from: _, to, ...edge }) => ({ ...edge, to: refOf(to) })),
        inlets: power.inlets.listEdges(index).map(({ to: _, from, ...edge }) => ({ ...edge, from: refOf(from) })),
      }))
      .toSorted((a, b) => (a.node.ref < b.node.ref ? -1 : 1)),
  };
}

async function answersOf(topology: Topology) {
  const sources = topology.power.nodes.map(({ ref }) => ref).filter((ref) => /^(?:device|feed|port):/.test(ref));
  const blasts = [];
  for (const source of sources.toSorted()) {
    const request = create(PowerBlastRadiusRequestSchema, { sourceRef: source, includeProtected: true, cascade: true });
    const { reply } = await answerPowerBlastRadius(readingOf(topology), request);
    runAllSteps(fitFigures(PowerBlastRadiusResponseSchema, reply));
    blasts.push(toJson(PowerBlastRadiusResponseSchema, reply));
  }
  const hasPlace = (text: string) => topology.hasLocation(parseRef(text) as Ref);
  const thermal = hasPlace("site:S1")
    ? answerThermalHeadroom(topology, create(ThermalHeadroomRequestSchema, { scopeRef: "site:S1" }))
    : undefined;
  const hasFloor = hasPlace("floor:S1/0");
  const floor = hasFloor
    ? answerFloorPlan(
        topology,
        { now: NOW, lapsesAt: () => {} },
        create(FloorPlanRequestSchema, { floorRef: "floor:S1/0" }),
      )
    : undefined;
  return {
    blasts,
    thermal: thermal && toJson(ThermalHeadroomResponseSchema, thermal),
    floor: floor === undefined ? undefined : toJson(FloorPlanResponseSchema, floor),
  };
}

const NOW = "2026-01-01T00:00:00.000Z";

/** Everything that a topology keeps and hands on to the next one. */
function keptOf(topology: Topology) {
  const { racks, devices } = topology.inventory;
  const codes = new Set(
    [...racks.map((one) => one.code), ...devices.flatMap((one) => one.rackCode ?? [])].map(codeKey),
  );
  return {
    loads: LOAD_BASES.map((basis) => loadsByRef(topology, basis)),
    verdicts: topology.listRedundancyVerdicts().toSorted((a, b) => (a.code < b.code ? -1 : 1)),
    phases: LOAD_BASES.map((basis) => phasesByRef(topology, basis)),
    outside: topology.devicesOutsideRacks,
    racks: [...codes].toSorted().map((one) => ({
      devices: topology.listDevicesInRack(one),
      supply: topology.rackSupply(one),
      powers: LOAD_BASES.map((basis) => topology.computeRackPathLoads(one, basis)),
    })),
    standings: racks.map((one) => topology.computeRackStanding(one, { basis: "ALLOCATED", now: NOW })),
  };
}

async function check(store: DcStore, cache: TopologyCache): Promise<void> {
  await store.read(async (reader) => {
    const followed = await cache.getTopology(reader);
    const built = Topology.createFromInventory(await reader.powerInventory());

    expect(shapeOf(followed)).toEqual(shapeOf(built));
    expect(keptOf(followed)).toEqual(keptOf(built));
    expect(await answersOf(followed)).toEqual(await answersOf(built));
  });
}

test("a followed topology equals one that is built anew, after any history", async () => {
  await fc.assert(
    fc.asyncProperty(history, async (transactions) => {
      const store = openMemory();
      const cache = new TopologyCache();
      await check(store, cache);

      for (const [steps, read] of transactions) {
        await store.write((writer) => apply(writer, steps));
        if (read) await check(store, cache);
      }
      await check(store, cache);
    }),
    { numRuns: LAW_RUNS },
  );
}, 240_000);

law(
  "a topology that was handed out does not change when the inventory does",
  [fc.array(step, { maxLength: 8 }), fc.array(step, { minLength: 1, maxLength: 5 })],
  async (a, b) => {
    const store = openMemory();
    const cache = new TopologyCache();
    await store.write((writer) => apply(writer, a));
    const early = await store.read((reader) => cache.getTopology(reader));
    const before = structuredClone(shapeOf(early));

    await store.write((writer) => apply(writer, b));
    await store.read((reader) => cache.getTopology(reader));

    expect(shapeOf(early)).toEqual(before);
  },
);

test("a power cable that is plugged and pulled again leaves the topology as it was", async () => {
  const store = openMemory();
  const cache = new TopologyCache();
  const devices: readonly Device[] = [
    { code: "D", kind: "SERVER", ports: [{ name: "in0", kind: "POWER_IN" }] },
    { code: "E", kind: "RACK_PDU", ports: [{ name: "out0", kind: "POWER_OUT" }] },
  ];
  const plug = { a: { deviceCode: "D", portName: "in0" }, b: { deviceCode: "E", portName: "out0" } };
  const one = (kind: ResourceKind, resource: Resource, remove = false) =>
    store.write((writer) => apply(writer, [{ kind, resource, remove }]));
  for (const resource of devices) await one("device", resource);
  await check(store, cache);

  await one("cable", plug);
  await check(store, cache);
  const live = await store.read(
    async (reader) => (await cache.getTopology(reader)).live.filter((lit) => lit === 1).length,
  );
  await one("cable", plug, true);
  await check(store, cache);

  expect(live).toBe(3);
});

function loadsByRef(topology: Topology, basis: LoadBasis): Readonly<Record<string, number | undefined>> {
  const watts = topology.loads(basis);
  const nodes = [...topology.power.nodes.entries()].filter(([, { ref }]) => ref !== "");
  return Object.fromEntries(nodes.map(([index, { ref }]) => [ref.toLowerCase(), watts[index]]));
}

function phasesByRef(topology: Topology, basis: LoadBasis): Readonly<Record<string, readonly number[]>> {
  const { phasesVa } = topology.apparentLoads(basis);
  const nodes = [...topology.power.nodes.entries()].filter(([, { ref }]) => ref !== "");
  return Object.fromEntries(
    nodes.map(([index, { ref }]) => [ref.toLowerCase(), [...(phasesVa?.slice(3 * index, 3 * index + 3) ?? [])]]),
  );
}
