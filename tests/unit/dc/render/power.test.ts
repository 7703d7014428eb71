import { describe, expect, test } from "bun:test";
import { drawPower } from "#dc/render/power/draw.ts";
import { ams1Inventory } from "../../../support/dc/ams1_inventory.ts";
import { drawOptions, failureOf, nodeOf, refsOf, wordsOf } from "../../../support/dc/pictures.ts";
import { inventory, load, panel, source } from "../../../support/dc/power.ts";

describe("drawPower", () => {
  test("shows the chain of a feed, what is dark behind it, and the figures", async () => {
    const { scene, graph, omittedNodes } = drawPower(
      failureOf(await ams1Inventory(), ["feed:AMS1-A08-A"]),
      drawOptions(),
    );
    const refs = refsOf(scene.items);
    for (const ref of ["device:UTIL-A", "device:UPS-A1", "device:RPP-A-A", "feed:AMS1-A08-A", "device:PDU-A08-B"]) {
      expect(refs).toContain(ref);
    }
    expect(refs).toContain("device:SRV-A08-20");
    expect(wordsOf(scene.items)).toEqual(
      expect.arrayContaining(["Rack A08", "23 offline · 8.1 kW lost", "power equipment offline", "2"]),
    );
    expect(graph.edges).toContainEqual({
      from: "feed:AMS1-A08-A",
      to: "device:PDU-A08-A",
      stroke: "fault",
      style: "dashed",
    });
    expect(omittedNodes).toBe(0);
  });

  test("says that nothing can fail in a rack without devices", () => {
    const site = { ...inventory(), racks: [{ code: "R1", heightU: 42, location: { siteId: "S", floorNumber: 1 } }] };
    const { scene } = drawPower(failureOf(site, ["rack:R1"]), drawOptions());
    const words = wordsOf(scene.items);
    expect(words).toContain("No device and no cooling unit is recorded here: nothing can fail");
    expect(words).not.toContain("supplies power");
  });

  test("says what a failure takes of the network if every supply stays on", async () => {
    const network = {
      linksDown: ["fabric_link:L/1~S/1", "fabric_link:L/2~S/2"],
      lostMbps: 200_000,
      cutOff: ["LEAF-1"],
      isolated: ["SRV-1"],
    };
    const failure = { ...failureOf(await ams1Inventory(), ["device:PP-A01-1"]), network };
    const words = wordsOf(drawPower(failure, drawOptions()).scene.items);
    expect(words).toContain("No supply fails with this");
    expect(words.join("\n")).toContain("2 fabric links of 200 Gbit/s go down: L/1~S/1");
    expect(words).toContain("1 switch without an uplink: LEAF-1");
    expect(words).toContain("1 device without a data path: SRV-1");
  });

  test("marks overloads with their share and the steps of a cascade", async () => {
    const drawing = drawPower(failureOf(await ams1Inventory(), ["device:UPS-A2"], { cascade: true }), drawOptions());
    const words = wordsOf(drawing.scene.items);
    expect(words).toContain("! Step 1: trips at 109.4 %");
    expect(words).toContain("Cascade step 1: RPP-B-D trips, 93 elements offline then");
    expect(nodeOf(drawing, "device:RPP-B-D")?.label).toContain("X: offline");
  });

  test("says with a letter what a colour says", async () => {
    const drawing = drawPower(failureOf(await ams1Inventory(), ["device:UPS-A1"]), drawOptions());
    expect(nodeOf(drawing, "device:UPS-A1")).toMatchObject({ shape: "diamond", style: "bold", fill: "accentSoft" });
    expect(nodeOf(drawing, "rack:A08")?.label).toContain("X: offline");
    expect(nodeOf(drawing, "rack:A01")?.label).toContain("P: partly offline");
    expect(nodeOf(drawing, "device:SRV-A01-01")?.label).toContain("D: protected, less supply");
    expect(nodeOf(drawing, "device:SWGR-A")?.label).toContain("L: live");
  });

  test("tells on battery apart from offline", async () => {
    const failure = failureOf(await ams1Inventory(), ["device:SWGR-A"], { assumeBattery: true });
    expect(nodeOf(drawPower(failure, drawOptions()), "device:UPS-A1")?.label).toContain("B: on battery");
  });

  test("folds racks to counts when asked for less, and says so", async () => {
    const drawing = drawPower(failureOf(await ams1Inventory(), ["device:UPS-A1"]), drawOptions({ view: "COMPACT" }));
    expect(nodeOf(drawing, "rack:A08")?.label).toBe("Rack A08\nX: offline\n25 elements · 8.1 kW lost\n25 offline");
    expect(drawing.omittedNodes).toBe(437);
    expect(wordsOf(drawing.scene.items)).toContain("Folded: 437 elements are counted in 21 groups");
  });

  test("folds racks to rows when even the racks are too many, and keeps what is highlighted", async () => {
    const failure = failureOf(await ams1Inventory(), ["device:UPS-A1"]);
    const highlight = new Set(["device:srv-a08-03"]);
    const drawing = drawPower(failure, drawOptions({ maxNodes: 20, highlight }));
    expect(nodeOf(drawing, "row:AMS1/1/A")?.label).toContain("10 racks · 1 dark · 9 partly");
    expect(nodeOf(drawing, "device:SRV-A08-03")).toBeDefined();
    expect(drawing.graph.nodes.length).toBeLessThanOrEqual(20);
  });

  test("draws everything as one when one node is all there may be", async () => {
    const drawing = drawPower(failureOf(await ams1Inventory(), ["site:AMS1"]), drawOptions({ maxNodes: 1 }));
    expect(drawing.graph.nodes.length).toBe(1);
    expect(drawing.graph.edges).toEqual([]);
  });

  test("draws a source on which nothing hangs", () => {
    const { scene, graph } = drawPower(failureOf(inventory(source("U")), ["device:U"]), drawOptions());
    expect(graph.nodes.map(({ id }) => id)).toEqual(["device:U"]);
    expect(wordsOf(scene.items)).toContain("What if device U fails");
  });

  test("names the feed on the edge that it is", () => {
    const site = inventory(source("U"), panel("P", ["device:U"], ["F1", "F2"]), load("S", ["feed:F1"]));
    const { graph } = drawPower(failureOf(site, ["device:U"]), drawOptions());
    expect(graph.edges).toContainEqual({
      from: "device:P",
      to: "no place recorded",
      stroke: "fault",
      style: "dashed",
      label: "F1",
    });
  });
});
