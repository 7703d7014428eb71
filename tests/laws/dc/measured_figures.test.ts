import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { readAreaGauges } from "#cli/dc/serve/inventory_facts.ts";
import type { Caller } from "#dc/context.ts";
import { LOAD_BASES } from "#dc/model/enum_values.ts";
import { roundFigure } from "#dc/model/figure.ts";
import { readAllRisks } from "#dc/notices/risk_watch.ts";
import { RISK_KINDS } from "#dc/operations/notices/notice.ts";
import type { DcStore } from "#dc/ports.ts";
import type { TestService } from "../../support/dc/service.ts";
import { smallSite } from "../../support/dc/small_site.ts";
import { openTemporaryPostgres, openTemporarySqlite } from "../../support/dc/stores.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

const inlet = (name: string, source_ref: string) => ({ name, kind: "PORT_KIND_POWER_IN", power_in: { source_ref } });
const outlet = (name: string) => ({ name, kind: "PORT_KIND_POWER_OUT" });
const caller: Caller = { interface: "SYSTEM", principal: { name: "law", roles: ["reader"], authMethod: "none" } };
const IT_W: Readonly<Record<string, number>> = { "SRV-1": 400, "SRV-2": 301, "SRV-3": 302, "SRV-4": 303 };

/** Three servers behind a UPS and a PDU, beside what the small site has. Loads are divided by two and by three. */
const added: readonly JsonObject[] = [
  {
    code: "UPS",
    kind: "DEVICE_KIND_UPS",
    rack_code: "R2",
    power: { capacity_w: 900, runtime_s: 600 },
    ports: [
      inlet("in", "device:UTIL"),
      { ...outlet("out"), power_out: { feed_id: "FU", voltage_v: 230, amperage_a: 4 } },
    ],
  },
  {
    code: "PDU-2",
    kind: "DEVICE_KIND_RACK_PDU",
    rack_code: "R2",
    power: { capacity_w: 1000 },
    ports: [inlet("main", "feed:FU"), outlet("2"), outlet("3"), outlet("4")],
  },
  ...["2", "3", "4"].map((name, at) => ({
    code: `SRV-${name}`,
    kind: "DEVICE_KIND_SERVER",
    rack_code: "R2",
    position_u: 1 + at,
    face: "FACE_FRONT",
    allocated_draw_w: IT_W[`SRV-${name}`] ?? 0,
    ports: [inlet("a", `port:PDU-2/${name}`), inlet("b", "feed:FB"), ...(at === 2 ? [inlet("c", "feed:FA")] : [])],
  })),
];

/** A server, an outlet, an inlet, PDUs, a UPS, feeds and a cooling unit. */
const METERED = [
  ...["SRV-1", "SRV-2", "SRV-3", "SRV-4", "PDU", "PDU-2", "UPS"].map((code) => `device:${code}`),
  ...["PDU/OUT1", "PDU-2/3", "SRV-2/a", "SRV-2/b", "PDU-2/main", "UPS/in"].map((port) => `port:${port}`),
  ...["FA", "FB", "FU"].map((feed) => `feed:${feed}`),
  "crac:C1",
];
const tenths = fc.integer({ min: 0, max: 25_000 }).map((value) => value / 10);
const metered = fc.dictionary(fc.constantFrom(...METERED), tenths, { minKeys: 1 });

const ENDS_AT = "2026-03-02T05:04:05Z";
const INVENTORY_KINDS = ["RACK", "DEVICE", "SUPPLY", "ROOM"];
const write = { device: { ...(added[2] ?? {}), allocated_draw_w: 777 } };

/** Every RPC that answers with figures of power, by its name; `{}` of the basis for those that take none. */
const questions = (basis: JsonObject): readonly (readonly [string, JsonObject])[] => [
  ["PowerBlastRadius", { source_ref: "device:UTIL", include_protected: true, ...basis }],
  ["PowerBlastRadius", { source_ref: "device:PDU-2", cascade: true, include_protected: true, ...basis }],
  ["RehearseFailures", { cascade: true, ...basis }],
  ["RehearseFailures", { pairs: true, ...basis }],
  ["CheckWindow", { element_refs: ["device:PDU-2"], ends_at: ENDS_AT, ...basis }],
  ["CheckWindow", { element_refs: ["feed:FB", "crac:C1"], ends_at: ENDS_AT, ...basis }],
  ["GetCapacity", { by: "AREA_KIND_RACK", ...basis }],
  ["ThermalHeadroom", { scope_ref: "floor:S1/1", ...basis }],
  ["FloorPlan", { floor_ref: "floor:S1/1", ...basis }],
];
const others = (loads: JsonObject): readonly (readonly [string, JsonObject])[] => [
  ["FindPlacement", { u_height: 1, draw_w: 333, count: 2, redundancy: "REDUNDANCY_N", ...loads }],
  ["PreviewChanges", { changes: [write], ...loads }],
  ["ListFindings", {}],
  ["ListReadings", {}],
  ...["PDU-2", "UPS", "SRV-4"].map((code): readonly [string, JsonObject] => ["GetDevice", { code }]),
  ...["UPS/out", "PDU-2/3", "SRV-4/b"].map((port): readonly [string, JsonObject] => [
    "GetPort",
    { port_ref: `port:${port}` },
  ]),
  ...["R1", "R2"].map((code): readonly [string, JsonObject] => ["GetRack", { code }]),
  ...INVENTORY_KINDS.map((kind): readonly [string, JsonObject] => [
    "ListInventory",
    { kind: `INVENTORY_KIND_${kind}` },
  ]),
  ["SearchDevices", {}],
];

