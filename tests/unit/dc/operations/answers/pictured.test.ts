import { beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { ams1Store } from "../../../../support/dc/ams1_inventory.ts";
import { type TestService, testService } from "../../../../support/dc/service.ts";

let dc: TestService;
beforeAll(async () => {
  dc = await testService({ store: await ams1Store() });
}, 240_000);

const SCREENS: readonly (readonly [string, JsonObject])[] = [
  ["GetRack", { code: "A01" }],
  ["FloorPlan", { floor_ref: "floor:AMS1/1" }],
  ["ThermalHeadroom", { scope_ref: "site:AMS1" }],
  ["PowerBlastRadius", { source_ref: "feed:AMS1-A08-A" }],
  ["TraceCablePath", { port_ref: "port:SRV-A01-01/eth0" }],
  ["FabricTopology", {}],
];

describe.each(SCREENS)("%s", (rpc, request) => {
  test("answers with SVG when nobody says otherwise", async () => {
    const { render } = await dc.call(rpc, request);

    expect(render).toMatchObject({ format: "RENDER_FORMAT_SVG", media_type: "image/svg+xml" });
    expect(render.text).toStartWith(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0`);
    expect(render.text).toContain(`width="${render.width_px}" height="${render.height_px}" role="img"`);
    expect(render.content_hash).toBe(createHash("sha256").update(render.text).digest("hex"));
    expect(render.data).toBeUndefined();
  });

  test("draws nothing with NONE", async () => {
    const reply = await dc.call(rpc, { ...request, render: { format: "RENDER_FORMAT_NONE" } });

    expect(reply.render).toBeUndefined();
  });

  test("refuses options that it cannot follow, naming the field", async () => {
    const wrong: readonly (readonly [JsonObject, string])[] = [
      [{ width_px: 63 }, '"render.width_px" is out of range: 63, expected 64 to 8192'],
      [{ width_px: 8193 }, '"render.width_px" is out of range: 8193'],
      [{ max_nodes: -1 }, '"render.max_nodes" is out of range: -1'],
      [{ theme: 9 }, '"render.theme" is out of range: 9, expected LIGHT, DARK, PRINT, HIGH_CONTRAST'],
      [{ highlight: ["device:A", "nothing"] }, 'Cannot read render.highlight[1] "nothing"'],
    ];

    for (const [render, message] of wrong) {
      expect(dc.call(rpc, { ...request, render })).rejects.toThrow(message);
    }
  });

  test("follows width, theme and dataset", async () => {
    const options = { width_px: 640, theme: "THEME_DARK", embed_dataset: true };
    const [plain, { render }] = [await dc.call(rpc, request), await dc.call(rpc, { ...request, render: options })];

    expect(render.width_px).toBe(640);
    expect(render.text).not.toBe(plain.render.text);
    expect(render.data.elements.length).toBeGreaterThan(0);
  });
});

test("GetRack shades what is not highlighted and gives devices the colour of their role", async () => {
  const reply = await dc.call("GetRack", { code: "A01", render: { highlight: ["device:srv-a01-01"] } });

  expect(reply.render.text).toContain('data-ref="device:SRV-A01-02" opacity="0.72"');
  expect(reply.render.text).not.toContain('data-ref="device:SRV-A01-01" opacity');
  expect(reply.occupants.every(({ color }: { color: string }) => /^[0-9A-F]{6}$/.test(color))).toBe(true);
});

test("FloorPlan folds rows beyond max_nodes and says how many footprints", async () => {
  const { render } = await dc.call("FloorPlan", { floor_ref: "floor:AMS1/1", render: { max_nodes: 35 } });

  expect(render.truncated).toBe(true);
  expect(render.omitted_nodes).toBe(40);
  expect(render.text).toContain("Row A: 10 racks");
});

describe("Render", () => {
  const NONE = { format: "RENDER_FORMAT_NONE" };
  const refsOf = async (request: JsonObject) =>
    (await dc.call("Render", { ...request, render: NONE })).data.elements.map(({ ref }: { ref: string }) => ref);

  test.each([
    ["rack:A01", "ELEVATION"],
    ["floor:AMS1/1", "FLOOR"],
    ["room:AMS1/1/DH1", "THERMAL"],
    ["crac:CRAH-A1", "THERMAL"],
    ["feed:AMS1-A08-A", "POWER"],
    ["device:UPS-A1", "POWER"],
    ["port:SRV-A01-01/eth0", "CABLE_PATH"],
  ])("shows %s on screen %s", async (subject_ref, screen) => {
    const { data } = await dc.call("Render", { subject_ref, render: NONE });

    expect(data.screen).toBe(screen);
  });

  test("shows a device in its rack when asked for the elevation", async () => {
    const { text } = await dc.call("Render", { subject_ref: "device:SRV-A01-03", screen: "SCREEN_ELEVATION" });

    expect(text).toContain("Rack A01");
    expect(text).toContain('data-ref="device:SRV-A01-02" opacity="0.72"');
  });

  test("draws exactly the elements that are listed", async () => {
    const refs = ["device:SRV-A01-01", "device:LEAF-A01-1"];

    expect((await refsOf({ subject_ref: "rack:A01", refs })).toSorted()).toEqual([...refs, "rack:A01"].toSorted());
    expect(await refsOf({ subject_ref: "floor:AMS1/1", refs: ["rack:B02"] })).toEqual(["rack:B02"]);
  });

  test("joins listed power elements through what is not listed", async () => {
    const refs = ["device:UPS-A1", "device:SRV-A01-01", "device:PDU-B01-A"];
    const { text } = await dc.call("Render", {
      subject_ref: refs[0] ?? "",
      refs,
      render: { format: "RENDER_FORMAT_DOT" },
    });

    expect(text).toContain('"device:UPS-A1" -> "device:SRV-A01-01"');
    expect(text).not.toContain('"device:SRV-A01-01" -> ');
  });

  test("refuses what it cannot show", async () => {
    const wrong: readonly (readonly [JsonObject, string])[] = [
      [{}, 'Field "subject_ref" is required'],
      [{ subject_ref: "rack:NOPE" }, 'Cannot find rack "NOPE"'],
      [{ subject_ref: "feed:X", screen: "SCREEN_FLOOR" }, 'Screen FLOOR does not show "feed:X"'],
      [{ subject_ref: "rack:A01", refs: ["device:NOPE"] }, 'Cannot find "device:NOPE" in what the screen shows'],
      [{ subject_ref: "rack:A01", refs: ["nothing"] }, 'Cannot read refs[0] "nothing"'],
      [{ subject_ref: "rack:A01", screen: 99 }, 'Field "screen" has no value 99'],
      [
        { subject_ref: "rack:A01", render: { coloring: "COLORING_THERMAL" } },
        "Screen ELEVATION has no render.coloring THERMAL",
      ],
    ];

    for (const [request, message] of wrong) expect(dc.call("Render", request)).rejects.toThrow(message);
  });
});
