import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { DcStore } from "#dc/ports.ts";
import { goodRequests } from "../../support/dc/good_requests.ts";
import { openMemory } from "../../support/dc/memory/store.ts";
import { askRead, type Question, READ_INTERFACES } from "../../support/dc/read_interfaces.ts";
import { openServed, type Served, served } from "../../support/dc/served.ts";
import { cables, devices, racks, smallSite } from "../../support/dc/small_site.ts";
import { http1, postJson } from "../../support/http_client.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

const NAMES = Object.keys(READ_INTERFACES);
const measured = { load_basis: "LOAD_BASIS_MEASURED", max_age_s: 300 };

const QUESTIONS: readonly Question[] = [
  ...["GetRack", "GetDevice", "GetPort", "FloorPlan", "ThermalHeadroom", "PowerBlastRadius", "TraceCablePath"].map(
    (rpc) => ({ rpc, request: goodRequests[rpc] ?? {} }),
  ),
  { rpc: "SearchDevices", request: { page_size: 2 } },
  { rpc: "SearchDevices", request: {} },
  { rpc: "GetDevice", request: { code: "GONE" } },
  { rpc: "PowerBlastRadius", request: { ...goodRequests["PowerBlastRadius"], ...measured } },
  { rpc: "RehearseFailures", request: measured },
  { rpc: "ListReadings", request: { element_refs: ["device:SRV-1"] } },
  { rpc: "ListFindings", request: {} },
  { rpc: "ListWindows", request: {} },
  { rpc: "ListNotices", request: {} },
];

type Step =
  | { readonly kind: "ask"; readonly question: Question; readonly over: string }
  | { readonly kind: "draw" | "report"; readonly watts: number }
  | { readonly kind: "wait" | "step"; readonly seconds: number }
  | { readonly kind: "reserve" }
  | { readonly kind: "cut" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("ask" as const),
      question: fc.constantFrom(...QUESTIONS),
      over: fc.constantFrom(...NAMES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom("draw", "report"), watts: fc.integer({ min: 1, max: 500 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("wait", "step"),
      seconds: fc.constantFrom(-600, 1, 200, 300, 3600, 86_400),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("reserve", "cut") }) },
);

/** A server that keeps replies, and one on the same database and clock that keeps none. */
interface Sites {
  readonly keeping: Served;
  readonly plain: Served;
}

async function open(): Promise<Sites> {
  const { store, clock } = await smallSite();
  const [keeping, plain] = [await served({ store, clock }), await served({ store, clock })];
  plain.site.service.recallReads = async () => false;
  return { keeping, plain };
}

async function take({ keeping, plain }: Sites, one: Step): Promise<void> {
  const { call, clock } = keeping.site;
  const now = (afterS = 0) => new Date(clock.now().getTime() + afterS * 1000).toISOString();
  switch (one.kind) {
    case "ask": {
      const expected = await askRead(plain.url, one.over, one.question);
      for (const _ of ["first", "again"]) expect(await askRead(keeping.url, one.over, one.question)).toEqual(expected);
      return;
    }
    case "draw":
      return call("UpsertDevice", { device: { ...devices[4], allocated_draw_w: one.watts } });
    case "report": {
      const reading = { element_ref: "device:SRV-1", quantity: "READING_QUANTITY_POWER_W", value: one.watts };
      return call("ReportReadings", { source: "probe", readings: [{ ...reading, time: now() }] });
    }
    case "wait":
      return clock.moveS(Math.abs(one.seconds));
    case "step":
      return clock.stepS(one.seconds);
    case "reserve":
      return call("UpsertRack", {
        rack: { ...racks[0], measured_at: now(), reservations: [{ units: [40], owner: "acme", until: now(300) }] },
      });
    default: {
      const { a = {}, b = {} } = cables[1] ?? {};
      return call("DeleteCable", { a, b, allow_missing: true });
    }
  }
}

test("kept replies are those of a server that keeps none, over every interface, whatever happened in between", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 30 }), async (steps) => {
      const sites = await open();
      for (const one of steps) await take(sites, one);
    }),
    { numRuns: Math.max(4, LAW_RUNS / 10) },
  );
});

describe("a read that is asked again", () => {
  let site: Awaited<ReturnType<typeof openServed>>;
  let reads = 0;
  beforeAll(async () => {
    const store = openMemory();
    await smallSite({ store });
    const counting: DcStore = {
      ...store,
      read: (work) => {
        reads += 1;
        return store.read(work);
      },
    };
    site = await openServed({ store: counting, authRequired: true });
  });
  afterAll(() => site.end());
  const reader = { authorization: "Bearer reader" };
  const question = { rpc: "GetRack", request: { code: "R1" } };

  for (const name of NAMES) {
    test(`is answered over ${name} from what was sent, and counted, but only to who may read`, async () => {
      const first = await askRead(site.url, name, question, reader);
      reads = 0;
      const again = await askRead(site.url, name, question, { authorization: "Bearer writer" });
      const counted = (await http1(`${site.url}/metrics`)).text;

      expect(again).toEqual(first);
      expect(reads).toBe(0);
      const label = name === "GraphQL" ? "GRAPHQL" : name.startsWith("gRPC") ? "GRPC" : "REST";
      expect(counted).toMatch(new RegExp(`calls_total{method="GetRack",interface="${label}",outcome="ok"} [1-9]`));
      expect(JSON.stringify(await askRead(site.url, name, question, { authorization: "Bearer meter" }))).toMatch(
        /may not call GetRack/,
      );
      expect(await askRead(site.url, name, question)).toMatchObject({ code: "unauthenticated" });
    });
  }

  test("is computed for another form, refused with a deadline that is over, and forgotten at a change", async () => {
    const ask = (headers = {}) => askRead(site.url, "Connect JSON", question, { ...reader, ...headers });
    await ask();
    reads = 0;
    await ask({ "accept-encoding": "identity" });
    expect(reads).toBe(1);
    expect(await ask({ "connect-timeout-ms": "0" })).toMatchObject({ code: "deadline_exceeded" });

    const path = `${site.url}/datacenter.v1.DatacenterService/UpsertRack`;
    await postJson(path, { rack: { ...racks[0], asset_tag: "NEW" } }, { authorization: "Bearer writer" });
    expect(await ask()).toMatchObject({ rack: { asset_tag: "NEW" } });
  });

  test("is not kept if it failed or may change by itself", async () => {
    const keep = async (asked: Question) => {
      await askRead(site.url, "gRPC-Web", asked, reader);
      reads = 0;
      await askRead(site.url, "gRPC-Web", asked, reader);
      return reads;
    };
    expect(await keep({ rpc: "GetRack", request: { code: "GONE" } })).toBe(1);
    expect(await keep({ rpc: "ListNotices", request: {} })).toBe(1);
    expect(await keep({ rpc: "GetDevice", request: { code: "SRV-1" } })).toBe(0);
  });
});
