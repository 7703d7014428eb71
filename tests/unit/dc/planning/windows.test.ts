import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import type { DcStore } from "#dc/ports.ts";
import { ams1 } from "../../../support/dc/ams1.ts";
import { storeOf } from "../../../support/dc/ams1_inventory.ts";
import { START, type TestService, testService } from "../../../support/dc/service.ts";

// tests/laws/dc/stored_windows.test.ts compares verdicts with a plain model, after random changes.

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

const BEGIN = Date.parse(START) + 3_600_000;
/** A time some minutes after the begin of the first window. */
const at = (minutes: number) => new Date(BEGIN + minutes * 60_000).toISOString().replace(".000Z", "Z");

let store: DcStore;
let site: TestService;

beforeAll(async () => {
  store = await storeOf(ams1);
});

/** The same site without windows, at the first time again. */
beforeEach(async () => {
  site = await testService({ store });
  const { windows = [] }: Json = await site.call("ListWindows", { page_size: 1000 });
  for (const listed of windows) await site.call("DeleteWindow", { code: listed.window.code });
});

const window = (code: string, refs: readonly string[], span: readonly [number, number], more: JsonObject = {}) => ({
  code,
  element_refs: [...refs],
  starts_at: at(span[0]),
  ends_at: at(span[1]),
  ...more,
});

const put = (...given: Parameters<typeof window>): Promise<Json> =>
  site.call("UpsertWindow", { window: window(...given) });

const setState = (code: string, state: string): Promise<Json> =>
  site.call("UpsertWindow", { window: { code, state: `WINDOW_STATE_${state}` }, update_mask: "state" });

/** The verdict of a stored window as it is kept for the list, which is that of GetWindow. */
async function verdictOf(code: string): Promise<Json> {
  const { judgement } = await site.call("GetWindow", { code });
  const { windows }: Json = await site.call("ListWindows", { page_size: 1000 });
  const { verdict, impact, summary } = windows.find((listed: Json) => listed.window.code === code);
  expect([verdict, impact, summary]).toEqual([judgement.verdict, judgement.impact, judgement.summary]);
  return { ...judgement, verdict: verdict.slice("WINDOW_VERDICT_".length) };
}

const UPS: readonly string[] = ["device:UPS-B1"];
const PDU: readonly string[] = ["device:PDU-A05-A"];
const ACCEPTED = { accepted_refs: ["role:mgmt-switch"] };
const NO_SUPPLY: readonly string[] = ["device:GEN-A", "device:UTIL-A"];

