import { describe, expect, test } from "bun:test";
import {
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonObject,
  type MessageShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import type { Topology } from "#dc/analysis/topology.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import { answerFloorPlan } from "#dc/operations/answers/floor_plan.ts";
import { TopologyCache } from "#dc/operations/answers/topology.ts";
import { answerFabricTopology } from "#dc/operations/fabric_topology.ts";
import { answerGetRack } from "#dc/operations/get_rack.ts";
import { fitFigures } from "#dc/operations/messages/convert.ts";
import { answerPowerBlastRadius } from "#dc/operations/power_blast_radius.ts";
import { answerThermalHeadroom } from "#dc/operations/thermal_headroom.ts";
import { answerTraceCablePath } from "#dc/operations/trace_cable_path.ts";
import type { DcReader } from "#dc/ports.ts";
import * as pb from "#gen/datacenter/v1/datacenter_pb.ts";
import { runAllSteps } from "#kernel/clock.ts";
import { ams1Store } from "../../../../support/dc/ams1_inventory.ts";
import { readingOf } from "../../../../support/dc/topology_reader.ts";

const NOW = "2026-06-01T00:00:00.000Z";
const topologies = new TopologyCache();

interface World {
  readonly reader: DcReader;
  readonly topology: Topology;
  readonly now: string;
}

/** Asks the sample site; the answer goes over the wire once, which refuses what does not fit its fields. */
async function ask<Request extends DescMessage, Reply extends DescMessage>(
  [requestSchema, replySchema]: readonly [Request, Reply],
  request: JsonObject,
  answer: (world: World, request: MessageShape<Request>) => MessageShape<Reply> | Promise<MessageShape<Reply>>,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
): Promise<any> {
  const store = await ams1Store();
  return store.read(async (reader) => {
    const world = { reader, topology: await topologies.getTopology(reader), now: NOW };
    const message = await answer(world, fromJson(requestSchema, request));
    runAllSteps(fitFigures(replySchema, message));
    const received = fromBinary(replySchema, toBinary(replySchema, message));
    return toJson(replySchema, received, { useProtoFieldName: true, alwaysEmitImplicit: true });
  });
}

const blast = (request: JsonObject) =>
  ask(
    [pb.PowerBlastRadiusRequestSchema, pb.PowerBlastRadiusResponseSchema],
    request,
    async ({ topology }, message) => (await answerPowerBlastRadius(readingOf(topology), message)).reply,
  );
const trace = (request: JsonObject) =>
  ask(
    [pb.TraceCablePathRequestSchema, pb.TraceCablePathResponseSchema],
    request,
    async ({ reader, topology }, message) => {
      const session = { reader, topology: async () => topology, scheduler: new CooperativeScheduler() };
      return (await answerTraceCablePath(session, message)).reply;
    },
  );
const rack = (request: JsonObject) =>
  ask([pb.GetRackRequestSchema, pb.GetRackResponseSchema], request, (world, message) => answerGetRack(world, message));
const thermal = (request: JsonObject) =>
  ask([pb.ThermalHeadroomRequestSchema, pb.ThermalHeadroomResponseSchema], request, ({ topology }, message) =>
    answerThermalHeadroom(topology, message),
  );
const fabric = (request: JsonObject) =>
  ask(
    [pb.FabricTopologyRequestSchema, pb.FabricTopologyResponseSchema],
    request,
    async (world, message) => (await answerFabricTopology(world, message)).reply,
  );
const floor = (request: JsonObject) =>
  ask([pb.FloorPlanRequestSchema, pb.FloorPlanResponseSchema], request, ({ topology }, message) =>
    answerFloorPlan(topology, { now: NOW, lapsesAt: () => {} }, message),
  );

describe("answerPowerBlastRadius", () => {
  test("lists what goes off and what is protected", async () => {
    const reply = await blast({ source_ref: "feed:AMS1-B03-B", include_protected: true });

    expect(reply.impact).toMatchObject({ racks_protected: 1, devices_offline: 1, devices_degraded: 21 });
    expect(reply.affected).toMatchObject([
      {
        kind: "ITEM_KIND_DEVICE",
        code: "PDU-B03-B",
        state: "IMPACT_STATE_OFFLINE",
        via: "feed:AMS1-B03-B",
        lost_inlets: ["main"],
      },
    ]);
    const [rack, weaker] = reply.protected;
    expect(rack).toMatchObject({ kind: "ITEM_KIND_RACK", code: "B03" });
    expect(weaker).toMatchObject({
      state: "IMPACT_STATE_DEGRADED",
      lost_inlets: ["psu2"],
      remaining_inlets: ["psu1"],
      depth: 2,
    });
    expect(reply.truncated).toBe(false);
  });

  test("lists racks first, then what stands in them rack by rack, cooling, and distribution last", async () => {
    const { affected } = await blast({ source_ref: "device:UPS-A2", cascade: true });

    const groups = affected.map(({ kind, code, rack_code }: JsonObject) => {
      if (kind !== "ITEM_KIND_DEVICE") return kind;
      return /^(?:PDU|RPP|UPS|SWGR|ATS)-/.test(String(code)) ? "distribution" : rack_code;
    });
    const runs = groups.filter((group: unknown, at: number) => group !== groups[at - 1]);
    const racks = runs.slice(1, -2);
    expect([runs.at(0), ...runs.slice(-2)]).toEqual(["ITEM_KIND_RACK", "ITEM_KIND_CRAC", "distribution"]);
    expect(racks).toEqual(racks.toSorted());
    expect(new Set(racks).size).toBe(20);
    expect(affected[0].state).toBe("IMPACT_STATE_DARK");
  });

  test("joins the nodes that it shows, and says where power still flows", async () => {
    const { nodes, edges } = await blast({ source_ref: "feed:AMS1-B03-B" });

    expect(edges).toContainEqual({
      from_ref: "feed:AMS1-B03-B",
      to_ref: "device:PDU-B03-B",
      inlet: "main",
      live: false,
    });
    const shown = nodes.map(({ ref }: JsonObject) => ref);
    expect(edges.every(({ from_ref, to_ref }: JsonObject) => shown.includes(from_ref) && shown.includes(to_ref))).toBe(
      true,
    );
  });

  test("counts everything although the lists are cut", async () => {
    const reply = await blast({ source_ref: "device:UPS-A1", max_items: 5 });

    expect(reply.impact.devices_offline).toBe(66);
    expect([reply.affected.length, reply.nodes.length, reply.truncated]).toEqual([5, 5, true]);
  });

  test("takes several sources at once and tells the cascade", async () => {
    const both = await blast({ source_ref: "device:UPS-A1", additional_source_refs: ["device:UPS-B1"] });
    const cascade = await blast({ source_ref: "device:UPS-A2", cascade: true });

    expect(both.impact.racks_dark).toBe(20);
    expect(cascade.cascade_steps).toMatchObject([{ step: 1, tripped_refs: ["device:RPP-B-D"], devices_offline: 93 }]);
    expect(cascade.overloads).toEqual([]);
  });

  test("refuses sources that it cannot find or read", async () => {
    await expect(blast({ source_ref: "device:NOBODY" })).rejects.toMatchObject({ reason: "NOT_FOUND" });
    await expect(blast({})).rejects.toMatchObject({ reason: "REQUIRED_FIELD" });
    await expect(blast({ source_ref: "crac:X" })).rejects.toMatchObject({ reason: "NOT_FOUND" });
    await expect(blast({ source_ref: "device:UPS-A1", max_items: -1 })).rejects.toMatchObject({
      reason: "FIELD_OUT_OF_RANGE",
    });
  });
});

describe("answerTraceCablePath", () => {
  test("tells hops, segments and lengths", async () => {
    const { paths } = await trace({ start: { device_code: "LEAF-A01-1", port_name: "Ethernet49" } });

    expect(paths).toMatchObject([
      {
        status: "PATH_STATUS_COMPLETE",
        active: true,
        total_length_m: 23.1,
        destination: { device_code: "SPINE-D09-1", port_name: "Ethernet1" },
      },
    ]);
    expect(paths[0].hops).toHaveLength(4);
    expect(paths[0].segments[1]).toMatchObject({ kind: "SEGMENT_KIND_INTERNAL" });
  });

  test("refuses a port that is not there, and two that differ", async () => {
    const start = { device_code: "LEAF-A01-1", port_name: "Ethernet50" };

    await expect(trace({ port_ref: "port:LEAF-A01-1/none" })).rejects.toMatchObject({ reason: "NOT_FOUND" });
    await expect(trace({ port_ref: "port:LEAF-A01-1/Ethernet49", start })).rejects.toMatchObject({
      reason: "FIELD_CONFLICT",
    });
    await expect(trace({})).rejects.toMatchObject({ reason: "REQUIRED_FIELD" });
  });
});

describe("answerGetRack", () => {
  test("shows units, occupants, capacity and health of a rack", async () => {
    const reply = await rack({ code: "a08" });

    expect(reply.rack).toMatchObject({ code: "A08", health: "HEALTH_FAULT" });
    expect(reply.rack.health_reasons).toContainEqual(expect.objectContaining({ code: "ONE_POWER_PATH" }));
    expect(reply.units).toHaveLength(42);
    expect(reply.units[0]).toEqual({ u: 42, front: ["PP-A08-1"], rear: [], reserved: "" });
    expect(reply.occupants[0]).toMatchObject({ device_code: "PP-A08-1", position_u: 42, face: "FACE_FRONT" });
    expect(reply.capacity).toMatchObject({ total_u: 42, allocated_w: 8100, power_capacity_w: 22170 });
    expect(reply.capacity.failover_w_by_path).toEqual([{ power_path: "A", normal_w: 8100, failover_w: 8100 }]);
    expect(reply.conflicts).toEqual([]);
  });

  test("splits a rack's load over its two sides", async () => {
    const { capacity } = await rack({ code: "A01" });

    expect(capacity.failover_w_by_path.map(({ power_path }: JsonObject) => power_path)).toEqual(["A", "B"]);
  });

  test("refuses a rack that is not there", async () => {
    await expect(rack({ code: "Z99" })).rejects.toMatchObject({ reason: "NOT_FOUND" });
  });
});

describe("answerThermalHeadroom", () => {
  test("keeps one unit in reserve unless told otherwise", async () => {
    const usual = await thermal({ scope_ref: "row:AMS1/1/D" });
    const none = await thermal({ scope_ref: "row:AMS1/1/D", reserve_units: 0 });

    expect(usual).toMatchObject({ effective_kw: 108, reserve_kw: 54, redundancy_ok: false });
    expect(none).toMatchObject({ effective_kw: 108, reserve_kw: 0, usable_kw: 108 });
    expect(usual.cracs.map(({ code }: JsonObject) => code)).toEqual(["CRAH-D1", "CRAH-D2"]);
    expect(usual.zones).toMatchObject([{ ref: "row:AMS1/1/D", crac_codes: ["CRAH-D1", "CRAH-D2"] }]);
    expect(usual.hotspots).toMatchObject([
      { ref: "row:AMS1/1/D", severity: "HEALTH_WATCH", code: "ZONE_WITHOUT_RESERVE" },
      { code: "ZONE_WITHOUT_LIQUID_COOLING" },
    ]);
  });

  test("takes units as failed", async () => {
    const reply = await thermal({ scope_ref: "row:AMS1/1/D", failed_crac_codes: ["crah-d1"], reserve_units: 0 });

    expect(reply).toMatchObject({ effective_kw: 54, redundancy_ok: false });
    expect(reply.hotspots).toMatchObject([
      { severity: "HEALTH_FAULT", code: "ZONE_DEFICIT" },
      { severity: "HEALTH_WATCH", code: "ZONE_WITHOUT_LIQUID_COOLING" },
    ]);
  });

  test("refuses scopes and units that are none", async () => {
    await expect(thermal({ scope_ref: "device:UPS-A1" })).rejects.toMatchObject({ reason: "INVALID_REF" });
    await expect(thermal({ scope_ref: "site:AMS1", failed_crac_codes: ["X"] })).rejects.toMatchObject({
      reason: "NOT_FOUND",
    });
  });
});

describe("answerFabricTopology", () => {
  test("shows a fabric whose cables lead where its links say", async () => {
    const reply = await fabric({ fabric_id: "fab1", check_physical: true });

    expect(reply.summary).toMatchObject({ links_up: 272, links_down: 0, congested: 2 });
    expect(reply.nodes[0]).toMatchObject({ code: "SPINE-D09-1", role: "spine" });
    expect(reply.nodes.at(-1).oversubscription).toBeGreaterThan(0);
    expect(new Set(reply.links.map(({ link }: { readonly link: JsonObject }) => link["physical"]))).toEqual(
      new Set(["PHYSICAL_MATCH_MATCHED"]),
    );
    expect(reply.congested).toHaveLength(2);
  });

  test("narrows to a scope and takes switches as failed", async () => {
    const reply = await fabric({ scope_ref: "rack:A01", failed_device_codes: ["SPINE-D09-1"] });

    expect(reply.links).toHaveLength(8);
    expect(reply.summary).toMatchObject({ links_up: 6, links_down: 2 });
  });

  test("refuses fabrics, devices and percentages that are none", async () => {
    await expect(fabric({ fabric_id: "X" })).rejects.toMatchObject({ reason: "NOT_FOUND" });
    await expect(fabric({ failed_device_codes: ["X"] })).rejects.toMatchObject({ reason: "NOT_FOUND" });
    await expect(fabric({ congestion_pct: 101 })).rejects.toMatchObject({ violations: [{ field: "congestion_pct" }] });
  });
});

describe("answerFloorPlan", () => {
  test("shows every tile with health and loads", async () => {
    const reply = await floor({ floor_ref: "floor:AMS1/1" });

    expect([reply.racks.length, reply.cracs.length, reply.devices.length]).toEqual([40, 8, 20]);
    expect(reply.racks.find(({ code }: JsonObject) => code === "A08")).toMatchObject({
      health: "HEALTH_FAULT",
      row: "A",
    });
    expect(reply.cracs.find(({ code }: JsonObject) => code === "CRAH-D1").utilization_pct).toBeCloseTo(69.07, 2);
    expect(reply.devices.find(({ code }: JsonObject) => code === "RPP-A-D").power_pct).toBeCloseTo(54.8, 1);
    expect(reply.extents.width_mm).toBeGreaterThan(0);
  });

  test("refuses a floor that nothing stands on", async () => {
    await expect(floor({ floor_ref: "floor:AMS1/9" })).rejects.toMatchObject({ reason: "NOT_FOUND" });
    await expect(floor({ floor_ref: "AMS1/1" })).rejects.toMatchObject({ reason: "INVALID_REF" });
  });
});
