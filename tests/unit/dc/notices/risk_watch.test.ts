import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { parseRef, type Ref } from "#dc/model/ref.ts";
import { isNoticeReceivedBy, type Receiver, RiskWatch } from "#dc/notices/risk_watch.ts";
import { IDLE_PEER } from "#dc/operations/answers/cooperative_scheduler.ts";
import { RISK_KINDS, readNotices } from "#dc/operations/notices/notice.ts";
import { ams1 } from "../../../support/dc/ams1.ts";
import { storeOf } from "../../../support/dc/ams1_inventory.ts";
import { type TestService, testService } from "../../../support/dc/service.ts";
import { SeededRandom } from "../../../support/seeded_random.ts";

const place = (text: string) => parseRef(text) as Ref;

const receiver = (name: string, given: Partial<Receiver>): Receiver => ({
  ...{ name, minSeverity: "INFO", kinds: new Set(RISK_KINDS), places: [] },
  ...given,
});

/** Reads all risks as the loops of a server do. */
async function readAll(watch: RiskWatch): Promise<void> {
  await watch.readChangedRisks();
  await watch.readRacksAtFault();
}

/** A watch whose clock runs far ahead with each look, so that none is skipped. */
function watching({ store, service }: TestService, receivers: readonly Receiver[]) {
  let uptime = 0;
  const clock = { now: () => new Date(Date.parse("2026-01-02T03:04:05Z") + uptime), uptime: () => uptime };
  const watch = new RiskWatch({ store, service, receivers, clock, newId: randomUUID, say: () => {} });
  return async () => {
    uptime += 3_600_000;
    await readAll(watch);
    const notices = await store.read(readNotices);
    return notices.map(
      ({ receiver: to, body: { type, subject, was, state } }) => `${to} ${type} ${subject} ${was}>${state}`,
    );
  };
}

test("RiskWatch makes notices of racks at fault, of causes and of verdicts that change, and of their end", async () => {
  const site = await testService({ store: await storeOf(ams1) });
  const window = { code: "MW-1", elementRefs: ["device:PDU-A01-B"] };
  const time = { startsAt: "2999-01-01T00:00:00Z", endsAt: "2999-01-01T02:00:00Z" };
  await site.call("UpsertWindow", { window: { ...window, ...time } });
  const look = watching(site, [receiver("all", {})]);
  expect(await look()).toEqual([]);

  await site.call("UpsertDevice", {
    device: { code: "PDU-A01-A", status: "DEVICE_STATUS_FAILED" },
    updateMask: "status",
  });
  const after = await look();
  expect(after).toContain("all rack.appeared rack:A01 >FAULT");
  expect(after.find((text) => text.includes(" window.changed "))).toStartWith("all window.changed window:MW-1 ");
  expect(after).toContain("all cause.changed cause:device:PDU-A01-B INFO>HIGH");
  expect(await look()).toEqual(after);

  await site.call("UpsertDevice", {
    device: { code: "PDU-A01-A", status: "DEVICE_STATUS_ACTIVE" },
    updateMask: "status",
  });
  expect(await look()).toContain("all rack.cleared rack:A01 FAULT>");
}, 240_000);

test("RiskWatch gives a receiver only its kinds, severities and places", async () => {
  const site = await testService({ store: await storeOf(ams1) });
  const look = watching(site, [
    receiver("racks", { kinds: new Set(["rack"]) }),
    receiver("critical", { minSeverity: "CRITICAL" }),
    receiver("here", { kinds: new Set(["rack"]), places: [place("site:OTHER"), place("zone:AMS1/1/Z-A")] }),
    receiver("there", { places: [place("room:AMS1/1/ELEC-Z"), place("rack:B01")] }),
  ]);
  await look();
  await site.call("UpsertDevice", {
    device: { code: "PDU-A01-A", status: "DEVICE_STATUS_FAILED" },
    updateMask: "status",
  });
  expect(await look()).toEqual(["racks rack.appeared rack:A01 >FAULT", "here rack.appeared rack:A01 >FAULT"]);
}, 240_000);