describe("windows that are stored", () => {
  test("keep an element once that is named twice, and refuse others by their place in the request", async () => {
    const refs = ["device:UPS-B1", "device:ups-b1", "rack:A05", "device:UPS-B1"];
    expect((await put("MW-2", refs, [0, 120])).window.element_refs).toEqual(["device:UPS-B1", "rack:A05"]);
    expect((await put("MW-2", refs, [0, 120])).outcome).toBe("OUTCOME_UNCHANGED");
    expect((await put("MW-2", refs, [0, 120], { title: "Fan" })).window.sequence).toBeUndefined();
    const violations = [{ field: "window.element_refs[4]" }];
    await expect(put("MW-3", [...refs, "device:NONE"], [0, 120])).rejects.toMatchObject({ violations });
  });

  test("are read, listed, changed and removed, with version, sequence and history", async () => {
    const { window: made, outcome } = await put("MW-1", UPS, [0, 120], { title: "Fan", owner: "anna" });
    expect(outcome).toBe("OUTCOME_CREATED");
    expect(made).toMatchObject({ code: "MW-1", state: "WINDOW_STATE_PLANNED", starts_at: at(0), owner: "anna" });
    expect((await put("MW-1", UPS, [0, 120], { title: "Fan", owner: "anna" })).outcome).toBe("OUTCOME_UNCHANGED");
    expect((await put("MW-1", UPS, [0, 120], { notes: "Bring a ladder" })).window.sequence).toBeUndefined();
    const { window: moved } = await put("MW-1", UPS, [0, 180]);
    expect(moved).toMatchObject({ sequence: 1, title: "Fan", ends_at: at(180) });
    await expect(
      site.call("UpsertWindow", { window: window("mw-1", UPS, [0, 180]), etag: made.etag }),
    ).rejects.toMatchObject({ reason: "ETAG_MISMATCH" });

    expect((await site.call("GetWindow", { code: "mw-1" })).window).toEqual(moved);
    const history = await site.store.read((reader) =>
      reader.history({ entity: "window:mw-1", descending: false, limit: 10 }),
    );
    expect(history.map(({ action, changedFields }) => [action, changedFields.includes("ends_at")])).toEqual([
      ["CREATE", true],
      ["UPDATE", false],
      ["UPDATE", true],
    ]);

    expect(await site.call("DeleteWindow", { code: "MW-1" })).toEqual({ ref: "window:MW-1", deleted: true });
    expect((await site.call("ListWindows", {})).windows).toBeUndefined();
    await expect(site.call("DeleteWindow", { code: "MW-1" })).rejects.toMatchObject({ reason: "NOT_FOUND" });
    expect(await site.call("DeleteWindow", { code: "MW-1", allow_missing: true })).toEqual({ ref: "window:MW-1" });
  });

  test("are only tried with validate_only, and are made once for one request_id", async () => {
    const request = { window: window("MW-1", UPS, [0, 120]) };
    await site.call("UpsertWindow", { ...request, validate_only: true });
    expect((await site.call("ListWindows", {})).windows).toBeUndefined();
    const once = { ...request, request_id: "6f1c2c36-9f0c-4f5e-8f52-0a8f3c1c9b11" };
    expect(await site.call("UpsertWindow", once)).toEqual(await site.call("UpsertWindow", once));
  });

  test("are found by time, element, state and verdict, page by page", async () => {
    await put("C", ["device:PDU-A01-B"], [0, 60]);
    await put("A", ["rack:A05"], [0, 60]);
    await put("B", ["device:UPS-A1"], [200, 260]);
    const codes = async (request: JsonObject) =>
      ((await site.call("ListWindows", request)).windows ?? []).map((listed: Json) => listed.window.code);
    expect(await codes({})).toEqual(["A", "C", "B"]);
    expect(await codes({ starts_before: at(200) })).toEqual(["A", "C"]);
    expect(await codes({ ends_after: at(60) })).toEqual(["B"]);
    expect(await codes({ element_ref: "device:PDU-A05-A" })).toEqual(["A"]);
    expect(await codes({ verdicts: ["WINDOW_VERDICT_NO_GO"] })).toEqual(["B"]);
    expect(await codes({ verdicts: ["WINDOW_VERDICT_GO"], states: ["WINDOW_STATE_PLANNED"] })).toEqual(["A", "C"]);
    await setState("C", "CANCELLED");
    expect(await codes({ states: ["WINDOW_STATE_CANCELLED"] })).toEqual(["C"]);
    const first: Json = await site.call("ListWindows", { page_size: 2 });
    expect([first.windows.length, first.total_count]).toEqual([2, 3]);
    expect(await codes({ page_size: 2, page_token: first.next_page_token })).toEqual(["B"]);
    await expect(codes({ page_token: first.next_page_token, starts_before: at(9) })).rejects.toMatchObject({
      reason: "PAGE_TOKEN_INVALID",
    });
  });
});

test("replies as during a window are refused for no window, and for one that is over", async () => {
  await put("MW-1", UPS, [0, 120]);
  await setState("MW-1", "CANCELLED");
  for (const [during_window, reason] of [
    ["MW-1", "FIELD_CONFLICT"],
    ["NONE", "NOT_FOUND"],
  ] as const) {
    const violations = [expect.objectContaining({ field: "during_window" })];
    const asked = site.call("GetRack", { code: "A05", during_window });
    await expect(asked).rejects.toMatchObject({ reason, violations });
  }
});

