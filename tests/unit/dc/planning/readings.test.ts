import { describe, expect, test } from "bun:test";
import { smallSite } from "../../../support/dc/small_site.ts";

const power = (element_ref: string, value: unknown, more: object = {}) => ({
  element_ref,
  quantity: "READING_QUANTITY_POWER_W",
  value: value as number,
  ...more,
});

/** The field and the reason of each refused reading. */
// biome-ignore lint/suspicious/noExplicitAny: looks into a reply
const failuresOf = ({ failures = [] }: any): readonly (readonly [number, string, string])[] =>
  // biome-ignore lint/suspicious/noExplicitAny: looks into a reply
  failures.map(({ index = 0, error }: any) => [index, error.details[0].metadata.field, error.details[0].reason]);

describe("ReportReadings", () => {
  test("keeps the newest value of each quantity, and counts the others", async () => {
    const { call, clock } = await smallSite();
    const time = clock.now().toISOString();
    clock.moveS(60);

    const first = await call("ReportReadings", { readings: [power("device:srv-1", 410)], source: "snmp" });
    const again = await call("ReportReadings", {
      readings: [power("device:SRV-1", 300, { time }), power("device:SRV-1", 410), power("feed:FA", 900)],
      source: "snmp",
    });

    expect(first).toEqual({ kept: 1 });
    expect(again).toEqual({ kept: 1, not_newer: 2 });
    const { readings } = await call("ListReadings", { include_days: true });
    expect(readings).toEqual([
      {
        element_ref: "device:SRV-1",
        quantity: "READING_QUANTITY_POWER_W",
        value: 410,
        time: clock.now().toISOString().replace(".000", ""),
        source: "snmp",
        p95_30d: 410,
        max_30d: 410,
        days: [{ date: "2026-01-02", p95: 410, max: 410 }],
      },
      expect.objectContaining({ element_ref: "feed:FA", value: 900 }),
    ]);
  });

  test("refuses each wrong reading by itself, naming its field", async () => {
    const { call, clock } = await smallSite();
    const ahead = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString();

    const reply = await call("ReportReadings", {
      readings: [
        power("device:SRV-1", 1),
        power("device:SRV-1", -1),
        power("device:SRV-1", "NaN"),
        power("device:SRV-1", "Infinity"),
        power("device:SRV-1", 2, { time: ahead(301) }),
        power("device:SRV-1", 3, { time: ahead(299) }),
        power("device:GONE", 1),
        power("", 1),
        power("row:S1/1/A", 1),
        power("rack:R1", 1),
        { element_ref: "device:SRV-1", value: 4 },
        { element_ref: "device:SRV-1", quantity: "READING_QUANTITY_BATTERY_PCT", value: 101 },
        { element_ref: "feed:FA", quantity: "READING_QUANTITY_STATE", value: 0.5 },
        { element_ref: "feed:FA", quantity: "READING_QUANTITY_STATE" },
        { element_ref: "rack:R1", quantity: "READING_QUANTITY_INLET_C", value: -5 },
        power("device:SRV-1", Number.MAX_VALUE),
        power("device:SRV-1", 0xffffffff),
        power("device:SRV-1", null),
        { element_ref: "feed:FA", quantity: "READING_QUANTITY_STATE", value: 0 },
      ],
    });

    expect([reply.kept, reply.not_newer, reply.failed]).toEqual([4, undefined, 15]);
    expect(failuresOf(reply)).toEqual([
      [1, "readings[1].value", "FIELD_OUT_OF_RANGE"],
      [2, "readings[2].value", "FIELD_OUT_OF_RANGE"],
      [3, "readings[3].value", "FIELD_OUT_OF_RANGE"],
      [4, "readings[4].time", "FIELD_OUT_OF_RANGE"],
      [6, "readings[6].element_ref", "NOT_FOUND"],
      [7, "readings[7].element_ref", "REQUIRED_FIELD"],
      [8, "readings[8].element_ref", "INVALID_REF"],
      [9, "readings[9].element_ref", "INVALID_REF"],
      [10, "readings[10].quantity", "REQUIRED_FIELD"],
      [11, "readings[11].value", "FIELD_OUT_OF_RANGE"],
      [12, "readings[12].value", "FIELD_OUT_OF_RANGE"],
      [13, "readings[13].value", "REQUIRED_FIELD"],
      [15, "readings[15].value", "FIELD_OUT_OF_RANGE"],
      [16, "readings[16].value", "FIELD_OUT_OF_RANGE"],
      [17, "readings[17].value", "REQUIRED_FIELD"],
    ]);
  });

  test("refuses an empty and a too long report whole", async () => {
    const { call } = await smallSite();
    const many = Array.from({ length: 10_001 }, () => power("device:SRV-1", 1));

    await expect(call("ReportReadings", {})).rejects.toMatchObject({ reason: "REQUIRED_FIELD" });
    await expect(call("ReportReadings", { readings: many })).rejects.toMatchObject({ reason: "BATCH_TOO_LARGE" });
    await expect(call("ReportReadings", { readings: many.slice(0, 1), source: "x".repeat(129) })).rejects.toMatchObject(
      {
        reason: "FIELD_OUT_OF_RANGE",
      },
    );
  });

  for (const source of ["a\r\nb", "a\nb", "a\u0000b", "a\u0085b", "\t"]) {
    test(`refuses the source ${JSON.stringify(source)}, naming it`, async () => {
      const { call } = await smallSite();
      await expect(call("ReportReadings", { readings: [power("device:SRV-1", 1)], source })).rejects.toMatchObject({
        reason: "FIELD_OUT_OF_RANGE",
        message: expect.stringContaining(JSON.stringify(source)),
      });
    });
  }

  test("takes ten thousand readings and lists a thousand refused ones", async () => {
    const { call, store } = await smallSite();
    const before = await store.read(async (reader) => [await reader.revision(), await reader.chainHead()]);
    const readings = Array.from({ length: 10_000 }, (_, index) =>
      power(index % 2 === 0 ? "device:SRV-1" : "device:X", index),
    );

    const reply = await call("ReportReadings", { readings });

    expect([reply.kept, reply.failed, reply.failures.length]).toEqual([5000, 5000, 1000]);
    expect(await store.read(async (reader) => [await reader.revision(), await reader.chainHead()])).toEqual(before);
  });
});

