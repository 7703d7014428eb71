import { beforeAll, describe, expect, test } from "bun:test";
import { ams1Store } from "../../../support/dc/ams1_inventory.ts";
import { START, type TestService, testService } from "../../../support/dc/service.ts";

// tests/laws/dc/windows.test.ts compares losses and further failures with PowerBlastRadius, asked one by one.

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

const MINUTE = 60_000;
const BEGIN = Date.parse(START) + 60 * MINUTE;
const at = (minutes: number) => new Date(BEGIN + minutes * MINUTE).toISOString();

let site: TestService;

beforeAll(async () => {
  site = await testService({ store: await ams1Store() });
});

const check = (element_refs: readonly string[], minutes = 120, more: object = {}): Promise<Json> =>
  site.call("CheckWindow", { element_refs: [...element_refs], starts_at: at(0), ends_at: at(minutes), ...more });

const device = (...codes: readonly string[]) => codes.map((code) => `device:${code}`);

/** Verdict, impact, and the kind and element of the first reason. */
function inShort({ verdict, impact, reasons: [first] = [] }: Json): string {
  const reason = first === undefined ? "" : ` ${first.kind.slice("WINDOW_REASON_KIND_".length)} ${first.ref}`;
  return `${verdict.slice("WINDOW_VERDICT_".length)} ${impact.slice("WINDOW_IMPACT_".length)}${reason}`;
}

describe("windows of the sample site", () => {
  const ACCEPTED = { accepted_refs: ["role:mgmt-switch"] };
  const CRAH = "crac:CRAH-A1";
  const UPLINKS = "GO_WITH_RISK OUTAGE UPLINK_OVER_LIMIT device:LEAF-D04-1";
  const cases: readonly (readonly [readonly string[], number, object, string])[] = [
    [device("PDU-A01-B"), 120, {}, "GO REDUCED_REDUNDANCY RESERVE_USED rack:A01"],
    [device("PDU-A01-A"), 120, {}, "NO_GO OUTAGE DEVICE_LOST device:MGMT-A01"],
    [device("PDU-A01-A"), 120, ACCEPTED, "GO OUTAGE DEVICE_LOST device:MGMT-A01"],
    [device("UPS-B1"), 480, {}, "GO_WITH_RISK REDUCED_REDUNDANCY NEXT_FAILURE device:ATS-A"],
    [device("UPS-A1"), 120, {}, "NO_GO OUTAGE RACK_LOST rack:A08"],
    [device("UPS-B2"), 120, {}, "NO_GO OUTAGE TRIP device:RPP-A-D"],
    [[CRAH], 120, {}, "NO_GO OUTAGE COOLING_SHORT row:AMS1/1/A"],
    [[CRAH], 120, { accepted_refs: ["row:AMS1/1/A"] }, "GO OUTAGE COOLING_SHORT row:AMS1/1/A"],
    [[CRAH, "rack:A01", "rack:A02", "rack:A03"], 120, {}, "GO OUTAGE"],
    [device("LEAF-A01-1"), 120, {}, "GO OUTAGE"],
    [device("SPINE-D09-1"), 120, {}, UPLINKS],
    [device("GEN-A"), 120, {}, "GO_WITH_RISK REDUCED_REDUNDANCY NEXT_FAILURE device:UTIL-A"],
    [device("UTIL-A"), 120, {}, "GO_WITH_RISK REDUCED_REDUNDANCY NEXT_FAILURE device:GEN-A"],
    [device("GEN-A", "UTIL-A"), 9, {}, "GO_WITH_RISK DEGRADED ON_BATTERY device:UPS-A1"],
    [device("GEN-A", "UTIL-A"), 11, {}, "NO_GO OUTAGE TRIP device:RPP-B-D"],
    [device("PP-A01-1"), 120, {}, "NO_GO OUTAGE SWITCH_CUT_OFF device:LEAF-A01-1"],
    [["rack:A05"], 120, {}, "GO OUTAGE"],
    [device("PDU-A05-A"), 120, ACCEPTED, "GO OUTAGE DEVICE_LOST device:MGMT-A05"],
    [device("UPS-B1", "PDU-A05-A"), 120, ACCEPTED, "NO_GO OUTAGE RACK_LOST rack:A05"],
    [["row:AMS1/1/A"], 120, {}, "GO OUTAGE"],
  ];
  for (const [refs, minutes, more, expected] of cases) {
    test(`${refs.join(" ")} for ${minutes} minutes: ${expected}`, async () => {
      expect(inShort(await check(refs, minutes, more))).toBe(expected);
    });
  }
});

test("a reason has its figures, and a trip names the racks whose load ends it", async () => {
  const { reasons, relieved_by, summary } = await check(device("UPS-B2"));
  const [trip] = reasons;
  expect(trip).toMatchObject({ verdict: "WINDOW_VERDICT_NO_GO", during: expect.closeTo(109.5, 1), limit: 100 });
  expect(summary).toBe("No go: RPP-A-D trips at 109.5 % of its capacity");
  expect(relieved_by).toContain("rack:D01");
  const relieved = await check([...device("UPS-B2"), "rack:D01"]);
  expect(relieved.verdict).not.toBe("WINDOW_VERDICT_NO_GO");

  const [shortage] = (await check(["crac:CRAH-A1"])).reasons;
  expect([shortage.during, shortage.limit]).toEqual([77, 54]);
  const [uplinks] = (await check(device("SPINE-D09-1"))).reasons;
  expect([uplinks.during, uplinks.limit]).toEqual([expect.closeTo(84.3, 1), 80]);
});

