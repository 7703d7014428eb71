import { expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { Refusal } from "#dc/model/refusal.ts";
import { type TestService, testService } from "../../support/dc/service.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

// Whatever was written in whatever order: a server that followed it and one that starts now tell the same, to the byte.

const CODES = ["A", "B", "C", "D", "E", "F"];
const FEEDS = ["F1", "F2"];
const location = { site_id: "S", floor_number: 1, room: "DH1", row: "A", zone_id: "Z1" };
const code = fc.constantFrom(...CODES);

interface Plan {
  readonly at: number;
  readonly kind: string;
  readonly sources: readonly (readonly [how: string, pick: number])[];
  readonly declares: boolean;
  readonly status: string;
  readonly drawW: number;
  readonly needs: number;
  readonly place: "R1" | "R2" | "floor";
}

const plan: fc.Arbitrary<Plan> = fc.record({
  at: fc.nat(CODES.length - 1),
  kind: fc.constantFrom("RPP", "UPS", "SERVER", "TRANSFER_SWITCH"),
  sources: fc.array(fc.tuple(fc.constantFrom("device", "port", "feed", "cable"), fc.nat()), {
    minLength: 1,
    maxLength: 3,
  }),
  declares: fc.boolean(),
  status: fc.constantFrom("ACTIVE", "ACTIVE", "FAILED"),
  drawW: fc.constantFrom(0, 100, 300),
  needs: fc.constantFrom(1, 1, 2),
  place: fc.constantFrom("R1", "R2", "floor"),
});

/** A device that hangs on earlier ones alone, so that rules mostly let it pass. */
function device({ at, kind, sources, declares, status, drawW, needs, place }: Plan): JsonObject {
  const inlets = at === 0 ? [] : sources.map(([how, pick], index) => inlet(`in${index}`, how, pick, at));
  const feed = declares && at < FEEDS.length ? { feed_id: FEEDS[at] ?? "" } : {};
  const outlet = { name: "out", kind: "PORT_KIND_POWER_OUT", power_out: feed };
  return {
    code: CODES[at] ?? "",
    kind: at === 0 ? "DEVICE_KIND_UTILITY" : `DEVICE_KIND_${kind}`,
    status: `DEVICE_STATUS_${status}`,
    allocated_draw_w: drawW,
    power: { capacity_w: 250, min_live_inlets: Math.max(1, Math.min(needs, inlets.length)) },
    ports: [...inlets, outlet],
    ...(place === "floor" ? { location } : { rack_code: place }),
  };
}

function inlet(name: string, how: string, pick: number, below: number): JsonObject {
  const supplier = CODES[pick % below] ?? "";
  const refs: Readonly<Record<string, string>> = {
    device: `device:${supplier}`,
    port: `port:${supplier}/out`,
    feed: `feed:${FEEDS[pick % FEEDS.length] ?? ""}`,
  };
  const source_ref = refs[how];
  return { name, kind: "PORT_KIND_POWER_IN", power_in: source_ref === undefined ? {} : { source_ref } };
}

const crac = fc.record({ source: code, serves: fc.constantFrom("rack:R1", "zone:S/1/DH1/Z1") }).map(
  ({ source, serves }): JsonObject => ({
    ...{ code: "C1", kind: "CRAC_KIND_CRAC", location, sensible_capacity_kw: 1, serves: [serves] },
    power_inputs: [{ source_ref: `device:${source}` }],
  }),
);

type Call = readonly [rpc: string, request: JsonObject];

const cable = fc.tuple(code, code, fc.constantFrom("in0", "in1")).map(
  ([from, to, name]): JsonObject => ({
    a: { device_code: from, port_name: "out" },
    b: { device_code: to, port_name: name },
  }),
);

const call = fc.oneof<fc.MaybeWeightedArbitrary<Call>[]>(
  { weight: 4, arbitrary: plan.map((one) => ["UpsertDevice", { device: device(one), update_mask: "*" }]) },
  {
    weight: 1,
    arbitrary: fc
      .array(plan, { minLength: 1, maxLength: 4 })
      .map((plans) => ["BulkUpsertDevices", { items: plans.map(device), update_mask: "*" }]),
  },
  { weight: 3, arbitrary: cable.map((one) => ["UpsertCable", { cable: one }]) },
  { weight: 1, arbitrary: cable.map((one) => ["DeleteCable", { ...one, allow_missing: true }]) },
  {
    weight: 2,
    arbitrary: fc.tuple(code, fc.boolean()).map(([one, cascade]) => ["DeleteDevice", { code: one, cascade }]),
  },
  { weight: 1, arbitrary: crac.map((one) => ["UpsertCrac", { crac: one, update_mask: "*" }]) },
);

const QUESTIONS: readonly Call[] = [
  ["PowerBlastRadius", { source_ref: "site:S", include_protected: true, max_items: 3 }],
  ["PowerBlastRadius", { source_ref: "rack:R1", include_protected: true, cascade: true, assume_battery: true }],
  ["PowerBlastRadius", { source_ref: "device:B", include_protected: true, cascade: true }],
  ["GetRack", { code: "R1" }],
  ["FloorPlan", { floor_ref: "floor:S/1" }],
  ["ThermalHeadroom", { scope_ref: "floor:S/1" }],
];

async function answers({ call: ask }: TestService): Promise<readonly unknown[]> {
  const told = [];
  for (const [rpc, request] of QUESTIONS) {
    told.push(await ask(rpc, request).catch((error: unknown) => (error instanceof Refusal ? error.message : error)));
  }
  return told;
}

test("a server that followed all changes answers what one answers that starts on their outcome", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 4, maxLength: 10 }), async (calls) => {
      const site = await testService();
      await site.call("BulkUpsertRacks", { items: ["R1", "R2"].map((rack) => ({ code: rack, location })) });
      const first = CODES.map((_, at): Plan => ({ ...FIRST, at }));
      await site.call("BulkUpsertDevices", { items: first.slice(0, 4).map(device) });
      await answers(site);
      for (const [rpc, request] of calls) {
        await site.call(rpc, request).catch((error: unknown) => expect(error).toBeInstanceOf(Refusal));
        // So that it follows this change alone.
        await site.call("GetRack", { code: "R1" });
      }

      const anew = await testService({ store: site.store });

      expect(await answers(site)).toEqual(await answers(anew));
    }),
    { numRuns: LAW_RUNS },
  );
}, 240_000);

const FIRST: Omit<Plan, "at"> = {
  ...{ kind: "RPP", declares: true, status: "ACTIVE", drawW: 100, needs: 1, place: "R1" },
  sources: [
    ["device", 0],
    ["cable", 0],
  ],
};
