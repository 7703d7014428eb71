import { expect } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { buildPowerGraph } from "#dc/analysis/power/power_graph_editor.ts";
import type { PowerGraph } from "#dc/analysis/power/power_nodes.ts";
import { computeElevation } from "#dc/analysis/racks/rack_elevation.ts";
import { verifyLog } from "#dc/audit/verify_log.ts";
import { Refusal } from "#dc/model/refusal.ts";
import { type TestService, testService } from "../../support/dc/service.ts";
import { law } from "../../support/law.ts";

const code = fc.constantFrom("A", "B", "C", "D", "E");
const location = { site_id: "S", floor_number: 1 };

const source = fc.oneof(
  code.map((one) => `device:${one}`),
  code.map((one) => `port:${one}/out`),
  fc.constantFrom("F1", "F2").map((one) => `feed:${one}`),
);

const device: fc.Arbitrary<JsonObject> = fc
  .record({
    code,
    sources: fc.array(source, { maxLength: 2 }),
    feed: fc.option(fc.constantFrom("F1", "F2"), { nil: undefined }),
    racked: fc.boolean(),
    position: fc.integer({ min: 1, max: 5 }),
    height: fc.constantFrom(0.5, 1, 2),
    half: fc.boolean(),
    rear: fc.boolean(),
  })
  .map(({ code: name, sources, feed, racked, position, height, half, rear }) => {
    const inlets = sources.map((source_ref, index) => ({
      name: `in${index}`,
      kind: "PORT_KIND_POWER_IN",
      power_in: { source_ref },
    }));
    const outlet = {
      name: "out",
      kind: "PORT_KIND_POWER_OUT",
      ...(feed !== undefined && { power_out: { feed_id: feed } }),
    };
    const place = {
      rack_code: "R",
      position_u: position,
      u_height: height,
      face: rear ? "FACE_REAR" : "FACE_FRONT",
      depth: half ? "DEPTH_HALF" : "DEPTH_FULL",
    };
    return { code: name, kind: "DEVICE_KIND_RPP", ports: [...inlets, outlet], ...(racked ? place : { location }) };
  });

/** One call: an upsert of one or many devices with a full replacement, a cable, or a delete. */
const call = fc.oneof(
  { weight: 4, arbitrary: device.map((one) => ["UpsertDevice", { device: one, update_mask: "*" }] as const) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.array(device, { minLength: 1, maxLength: 4 }), fc.boolean())
      .map(([items, atomic]) => ["BulkUpsertDevices", { items, atomic, update_mask: "*" }] as const),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(code, code).map(([from, to]) => {
      const cable = { a: { device_code: from, port_name: "out" }, b: { device_code: to, port_name: "in0" } };
      return ["UpsertCable", { cable }] as const;
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(code, fc.boolean())
      .map(([name, cascade]) => ["DeleteDevice", { code: name, cascade }] as const),
  },
);

async function play(site: TestService, calls: readonly (readonly [string, JsonObject])[]): Promise<void> {
  await site.call("UpsertRack", { rack: { code: "R", location, u_height: 6 } });
  for (const [rpc, request] of calls) {
    await site.call(rpc, request).catch((error: unknown) => expect(error).toBeInstanceOf(Refusal));
  }
}

/** Whether taking away elements without inlets, again and again, leaves some behind. */
function hasCircle({ nodes, supplies, inlets }: PowerGraph): boolean {
  const open = nodes.map((_, index) => inlets.count(index));
  const done = new Set([...open.keys()].filter((index) => open[index] === 0));
  for (const index of done) {
    for (const { to } of supplies.listEdges(index)) {
      open[to] = (open[to] ?? 0) - 1;
      if (open[to] === 0) done.add(to);
    }
  }
  return done.size < open.length;
}

law(
  "no sequence of writes leaves a circle of power, a unit taken twice, or a broken change log",
  [fc.array(call, { maxLength: 25 })],
  async (calls) => {
    const site = await testService();

    await play(site, calls);

    const { inventory, verdict } = await site.store.read(async (reader) => ({
      inventory: await reader.inventory(),
      verdict: await verifyLog(reader),
    }));
    expect(hasCircle(buildPowerGraph(inventory))).toBe(false);
    const [rack] = inventory.racks;
    if (rack === undefined) throw new Error("the rack was written first");
    const inside = inventory.devices.filter(({ rackCode }) => rackCode === "R");
    expect(computeElevation(rack, inside, { now: "2026-01-01T00:00:00Z", basis: "ALLOCATED" }).conflicts).toEqual([]);
    expect(verdict.ok).toBe(true);
  },
);

law(
  "a write that was only tried, or refused, leaves the inventory and the log as they were",
  [fc.array(call, { maxLength: 8 }), call],
  async (calls, [rpc, request]) => {
    const site = await testService();
    await play(site, calls);
    const look = () =>
      site.store.read(async (reader) => [await reader.inventory(), await reader.chainHead(), await reader.revision()]);
    const before = await look();

    const tried = await site.call(rpc, { ...request, validate_only: true }).catch((error: unknown) => String(error));
    expect(await look()).toEqual(before);

    const done = await site.call(rpc, request).catch((error: unknown) => String(error));
    if (typeof done === "string") expect(await look()).toEqual(before);
    expect(typeof done).toBe(typeof tried);
  },
);

law("the same call again answers UNCHANGED", [fc.array(call, { maxLength: 8 }), device], async (calls, one) => {
  const site = await testService();
  await play(site, calls);
  const request = { device: one, update_mask: "*" };
  const first = await site.call("UpsertDevice", request).catch(() => undefined);
  fc.pre(first !== undefined);

  const again = await site.call("UpsertDevice", request);

  expect(again.outcome).toBe("OUTCOME_UNCHANGED");
  expect(again.device).toEqual(first.device);
});