describe("ListReadings", () => {
  test("filters by element and quantity, and pages join to the whole", async () => {
    const { call } = await smallSite();
    const elements = ["device:SRV-1", "device:PDU", "port:PDU/OUT1", "feed:FA"];
    await call("ReportReadings", {
      readings: elements.flatMap((ref) => [
        power(ref, 5),
        { ...power(ref, 6), quantity: "READING_QUANTITY_CURRENT_A" },
      ]),
    });

    const pages = [];
    let page_token = "";
    do {
      const reply = await call("ListReadings", { page_size: 3, page_token });
      pages.push(reply.readings);
      page_token = reply.next_page_token ?? "";
    } while (page_token !== "");

    expect(pages.map(({ length }) => length)).toEqual([3, 3, 2]);
    expect(pages.flat()).toEqual((await call("ListReadings", {})).readings);
    const some = await call("ListReadings", { element_refs: ["feed:fa"], quantities: ["READING_QUANTITY_CURRENT_A"] });
    expect(some.readings).toMatchObject([{ element_ref: "feed:FA", value: 6 }]);
    await expect(call("ListReadings", { element_refs: ["device:GONE"] })).rejects.toMatchObject({
      reason: "NOT_FOUND",
    });
  });

  test("answers anew after each report, though neither revision of the inventory differs", async () => {
    const { call } = await smallSite();
    const value = async () => (await call("ListReadings", {})).readings?.[0]?.value;
    const seen = [await value()];

    for (const watts of [1, 2, 3]) {
      await call("ReportReadings", { readings: [power("device:SRV-1", watts)], source: "a" });
      seen.push(await value(), await value());
    }

    expect(seen).toEqual([undefined, 1, 1, 2, 2, 3, 3]);
  });
});
