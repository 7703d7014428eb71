import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { testService } from "../../../support/dc/service.ts";

/** The rack may draw 1,000 W and lose 800 W of heat to the air. */
const RACK = {
  rack: {
    code: "R",
    tenant: "acme",
    location: { site_id: "S", floor_number: 1 },
    power_capacity_w: 1000,
    cooling_capacity_w: 800,
  },
};

const inlets = (...draws: JsonObject[]) => ({
  ports: draws.map((power_in, at) => ({ name: `psu${at}`, kind: "PORT_KIND_POWER_IN", power_in })),
});
const allocated = (watts: number) => ({ allocated_draw_w: watts });
const most = (watts: number) => ({ max_draw_w: watts });
const off = { ports: [{ name: "p", kind: "PORT_KIND_POWER_IN", enabled: false, power_in: allocated(900) }] };

/** Devices in the rack before, the device that is written, and the figures of the warnings for power and for heat. */
type Row = readonly [what: string, others: JsonObject[], own: JsonObject, powerW?: number | undefined, heatW?: number];

const ROWS: readonly Row[] = [
  ["nothing recorded anywhere", [{}, {}], {}],
  ["own draws within both limits", [allocated(300)], allocated(400)],
  ["own draws at the limit of power", [{ ...allocated(600), heat_w: 0 }], { ...allocated(400), heat_w: 0 }],
  ["inlets within both limits", [inlets(allocated(200), allocated(200))], inlets(allocated(400))],
  ["inlets of disabled ports", [off, off], inlets(allocated(10))],
  ["inlets of a rack PDU, which pass power on", [{ ...inlets(allocated(3000)), kind: "DEVICE_KIND_RACK_PDU" }], {}],
  ["an own draw of 0 before larger inlets", [{ ...allocated(0), ...inlets(allocated(5000)) }], allocated(10)],
  ["own draws above both", [allocated(600)], allocated(500), 1100, 1100],
  ["the other's inlets", [inlets(allocated(450), allocated(450))], allocated(200), 1100, 1100],
  ["its own inlets", [allocated(200)], inlets(allocated(450), allocated(451)), 1101, 1101],
  ["inlets of both", [inlets(allocated(700))], inlets(allocated(400)), 1100, 1100],
  ["inlets' maximum draws where none is allocated", [inlets(most(600), most(500))], {}, 1100, 1100],
  [
    "allocated draws before maximum draws",
    [inlets({ ...allocated(450), ...most(2000) })],
    inlets(allocated(400)),
    undefined,
    850,
  ],
  ["an own maximum draw before the inlets'", [{ ...most(900), ...inlets(most(5000)) }], {}, undefined, 900],
  ["inlets and a recorded heat", [{ ...inlets(allocated(1200)), heat_w: 100 }], {}, 1200],
  [
    "inlets of a liquid-cooled device",
    [{ ...inlets(allocated(1200)), cooling_method: "COOLING_METHOD_LIQUID" }],
    {},
    1200,
  ],
  [
    "inlets of three others",
    [200, 300, 400].map((watts) => inlets(allocated(watts))),
    inlets(allocated(101)),
    1001,
    1001,
  ],
];

type Call = Awaited<ReturnType<typeof testService>>["call"];

async function listWarnings(call: Call, [, others, own]: Row) {
  const device = (code: string, fields: JsonObject) => ({
    device: { code, kind: "DEVICE_KIND_SERVER", role: "compute", rack_code: "R", mount: "MOUNT_SHELF", ...fields },
  });
  const figures = (warnings: JsonObject[]) =>
    (["RACK_POWER_EXCEEDED", "RACK_COOLING_EXCEEDED"] as const).map((reason) => {
      const value = warnings.find((one) => one["code"] === reason)?.["value"];
      return value === undefined ? undefined : Number(value);
    });
  const before = [RACK, ...others.map((fields, at) => device(`D${at}`, fields))];
  const draft = await call("PreviewChanges", { changes: [...before, device("OWN", own)] });
  for (const change of before) await call("ApplyChanges", { changes: [change] });
  const tried = await call("UpsertDevice", { ...device("OWN", own), validate_only: true });
  const written = await call("UpsertDevice", device("OWN", own));
  const again = await call("UpsertDevice", device("OWN", { name: "again" }));
  return [draft.results.at(-1).warnings, tried.warnings, written.warnings, again.warnings].map((list) =>
    figures(list ?? []),
  );
}

describe("a write warns of a rack's limits by the draws that its devices record, those of inlets included", () => {
  test.each(ROWS)("%s", async (...row) => {
    const [what, others, own, powerW, heatW] = row as unknown as Row;
    const { call, store } = await testService();

    const found = await listWarnings(call, [what, others, own]);

    expect(found).toEqual(Array(4).fill([powerW, heatW]));
    const { capacity } = await call("GetRack", { code: "R" });
    if (powerW !== undefined) expect(capacity.allocated_w).toBe(powerW);
    expect(capacity.devices).toBe(others.length + 1);
    await store.close();
  });
});