test("devices that cannot be reached are lost, whether by switches, panels or cables", async () => {
  const unreachable = async (refs: readonly string[]) => {
    const { reasons = [] } = await check(refs, 120, { max_items: 1000 });
    const found = reasons.filter(({ kind }: Json) => kind === "WINDOW_REASON_KIND_DATA_PATH_LOST");
    return found.map(({ ref }: Json) => ref);
  };
  const servers = await unreachable(device("LEAF-A01-1", "LEAF-A01-2"));
  expect(servers.length).toBe(20);
  expect(servers).toContain("device:SRV-A01-01");
  expect(await unreachable(device("PP-A01-1"))).toEqual(servers);
  expect(await unreachable(device("LEAF-A01-1"))).toEqual([]);

  const { device: server } = await site.call("GetDevice", { code: "SRV-A01-01" });
  const ports = server.ports.filter(({ kind }: Json) => kind === "PORT_KIND_NETWORK");
  const all = ports.map(({ name }: Json) => `port:SRV-A01-01/${name}`);
  expect(await unreachable(all)).toEqual(["device:SRV-A01-01"]);
  expect(await unreachable(all.slice(1))).toEqual([]);
});

test("what one more failure takes is listed, and is a risk above the limit", async () => {
  const usual = await check(device("PDU-A01-B"));
  expect(usual.exposed_racks).toBe(1);
  expect(usual.next_failures).toContainEqual({
    ref: "device:PDU-A01-A",
    summary: "If PDU-A01-A fails as well: 1 rack goes dark",
    racks: 1,
    racks_dark: ["A01"],
    devices_lost: expect.arrayContaining(["SRV-A01-01"]),
  });
  const strict = await check(device("PDU-A01-B"), 120, { exposed_racks: 0 });
  expect([strict.verdict, strict.reasons[0].kind]).toEqual([
    "WINDOW_VERDICT_GO_WITH_RISK",
    "WINDOW_REASON_KIND_NEXT_FAILURE",
  ]);
});

test("owners of what is lost or on its last supply are listed once", async () => {
  const service = await testService({ store: await ams1Store() });
  const owner = { tenant: "shop", labels: { contact: "ops@example.org" } };
  const mask = { update_mask: "tenant,labels" };
  await service.call("UpsertRack", { rack: { code: "A01", ...owner }, ...mask });
  const reply: Json = await service.call("CheckWindow", {
    element_refs: ["device:PDU-A01-A"],
    starts_at: at(0),
    ends_at: at(60),
  });
  expect(reply.contacts).toEqual([
    {
      tenant: "shop",
      contact: "ops@example.org",
      lost_count: 1,
      reserve_count: 22,
      lost: ["MGMT-A01"],
      reserve: expect.arrayContaining(["SRV-A01-01"]),
    },
  ]);
});

test("an element that is out already adds nothing", async () => {
  const twice = await check(device("PDU-A01-B", "PDU-A01-B"));
  expect(twice).toEqual(await check(device("PDU-A01-B")));
});

describe("bad input names the field, the value and what is expected", () => {
  const cases: readonly (readonly [string, object, string])[] = [
    ["no element", { element_refs: [] }, "element_refs"],
    ["too many elements", { element_refs: Array.from({ length: 201 }, () => "device:UPS-A1") }, "element_refs"],
    ["an unknown element", { element_refs: ["device:NONE"] }, "element_refs[0]"],
    ["no reference", { element_refs: ["device:UPS-A1", "UPS-A1"] }, "element_refs[1]"],
    ["another kind", { element_refs: ["fabric:F"] }, "element_refs[0]"],
    ["an end before the start", { ends_at: at(-1) }, "ends_at"],
    ["an end at the start", { ends_at: at(0) }, "ends_at"],
    ["no end", { ends_at: undefined }, "ends_at"],
    ["more than 90 days", { ends_at: at(90 * 24 * 60 + 1) }, "ends_at"],
    ["a window that is over", { starts_at: at(-180), ends_at: at(-120) }, "ends_at"],
    ["an unknown accepted device", { accepted_refs: ["device:NONE"] }, "accepted_refs[0]"],
    ["an accepted role that no device has", { accepted_refs: ["role:none"] }, "accepted_refs[0]"],
    ["an accepted port", { accepted_refs: ["port:UPS-A1/OUT"] }, "accepted_refs[0]"],
    ["a negative limit of racks", { exposed_racks: -1 }, "exposed_racks"],
    ["a negative number of items", { max_items: -1 }, "max_items"],
  ];
  for (const [name, more, field] of cases) {
    test(name, async () => {
      const request = { element_refs: ["device:UPS-A1"], starts_at: at(0), ends_at: at(60), ...more };
      const call = site.call("CheckWindow", JSON.parse(JSON.stringify(request)));
      const failed = await call.then(
        () => undefined,
        (error: { violations?: readonly { field: string }[] }) => error.violations?.[0]?.field,
      );
      expect(failed).toBe(field);
    });
  }
});
