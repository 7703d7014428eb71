import { expect, test } from "bun:test";
import { create, type DescMethodUnary, type MessageInitShape } from "@bufbuild/protobuf";
import { allRpcs } from "#dc/operations/index.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { ReadingQuantity, type ReportReadingsResponse } from "#gen/datacenter/v1/readings_pb.ts";
import { smallSite } from "../../../support/dc/small_site.ts";

// JSON holds the years 1 to 9999. A binary message holds any number of seconds.

const { reportReadings, checkWindow, upsertWindow, listWindows } = PlanningService.method;
const elementRefs = ["device:SRV-1"];
const next = { seconds: 1_900_000_000n };

const FAR = [10n ** 12n, 10n ** 18n, 2n ** 63n - 1n, -(10n ** 12n), -(2n ** 63n)].map((seconds) => ({ seconds }));

async function binarySite() {
  const site = await smallSite();
  const ask = <Method extends DescMethodUnary>(method: Method, request: MessageInitShape<Method["input"]>) => {
    const rpc = allRpcs.find((one) => one.method.name === method.name);
    if (rpc === undefined) throw new Error(`There is no RPC "${method.name}"`);
    const principal = { name: "anna", roles: ["writer" as const], authMethod: "token" as const };
    return site.service.call(rpc, create(method.input, request), { interface: "GRPC", principal });
  };
  return { ...site, ask };
}

test("a moment that JSON cannot hold is refused, naming its field", async () => {
  const { ask, call } = await binarySite();
  for (const far of FAR) {
    for (const [field, asked] of [
      ["starts_at", () => ask(checkWindow, { elementRefs, startsAt: far, endsAt: next })],
      ["ends_at", () => ask(checkWindow, { elementRefs, endsAt: far })],
      ["starts_before", () => ask(listWindows, { startsBefore: far })],
      ["ends_after", () => ask(listWindows, { endsAfter: far })],
      [
        "window.starts_at",
        () => ask(upsertWindow, { window: { code: "W", elementRefs, startsAt: far, endsAt: next } }),
      ],
      ["window.ends_at", () => ask(upsertWindow, { window: { code: "W", elementRefs, startsAt: next, endsAt: far } })],
    ] as const) {
      await expect(asked()).rejects.toMatchObject({ reason: "FIELD_OUT_OF_RANGE", violations: [{ field }] });
    }
  }
  expect(await call("ListWindows")).toMatchObject({ time_zone: { name: "UTC" } });
});

test("a reading with such a moment is refused by itself", async () => {
  const { ask } = await binarySite();
  const reading = { elementRef: "device:SRV-1", quantity: ReadingQuantity.POWER_W, value: 1 };

  const reply = await ask(reportReadings, { readings: [...FAR.map((time) => ({ ...reading, time })), reading] });

  expect(reply as ReportReadingsResponse).toMatchObject({ kept: 1, failed: FAR.length });
});