test("isNoticeReceivedBy finds every kind of element in the places of a receiver, and no place of another kind with the same name", async () => {
  const site = await testService({ store: await storeOf(ams1) });
  const topology = await site.service.getInventoryGraphs();
  const about = {
    type: "window.changed",
    subject: "window:W",
    severity: "HIGH",
    state: "",
    was: "",
    summary: "",
    at: "",
  };
  const isIn = (element: string, text: string) =>
    isNoticeReceivedBy(
      receiver("r", { places: [place(text)] }),
      { ...about, severity: "HIGH", elements: [element] },
      topology,
    );

  for (const element of ["rack:a01", "device:PDU-A01-A", "port:PDU-A01-A/x", "cable:PDU-A01-A/x~SWGR-A/y"]) {
    expect([element, isIn(element, "rack:A01"), isIn(element, "site:AMS1"), isIn(element, "rack:B01")]).toEqual([
      ...[element, true, true, false],
    ]);
  }
  expect(isIn("fabric_link:SRV-B01-1~PDU-A01-A", "rack:A01")).toBe(true);
  expect(isIn("zone:AMS1/1/A", "floor:AMS1/1")).toBe(true);
  expect(isIn("zone:AMS1/1/A", "zone:ams1/1/a")).toBe(true);
  expect(isIn("zone:AMS1/1/A", "room:AMS1/1/A")).toBe(false);
  expect(isIn("zone:AMS1/10/A", "floor:AMS1/1")).toBe(false);
}, 240_000);

test("RiskWatch makes notices of findings of readings, and of their end", async () => {
  const site = await testService({ store: await storeOf(ams1) });
  const look = watching(site, [receiver("ops", { kinds: new Set(["finding"]), places: [place("rack:A01")] })]);
  await look();
  const report = (elementRef: string, value: number, hour: number) => {
    const time = new Date(Date.parse("2026-01-02T00:00:00Z") + hour * 3_600_000).toISOString();
    return site.call("ReportReadings", {
      readings: [{ elementRef, quantity: "READING_QUANTITY_POWER_W", value, time }],
    });
  };
  await report("device:SRV-A01-01", 5000, 3);
  await report("device:SRV-B01-01", 5000, 3);
  const subject = "finding:ABOVE_PLAN device:SRV-A01-01";
  expect(await look()).toEqual([`ops finding.appeared ${subject} >WATCH`]);

  await report("device:SRV-A01-01", 100, 3.05);
  expect((await look()).at(-1)).toBe(`ops finding.cleared ${subject} WATCH>`);
}, 240_000);

test("RiskWatch rests after risks could not be written, as after a look that worked", async () => {
  const { service, store: whole } = await testService();
  let writes = 0;
  const write = () => {
    writes += 1;
    return Promise.reject(new Error("the disk is full"));
  };
  const store = { ...whole, read: whole.read.bind(whole), write } as typeof whole;
  const parts = { clock: { now: () => new Date(0), uptime: () => 0 }, newId: randomUUID, say: () => {} };
  const watch = new RiskWatch({ store, service, receivers: [receiver("all", {})], ...parts });

  await expect(watch.readChangedRisks()).rejects.toThrow("the disk is full");
  expect([await watch.readChangedRisks(), writes]).toEqual([0, 1]);
});

test("RiskWatch reads racks at fault every few seconds while the other risks rest", async () => {
  const site = await testService({ store: await storeOf(ams1) });
  let seconds = 0;
  const clock = { now: () => new Date("2026-01-02T03:04:05Z"), uptime: () => seconds * 1000 };
  const { store, service } = site;
  const receivers = [receiver("all", {})];
  const watch = new RiskWatch({ store, service, receivers, clock, newId: randomUUID, say: () => {} });
  const look = async () => {
    await readAll(watch);
    const notices = await store.read(readNotices);
    return notices.map(({ body: { type, subject } }) => `${type} ${subject}`);
  };
  const setStatus = (code: string, status: string) =>
    site.call("UpsertDevice", { device: { code, status: `DEVICE_STATUS_${status}` }, updateMask: "status" });
  await look();
  // The clock stands still while risks are read, so the rest after the first look has not ended.
  await setStatus("PDU-A01-A", "FAILED");
  expect(await look()).toEqual([]);

  seconds = 6;
  const first = await look();
  seconds = 12;
  await setStatus("PDU-A02-A", "FAILED");
  const second = await look();

  expect(first).toContain("rack.appeared rack:A01");
  expect(second).toContain("rack.appeared rack:A02");
}, 240_000);

