import { beforeAll, expect, test } from "bun:test";
import { create } from "@bufbuild/protobuf";
import { formatFacts, formatRows, readInventoryRows } from "#cli/dc/print_inventory.ts";
import { formatCauses, formatFindings } from "#cli/dc/rehearse.ts";
import { resolveRef, SCOPE_KINDS } from "#cli/dc/resolve_ref.ts";
import { rehearseFailures } from "#dc/operations/planning/rehearse_failures.ts";
import type { DcService } from "#dc/service.ts";
import { LoadBasis } from "#gen/datacenter/v1/datacenter_pb.ts";
import {
  FailureSeverity,
  RehearseFailuresRequestSchema,
  type RehearseFailuresResponse,
} from "#gen/datacenter/v1/rehearsal_pb.ts";
import { LIST_KINDS } from "#web/console/lists/list_kinds.ts";
import { ams1Store } from "../../../support/dc/ams1_inventory.ts";
import { testService } from "../../../support/dc/service.ts";

const EVERYTHING = { words: [], where: [], sort: undefined, limit: 60 };

let service: DcService;

beforeAll(async () => {
  ({ service } = await testService({ store: await ams1Store() }));
});

const tooLong = (text: string) => text.split("\n").filter((line) => line.length > 80);

test.each(LIST_KINDS.map((list) => [list.page, list] as const))(
  "the table of %s and what is known of one fit 80 columns",
  async (_, list) => {
    const { rows, columns } = await readInventoryRows(service, list, EVERYTHING);
    const table = formatRows(rows, list.columns, 80);

    expect(tooLong(table)).toEqual([]);
    expect(table.split("\n").length).toBeGreaterThanOrEqual(rows.length);
    for (const row of rows.slice(0, 3)) expect(tooLong(formatFacts(row, columns, 80))).toEqual([]);
  },
);

test("causesTable fits 80 columns, with the reason on a line of its own, and names what is of each and of all together", async () => {
  const request = create(RehearseFailuresRequestSchema, { cascade: true });
  const { causes } = (await service.call(rehearseFailures, request, {
    interface: "SYSTEM",
  })) as RehearseFailuresResponse;

  expect(tooLong(formatCauses(causes, 80))).toEqual([]);
  const lines = formatCauses(causes, undefined).split("\n");
  expect(lines[0]).toMatch(/^SEVERITY +CAUSE +RACKS DARK +DEVICES OFFLINE +IT LOAD$/);
  expect(lines[2]?.trim()).toBe("RPP-A-D alone: RPP-B-D trips at 109.4 %, and 10 racks go dark");
  for (const { elementCount, summary, reason, severity } of causes) {
    const isNamed = /^Each: |^\S+(?: with \S+)? alone: /.test(reason);
    expect([summary, summary.includes(": each ")]).toEqual([summary, elementCount > 1]);
    if (severity !== FailureSeverity.INFO) expect([reason, isNamed]).toEqual([reason, elementCount > 1]);
  }
});

test("findingsText lists what readings of the scope show and how many it leaves out, and is empty without a finding", async () => {
  const measured = await testService({ store: await ams1Store() });
  const rehearsed = async () => {
    const init = { scopeRef: "rack:B03", loadBasis: LoadBasis.MEASURED, maxElements: 1 };
    const request = create(RehearseFailuresRequestSchema, init);
    return (await measured.service.call(rehearseFailures, request, {
      interface: "SYSTEM",
    })) as RehearseFailuresResponse;
  };
  expect(formatFindings(await rehearsed(), 80)).toBe("");

  const readings = ["SRV-B03-06", "SRV-B03-07"].map((code, at) => ({
    element_ref: `device:${code}`,
    quantity: "READING_QUANTITY_POWER_W",
    value: 5000 + at,
  }));
  await measured.call("ReportReadings", { readings });
  const text = formatFindings(await rehearsed(), 80);

  expect(tooLong(text)).toEqual([]);
  expect(text).toMatch(
    /^\nSTATE +SHOWN BY READINGS +SINCE\nwatch +SRV-B03-06 draws 5 kW, planned are 380 W +\S+Z\n1 more: --elements\n$/,
  );
});

test("resolveRef takes a bare code or the end of a place, whatever its case, and leaves references as they are", async () => {
  const resolved = async (text: string, kinds: Parameters<typeof resolveRef>[2] = []) =>
    resolveRef(service, text, kinds);

  expect(await resolved("UPS-A2")).toBe("device:UPS-A2");
  expect(await resolved("ups-a2", ["SUPPLY", "DEVICE"])).toBe("device:UPS-A2");
  expect(await resolved("SRV-B03-07/eth0", ["PORT"])).toBe("port:SRV-B03-07/eth0");
  expect(await resolved("DH1", ["ROOM", "FLOOR"])).toBe("room:AMS1/1/DH1");
  expect(await resolved("D", SCOPE_KINDS)).toBe("row:AMS1/1/D");
  expect(await resolved("CRAH-A1")).toBe("crac:CRAH-A1");
  expect(await resolved("rack:nowhere")).toBe("rack:nowhere");
});

test("resolveRef refuses what nothing is called, and what is not of the kinds that are meant", async () => {
  await expect(resolveRef(service, "UPS-Z9", [])).rejects.toThrow('Nothing is called "UPS-Z9"');
  await expect(resolveRef(service, "UPS-A2", SCOPE_KINDS)).rejects.toThrow('Nothing is called "UPS-A2"');
});