describe("states of a window", () => {
  test("follow each other, not before its time, and can be taken back", async () => {
    await put("MW-1", UPS, [0, 120]);
    const refused = async (state: string) => {
      await expect(setState("MW-1", state)).rejects.toMatchObject({ reason: "FIELD_CONFLICT" });
    };
    for (const state of ["BEGUN", "DONE"]) await refused(state);
    site.clock.moveS(3600);
    for (const state of ["BEGUN", "PLANNED", "CANCELLED", "PLANNED", "DONE", "BEGUN", "DONE"]) {
      await setState("MW-1", state);
    }
    await refused("CANCELLED");
    await expect(put("MW-1", PDU, [0, 120])).rejects.toMatchObject({ reason: "FIELD_CONFLICT" });
    expect((await put("MW-1", UPS, [0, 120], { notes: "Done in an hour" })).outcome).toBe("OUTCOME_UPDATED");
    await expect(put("MW-2", UPS, [0, 120], { state: "WINDOW_STATE_DONE" })).rejects.toMatchObject({
      reason: "FIELD_CONFLICT",
    });
    expect((await site.call("GetWindow", { code: "MW-1" })).judgement).toBeUndefined();
  });

  test("let a window that ended count until it is done", async () => {
    await put("LATE", UPS, [0, 120]);
    await put("MW-1", PDU, [600, 660], ACCEPTED);
    expect((await verdictOf("MW-1")).verdict).toBe("GO");
    site.clock.moveS(4 * 3600);
    expect((await site.call("GetWindow", { code: "LATE" })).overdue).toBe(true);
    expect(await verdictOf("MW-1")).toMatchObject({ verdict: "NO_GO", blocking_windows: ["LATE"] });
    await expect(put("LATE", UPS, [0, 180])).rejects.toMatchObject({ reason: "FIELD_OUT_OF_RANGE" });
    await setState("LATE", "DONE");
    expect((await verdictOf("MW-1")).verdict).toBe("GO");
  });
});

describe("the verdict beside other windows", () => {
  test("is that of the worst piece, and names each window without which it is better", async () => {
    await put("UPS", UPS, [60, 180]);
    await put("RACK", ["rack:D05"], [60, 180]);
    await put("MW-1", PDU, [0, 120], ACCEPTED);
    const judged = await verdictOf("MW-1");
    expect(judged).toMatchObject({ verdict: "NO_GO", blocking_windows: ["UPS"] });
    const pieces = judged.pieces.map(({ starts_at, ends_at, window_codes = [], verdict }: Json) => [
      starts_at,
      ends_at,
      [...window_codes].sort(),
      verdict,
    ]);
    expect(pieces).toEqual([
      [at(0), at(60), [], "WINDOW_VERDICT_GO"],
      [at(60), at(120), ["RACK", "UPS"], "WINDOW_VERDICT_NO_GO"],
    ]);

    const asked = { element_refs: [...PDU], starts_at: at(0), ends_at: at(120), ...ACCEPTED };
    const check = async (more: JsonObject) => (await site.call("CheckWindow", { ...asked, ...more })).verdict;
    expect(await check({ except_code: "mw-1" })).toBe("WINDOW_VERDICT_NO_GO");
    expect(await check({ ignore_stored: true })).toBe("WINDOW_VERDICT_GO");
    await setState("UPS", "CANCELLED");
    expect(await check({})).toBe("WINDOW_VERDICT_GO");
    expect((await verdictOf("MW-1")).verdict).toBe("GO");
  });

  test("counts a battery over windows that follow each other without a gap", async () => {
    await put("FIRST", NO_SUPPLY, [0, 6]);
    expect((await verdictOf("FIRST")).verdict).toBe("GO_WITH_RISK");
    await put("NEXT", NO_SUPPLY, [6, 12]);
    expect(await verdictOf("FIRST")).toMatchObject({ verdict: "NO_GO", blocking_windows: ["NEXT"] });
    expect(await verdictOf("NEXT")).toMatchObject({ verdict: "NO_GO", blocking_windows: ["FIRST"] });
    await put("NEXT", NO_SUPPLY, [7, 13]);
    expect((await verdictOf("FIRST")).verdict).toBe("GO_WITH_RISK");
  });

  test("is unknown, with the name, when an element is removed", async () => {
    await put("MW-1", ["device:PDU-A01-B", "device:SRV-A05-01"], [0, 120]);
    await site.call("DeleteDevice", { code: "SRV-A05-01", cascade: true });
    const judged = await verdictOf("MW-1");
    expect([judged.verdict, judged.summary]).toEqual([
      "UNKNOWN",
      "Unknown: SRV-A05-01 is not in the inventory any more",
    ]);
    expect((await put("MW-1", ["device:PDU-A01-B", "device:SRV-A05-01"], [0, 120], { notes: "?" })).outcome).toBe(
      "OUTCOME_UPDATED",
    );
    await put("ALONE", ["rack:A01"], [0, 120]);
    await put("ALONE", ["device:SRV-A06-01"], [0, 120]);
    await site.call("DeleteDevice", { code: "SRV-A06-01", cascade: true });
    expect(await verdictOf("ALONE")).toMatchObject({ verdict: "UNKNOWN" });
  });
});