test("RiskWatch reads racks at fault while the other risks are being read, and does not wait for other work", async () => {
  const { store, service, call } = await testService({ store: await storeOf(ams1) });
  let uptime = 0;
  const clock = { now: () => new Date("2026-01-02T03:04:05Z"), uptime: () => uptime };
  const { promise: busy, resolve: finish } = Promise.withResolvers<void>();
  const peers: unknown[] = [];
  const answer: typeof service.call = async (...given) => {
    const [{ method }, , caller] = given;
    if (uptime > 0 && method.name === "RehearseFailures") await busy;
    if (uptime > 0 && method.name === "ListInventory") peers.push(caller.peer);
    return service.call(...given);
  };
  const { passedTime } = service;
  const parts = { passedTime, getInventoryGraphs: () => service.getInventoryGraphs(), call: answer };
  const busyService = parts as unknown as typeof service;
  const receivers = [receiver("all", {})];
  const watch = new RiskWatch({ store, service: busyService, receivers, clock, newId: randomUUID, say: () => {} });
  await readAll(watch);
  uptime = 3_600_000;
  const device = { code: "PDU-A01-A", status: "DEVICE_STATUS_FAILED" };
  await call("UpsertDevice", { device, updateMask: "status" });

  const others = watch.readChangedRisks();
  await watch.readRacksAtFault();
  const first = await store.read(readNotices);
  finish();
  await others;
  const types = (await store.read(readNotices)).map(({ body }) => body.type);

  expect(first.map(({ body: { type, subject } }) => `${type} ${subject}`)).toContain("rack.appeared rack:A01");
  expect([types.includes("cause.changed"), types.includes("rack.cleared")]).toEqual([true, false]);
  expect(peers.length > 0 && !peers.includes(IDLE_PEER)).toBe(true);
}, 240_000);

/** Seconds within which a rack at fault is reported. */
const MAX_REPORT_S = 10;

async function listRacksAtFault({ call }: TestService): Promise<ReadonlySet<string>> {
  const conditions = [{ column: "health", values: ["FAULT"] }];
  const { rows = [] } = await call("ListInventory", { kind: "INVENTORY_KIND_RACK", conditions });
  return new Set(rows.map(({ ref }: { ref: string }) => ref));
}

/** Fails a PDU or takes it back, or changes what makes no rack fail. */
async function changeAnything({ call }: TestService, random: SeededRandom): Promise<void> {
  const status = `DEVICE_STATUS_${random.pick(["FAILED", "ACTIVE"])}`;
  const pdu = { code: `PDU-A0${1 + random.below(3)}-${random.pick(["A", "B"])}`, status };
  const server = { code: "SRV-A01-01", allocatedDrawW: 100 + random.below(100) };
  const isPdu = random.below(4) === 0;
  await call("UpsertDevice", { device: isPdu ? pdu : server, updateMask: isPdu ? "status" : "allocatedDrawW" });
}

test("RiskWatch reports every rack that goes to fault, or leaves it, within ten seconds while a device changes each second", async () => {
  const random = new SeededRandom(1);
  const site = await testService({ store: await storeOf(ams1) });
  let seconds = 0;
  const clock = { now: () => new Date("2026-01-02T03:04:05Z"), uptime: () => seconds * 1000 };
  const { store, service } = site;
  const receivers = [receiver("all", { kinds: new Set(["rack", "cause"]) })];
  const watch = new RiskWatch({ store, service, receivers, clock, newId: randomUUID, say: () => {} });
  await readAll(watch);
  let faults = await listRacksAtFault(site);
  const reported = new Set(faults);
  const changedAt = new Map<string, number>();
  const late: string[] = [];
  let changes = 0;
  for (seconds = 1; seconds <= 90; seconds++) {
    await changeAnything(site, random);
    const before = faults;
    faults = await listRacksAtFault(site);
    for (const ref of faults.symmetricDifference(before)) changedAt.set(ref, seconds);
    changes += faults.symmetricDifference(before).size;
    await readAll(watch);
    const notices = await store.read(readNotices);
    for (const { body } of notices) reported[body.state === "FAULT" ? "add" : "delete"](body.subject);
    const open = [...faults.symmetricDifference(reported)].filter((ref) => ref.startsWith("rack:"));
    late.push(...open.filter((ref) => seconds - (changedAt.get(ref) ?? 0) >= MAX_REPORT_S));
  }
  expect(late).toEqual([]);
  expect(changes).toBeGreaterThan(8);
}, 240_000);

test.each([10, 60, 24 * 60])(
  "RiskWatch does not pause for the %i minutes that a read waited",
  async (minutes) => {
    const { store: whole, service, call } = await testService({ store: await storeOf(ams1) });
    let uptime = 0;
    const clock = { now: () => new Date("2026-01-02T03:04:05Z"), uptime: () => uptime };
    // The write waits for its lock.
    const write: typeof whole.write = (work) => {
      uptime += minutes * 60_000;
      return whole.write(work);
    };
    const store = { ...whole, read: whole.read.bind(whole), write };
    const receivers = [receiver("all", {})];
    const watch = new RiskWatch({ store, service, receivers, clock, newId: randomUUID, say: () => {} });
    await readAll(watch);
    const device = { code: "PDU-A01-A", status: "DEVICE_STATUS_FAILED" };
    await call("UpsertDevice", { device, updateMask: "status" });
    uptime += 1000;
    await readAll(watch);

    // While it pauses, it reads racks alone.
    const types = (await whole.read(readNotices)).map(({ body }) => body.type);
    expect(types).toContain("cause.changed");
  },
  240_000,
);