async function meteredSite(store: DcStore): Promise<TestService> {
  const site = await smallSite({ store });
  const reply = await site.call("BulkUpsertDevices", { items: [...added], atomic: true });
  if (reply.committed !== true) throw new Error(JSON.stringify(reply.results));
  return site;
}

async function report({ call, clock }: TestService, watts: Readonly<Record<string, number>>): Promise<void> {
  clock.moveS(1000);
  const readings = Object.entries(watts).map(([element_ref, value]) => ({
    element_ref,
    quantity: "READING_QUANTITY_POWER_W",
    value,
  }));
  const reply = await call("ReportReadings", { readings });
  if (reply.kept !== readings.length) throw new Error(JSON.stringify(reply));
}

/** Numbers of a reply that have more than three decimals, with their paths. */
function longFractions(value: unknown, path = ""): readonly string[] {
  if (typeof value === "number") return roundFigure(value) === value ? [] : [`${path} ${value}`];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => longFractions(one, `${path}.${key}`));
}

const STORES = [
  ["sqlite", openTemporarySqlite, LAW_RUNS / 5],
  ["postgres", openTemporaryPostgres, LAW_RUNS / 20],
] as const;

for (const [name, openStore, numRuns] of STORES) {
  describe(`readings of tenths of a watt, ${name}`, () => {
    test("fail no answer, on no basis, and no figure has more than three decimals", async () => {
      const site = await meteredSite(await openStore());
      const ask = async ([rpc, request]: readonly [string, JsonObject]) => {
        const reply = await site.call(rpc, request);
        expect([rpc, request, longFractions(reply)]).toEqual([rpc, request, []]);
      };
      await fc.assert(
        fc.asyncProperty(metered, async (watts) => {
          await report(site, watts);
          for (const basis of LOAD_BASES) {
            const loads = { load_basis: `LOAD_BASIS_${basis}` };
            for (const one of [...questions(loads), ...others(loads)]) await ask(one);
          }
          const risks = { service: site.service, caller, kinds: new Set(RISK_KINDS), minSeverity: "INFO" as const };
          await readAllRisks(risks);
          await readAreaGauges({ service: site.service, caller }, [
            { quantity: "POWER_W", oldest: 0, newest: 0, count: 1 },
          ]);
        }),
        { numRuns: Math.ceil(numRuns) },
      );
    }, 240_000);

    test("are summed with their fractions, rounded once, and the same in every answer", async () => {
      const site = await meteredSite(await openStore());
      const servers = fc.record(Object.fromEntries(Object.keys(IT_W).map((code) => [`device:${code}`, tenths])));
      await fc.assert(
        fc.asyncProperty(servers, async (watts) => {
          await report(site, watts);
          const loads = { load_basis: "LOAD_BASIS_MEASURED" };
          // In tenths, so that the sum has no error of its own.
          const sumW = Object.values(watts).reduce((sum, one) => sum + Math.round(one * 10), 0) / 10;

          const blast = await site.call("PowerBlastRadius", { source_ref: "device:UTIL", ...loads });
          const rehearsed = await site.call("RehearseFailures", { ...loads, max_elements: 1000, page_size: 1000 });
          const window = await site.call("CheckWindow", { element_refs: ["device:UTIL"], ends_at: ENDS_AT, ...loads });
          const capacity = await site.call("GetCapacity", { scope_ref: "site:S1", ...loads });

          const elements = rehearsed.causes.flatMap((one: { elements: JsonObject[] }) => one.elements);
          const utility = elements.find(({ refs }: { refs: string[] }) => refs.includes("device:UTIL"));
          const figures = [blast.impact, utility.impact, window.counts].map((one) => one?.it_load_lost_w ?? 0);
          expect(figures).toEqual(Array(3).fill(Math.round(sumW)));
          expect(capacity.areas[0].draw_kw ?? 0).toBe(roundFigure(sumW / 1000));
        }),
        { numRuns: Math.ceil(numRuns) },
      );
    }, 240_000);
  });
}