describe("texts about a window", () => {
  const label = (code: string, labels: JsonObject) =>
    site.call("UpsertRack", { rack: { code, labels }, update_mask: "labels" });

  test("are a run sheet and a notice for each contact, in the zone that the racks name", async () => {
    await label("A05", { tenant: "blue", contact: "ops@blue.example" });
    await label("A01", { time_zone: "Europe/Amsterdam" });
    const more = { title: "Replace\nit", owner: "anna", ...ACCEPTED, notes: "Bring a ladder\nand a lamp" };
    await put("MW-1", PDU, [0, 120], more);
    await put("MW-2", UPS, [0, 120]);
    const { sheet, notices, time_zone, judgement }: Json = await site.call("GetWindow", {
      code: "MW-1",
      max_items: 1000,
    });
    expect(time_zone).toEqual({ name: "Europe/Amsterdam" });
    expect(sheet.map(({ title }: Json) => title)).toEqual([
      "Work",
      "Before it begins",
      "What goes off",
      "Whom to tell",
      "Steps",
      "If one more element fails",
      "How to come back",
    ]);
    const lines = sheet.flatMap((section: Json) => section.lines);
    for (const line of [
      "MW-1: Replace it",
      "Out: PDU-A05-A",
      "Done by: anna",
      "and a lamp",
      "Window MW-2 is open at the same time",
      "No go because of window MW-2: move or cancel one of both",
      "Accepted to be lost: mgmt-switch",
      "Rack A05 goes dark",
      "Take PDU-A05-A out of service",
      "Put PDU-A05-A back into service",
    ])
      expect(lines).toContain(line);
    expect(lines.every((line: string) => !line.includes("\n"))).toBe(true);
    const local = new Date(BEGIN).toLocaleString("sv-SE", { timeZone: "Europe/Amsterdam" }).slice(0, 16);
    expect(lines.find((line: string) => line.startsWith("Time: "))).toStartWith(`Time: ${local} to `);

    expect(notices.length).toBe(judgement.contacts.length);
    const { lost } = judgement.contacts.find(({ contact }: Json) => contact === "ops@blue.example");
    const { subject, text } = notices.find(({ contact }: Json) => contact === "ops@blue.example");
    expect(subject).toStartWith(`Maintenance MW-1: Replace it, ${local} to `);
    expect(lost).toContain("SRV-A05-02");
    for (const code of lost) expect(text).toContain(`\n  ${code}\n`);
    expect(text).toContain("\nAsk about it: window MW-1, anna\n");
    const whole = notices.map((notice: Json) => notice.text).join("");
    const named = judgement.contacts.flatMap((contact: Json) => [...(contact.lost ?? []), ...(contact.reserve ?? [])]);
    for (const code of named) expect(whole).toContain(`  ${code}\n`);

    await setState("MW-1", "CANCELLED");
    const closed: Json = await site.call("GetWindow", { code: "MW-1" });
    expect([closed.sheet, closed.notices]).toEqual([undefined, undefined]);
    await label("A05", {});
    await label("A01", {});
  });

  test("state times in UTC, and why, unless the racks name one zone", async () => {
    const zone = async () => ((await site.call("ListWindows", {})) as Json).time_zone;
    expect(await zone()).toEqual({ name: "UTC", note: "no rack has the label time_zone" });
    await label("A01", { time_zone: "Mars/Olympus" });
    expect(await zone()).toEqual({
      name: "UTC",
      note: 'the label time_zone of rack A01 is "Mars/Olympus", which is no IANA name',
    });
    await label("A01", { time_zone: "Europe/Amsterdam" });
    await label("A02", { time_zone: "America/New_York" });
    expect(await zone()).toEqual({
      name: "UTC",
      note: "racks have different labels time_zone: America/New_York, Europe/Amsterdam",
      ambiguous: true,
    });
    for (const code of ["A01", "A02"]) await label(code, {});
  });
});

