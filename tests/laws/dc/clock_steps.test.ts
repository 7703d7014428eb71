import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { NoticeSender, SendingLease } from "#dc/notices/notice_sender.ts";
import { RiskWatch } from "#dc/notices/risk_watch.ts";
import { RISK_KINDS, readNotices, storeReceiverNames } from "#dc/operations/notices/notice.ts";
import type { DcStore } from "#dc/ports.ts";
import { type TestClock, testService } from "../../support/dc/service.ts";
import { smallSite } from "../../support/dc/small_site.ts";
import { openTemporaryPostgres, openTemporarySqlite } from "../../support/dc/stores.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

// A clock that is set wrong and back, with the server at work meanwhile, leaves what a right clock leaves.

const [MINUTE, HOUR, DAY] = [60, 3600, 24 * 3600];
const OPS = { name: "ops", minSeverity: "INFO" as const, kinds: new Set(RISK_KINDS), places: [] };
const ELEMENTS = ["device:SRV-1", "device:PDU", "port:PDU/OUT1", "feed:FA"];
const [ID, SECOND_ID] = ["0198c1d2-0000-7000-8000-000000000001", "0198c1d2-0000-7000-8000-000000000002"];

interface Scenario {
  readonly stepS: number;
  /** Whether the server ends before the clock is set, and again before it is set back. */
  readonly isRestarted: boolean;
  /** Days of reports before it. */
  readonly days: number;
  readonly isTimed: boolean;
}

const scenario: fc.Arbitrary<Scenario> = fc.record({
  stepS: fc
    .tuple(fc.constantFrom(-1, 1), fc.constantFrom(10 * MINUTE, 90 * MINUTE, DAY, 3 * DAY, 40 * DAY, 400 * DAY))
    .map(([sign, size]) => sign * size),
  isRestarted: fc.boolean(),
  days: fc.constantFrom(1, 2, 5, 33),
  isTimed: fc.boolean(),
});

/** What a server does, over a database that outlives it. */
async function serve(store: DcStore, clock: TestClock) {
  const site = await testService({ store, clock });
  const parts = { store, clock, say: () => {} };
  const watch = new RiskWatch({ ...parts, service: site.service, receivers: [OPS], newId: randomUUID });
  const postNotice = async () => ({ isTaken: false, error: "it answered 500" }) as const;
  const sender = new NoticeSender({ ...parts, postNotice, receivers: ["ops"], random: () => 0 });
  const lease = new SendingLease(clock);
  const turn = async () => {
    await site.service.updateFindingStarts();
    const isHeld = await store.write(async (writer) => {
      await site.service.passedTime.count(writer);
      return lease.acquireLease(writer);
    });
    if (!isHeld) return;
    await watch.readChangedRisks();
    await watch.readRacksAtFault();
    await sender.startDueAttempts();
    await sender.waitForAttempts();
  };
  return { ...site, turn };
}

/** Everything that is kept, without the times of changes: these are what the clock said. */
async function run(open: () => Promise<DcStore>, { stepS, isRestarted, days, isTimed }: Scenario): Promise<unknown> {
  const made = await smallSite({ store: await open() });
  const { store, clock } = made;
  let server = await serve(store, clock);
  const restart = async () => {
    if (!isRestarted) return;
    server = await serve(store, clock);
    clock.moveS(20);
  };
  const rightTime = () => new Date(clock.now().getTime() - wrongS * 1000).toISOString();
  let wrongS = 0;
  const report = (): Promise<unknown> => {
    const time = isTimed ? { time: rightTime() } : {};
    const readings = ELEMENTS.map(
      (element_ref, index): JsonObject => ({
        ...{ element_ref, quantity: "READING_QUANTITY_POWER_W", value: 400 + index },
        ...time,
      }),
    );
    return server.call("ReportReadings", { readings, source: "probe" });
  };
  const remembered = { rack: { code: "R9", location: { site_id: "S1", floor_number: 1 } }, request_id: ID };
  const first = await server.call("UpsertRack", remembered);
  const [startsAt, endsAt] = [1, 20].map(
    (hours) => new Date(clock.now().getTime() + hours * HOUR * 1000 + days * DAY * 1000),
  );
  await server.call("UpsertWindow", {
    window: {
      code: "W",
      elementRefs: ["device:PDU"],
      startsAt: startsAt?.toISOString() ?? "",
      endsAt: endsAt?.toISOString() ?? "",
    },
  });
  await store.write((writer) => storeReceiverNames(writer, ["ops"]));
  for (let quarter = 0; quarter < 3 * days; quarter += 1) {
    await report();
    clock.moveS(quarter % 3 === 2 ? DAY - 2 * 15 * MINUTE : 15 * MINUTE);
  }
  for (let quarter = 0; quarter < 4; quarter += 1) {
    await report();
    await server.turn();
    clock.moveS(15 * MINUTE);
  }
  await server.call("UpsertRack", { ...remembered, request_id: randomUUID() });
  await server.call("UpsertRack", { ...remembered, request_id: SECOND_ID });
  await server.call("TestNotice", { receiver: "ops" });
  await server.turn();

  clock.stepS(stepS);
  wrongS = stepS;
  await restart();
  for (let turn = 0; turn < 3; turn += 1) {
    await report().catch(() => {});
    await server.turn();
    clock.moveS(20);
  }
  clock.stepS(-stepS);
  wrongS = 0;
  await restart();
  for (let turn = 0; turn < 3; turn += 1) {
    await report();
    await server.turn();
    clock.moveS(5 * MINUTE);
  }
  await report();
  await server.turn();

  const repeated = await server.call("UpsertRack", { ...remembered, request_id: SECOND_ID });
  const notices = (await store.read(readNotices)).map(({ receiver, body: { type, subject, state }, deadAt }) =>
    [receiver, type, subject, state, deadAt].join(" "),
  );
  const windows = await server.call("ListWindows");
  const kept = {
    readings: await server.call("ListReadings", { include_days: true }),
    findings: await server.call("ListFindings"),
    windows: windows.windows.map(({ window: { code, state }, ...rest }: JsonObject & { window: JsonObject }) => ({
      code,
      state,
      ...rest,
    })),
    racks: await server.call("ListInventory", { kind: "INVENTORY_KIND_RACK" }),
    repeated: [repeated.outcome, first.outcome],
    notices,
  };
  await store.close();
  return kept;
}

for (const [name, open, share] of [
  ["SQLite", openTemporarySqlite, 1],
  ["PostgreSQL", openTemporaryPostgres, 0.2],
] as const) {
  test(`a clock that is set and set back changes nothing that is kept (${name})`, async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (one) => {
        const right = await run(open, { ...one, stepS: 0 });
        expect(await run(open, one)).toEqual(right);
      }),
      { numRuns: Math.max(2, Math.ceil((LAW_RUNS / 25) * share)) },
    );
  }, 600_000);
}