describe("bad input names the field", () => {
  const cases: readonly (readonly [string, JsonObject, string])[] = [
    ["no code", { ...window("", UPS, [0, 60]) }, "window.code"],
    ["no element", window("W", [], [0, 60]), "window.element_refs"],
    ["too many elements", window("W", Array(201).fill("rack:A01"), [0, 60]), "window.element_refs"],
    ["an unknown element", window("W", ["rack:A01", "device:NONE"], [0, 60]), "window.element_refs[1]"],
    ["an unknown row", window("W", ["row:AMS1/1/Z"], [0, 60]), "window.element_refs[0]"],
    ["another kind", window("W", ["fabric:F"], [0, 60]), "window.element_refs[0]"],
    ["an unknown role", window("W", UPS, [0, 60], { accepted_refs: ["role:none"] }), "window.accepted_refs[0]"],
    ["an end before the start", window("W", UPS, [60, 0]), "window.ends_at"],
    ["more than 90 days", window("W", UPS, [0, 90 * 24 * 60 + 1]), "window.ends_at"],
    ["a window that is over", window("W", UPS, [-180, -120]), "window.ends_at"],
    ["a long title", window("W", UPS, [0, 60], { title: "x".repeat(129) }), "window.title"],
  ];
  for (const [what, given, field] of cases) {
    test(what, async () => {
      await expect(site.call("UpsertWindow", { window: given })).rejects.toMatchObject({
        violations: [expect.objectContaining({ field })],
      });
    });
  }

  test("places, feeds, ports and links are elements", async () => {
    const { device: server }: Json = await site.call("GetDevice", { code: "SRV-A01-01" });
    const [feed, cable, link] = ["SUPPLY", "CABLE", "FABRIC_LINK"].map(async (kind) => {
      const { rows }: Json = await site.call("ListInventory", { kind: `INVENTORY_KIND_${kind}`, page_size: 1 });
      return rows?.[0]?.ref as string | undefined;
    });
    const places = ["site:AMS1", "floor:AMS1/1", "row:AMS1/1/A", "crac:CRAH-A1"];
    const named = [...places, `port:SRV-A01-01/${server.ports[0].name}`, await feed, await cable, await link];
    for (const ref of named.flatMap((one) => one ?? [])) {
      const { outcome } = await put("W", [ref], [0, 60]);
      expect([ref, outcome]).toEqual([ref, ref === "site:AMS1" ? "OUTCOME_CREATED" : "OUTCOME_UPDATED"]);
    }
  });
});
