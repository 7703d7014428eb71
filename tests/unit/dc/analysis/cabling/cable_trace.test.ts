import { describe, expect, test } from "bun:test";
import { type TraceOptions, traceCable } from "#dc/analysis/cabling/cable_trace.ts";
import type { CablePath } from "#dc/analysis/cabling/supply_trace.ts";
import { formatPort } from "#dc/model/ref.ts";
import type { Cable, Device, Port } from "#dc/model/resources.ts";
import { ams1Store } from "../../../../support/dc/ams1_inventory.ts";
import { host, panel as patchPanel, portAt } from "../../../../support/dc/cabled_world.ts";
import { openMemory } from "../../../../support/dc/memory/store.ts";
import { load, panel, source } from "../../../../support/dc/power.ts";
import { putAll } from "../../../../support/dc/stored.ts";

const cable = (a: string, b: string, parts: Partial<Cable> = {}): Cable => ({ a: portAt(a), b: portAt(b), ...parts });

async function trace(
  from: string,
  site: { readonly devices: readonly Device[]; readonly cables: readonly Cable[] },
  options: Partial<TraceOptions> = {},
): Promise<readonly CablePath[]> {
  const store = openMemory();
  await store.write(async (writer) => {
    await putAll(writer, "device", site.devices);
    await putAll(writer, "cable", site.cables);
  });
  const all = { stopAtPower: false, followSplits: false, maxHops: 128, ...options };
  return store.read((reader) => traceCable(portAt(from), reader, all));
}

/** A path as a line: ports in order, and how it ends. */
function line(path: CablePath | undefined): string {
  if (path === undefined) return "no path";
  const ports = path.segments.map(({ to }) => formatPort(to));
  return [formatPort(path.origin), ...ports, path.status].join(" ");
}

describe("traceCable", () => {
  // [A/if] --- [B/if]
  test("joins two network ports by one cable", async () => {
    const [path] = await trace("A/if", {
      devices: [host("A"), host("B")],
      cables: [cable("A/if", "B/if", { lengthM: 2 })],
    });

    expect(line(path)).toBe("A/if B/if COMPLETE");
    expect(path).toMatchObject({ active: true, totalLengthM: 2, lengthIsPartial: false });
  });

  test("tells a port without a cable", async () => {
    const [path] = await trace("A/if", { devices: [host("A")], cables: [] });

    expect(line(path)).toBe("A/if UNCONNECTED");
  });

  // [A/if] --- [P F2]=[R] === [R]=[Q F2] --- [B/if]
  const trunk = {
    devices: [host("A"), host("B"), host("C"), patchPanel("P", 4), patchPanel("Q", 4)],
    cables: [
      cable("A/if", "P/F2", { lengthM: 1 }),
      cable("P/R", "Q/R", { lengthM: 20.5, status: "PLANNED" }),
      cable("B/if", "Q/F2"),
      cable("C/if", "Q/F1"),
    ],
  };

  test("comes out of a trunk at the position where it went in", async () => {
    const [path] = await trace("A/if", trunk);

    expect(line(path)).toBe("A/if P/F2 P/R Q/R Q/F2 B/if COMPLETE");
    expect(path).toMatchObject({ active: false, totalLengthM: 21.5, lengthIsPartial: true });
    expect(path?.hops.map(({ device, inPort, outPort }) => [device.code, inPort, outPort])).toEqual([
      ["A", "", "if"],
      ["P", "F2", "R"],
      ["Q", "R", "F2"],
      ["B", "if", ""],
    ]);
  });

  test("traces a passive port to both sides and puts the halves together", async () => {
    const [path] = await trace("P/F2", trunk);

    expect(path?.status).toBe("COMPLETE");
    const ends = [path?.origin, path?.destination].map((one) => one && formatPort(one)).toSorted();
    expect(ends).toEqual(["A/if", "B/if"]);
    expect(path?.hops.map(({ device }) => device.code).toSorted()).toEqual(["A", "B", "P", "Q"]);
  });

  test("is open where a front port holds no cable", async () => {
    const [path] = await trace("A/if", { ...trunk, cables: trunk.cables.slice(0, 2) });

    expect(line(path)).toBe("A/if P/F2 P/R Q/R Q/F2 OPEN");
  });

  // [A/if] --- [R]=[P F1..F4]
  test("splits where a trunk is entered without a position, and follows each way when asked", async () => {
    const site = {
      devices: [host("A"), host("B"), patchPanel("P", 2)],
      cables: [cable("A/if", "P/R"), cable("B/if", "P/F2")],
    };

    const [split] = await trace("A/if", site);
    const ways = await trace("A/if", site, { followSplits: true });

    expect(split?.status).toBe("SPLIT");
    expect(split?.branches.map(({ to, position }) => [formatPort(to), position])).toEqual([
      ["P/F1", 1],
      ["P/F2", 2],
    ]);
    expect(ways.map(line)).toEqual(["A/if P/R P/F1 OPEN", "A/if P/R P/F2 B/if COMPLETE"]);
  });

  // [P F1]=[R] --- [R]=[Q F1] --- back to [P F1]
  test("ends a loop instead of running in it", async () => {
    const site = {
      devices: [patchPanel("P", 1), patchPanel("Q", 1)],
      cables: [cable("P/R", "Q/R"), cable("P/F1", "Q/F1")],
    };

    const [path] = await trace("P/F1", site);

    expect(path?.status).toBe("LOOP");
  });

  test("is cut at max_hops", async () => {
    const [path] = await trace("A/if", trunk, { maxHops: 2 });

    expect(path?.status).toBe("TRUNCATED");
  });

  test("takes a breakout channel over the cable of its physical port to the same channel", async () => {
    const ports: Port[] = [
      { name: "p", kind: "NETWORK" },
      { name: "p:1", kind: "NETWORK", parentPort: "p", channel: 1 },
      { name: "p:2", kind: "NETWORK", parentPort: "p", channel: 2 },
    ];
    const devices = ["A", "B"].map((code): Device => ({ code, kind: "SWITCH", ports }));

    const [path] = await trace("A/p:2", { devices, cables: [cable("A/p", "B/p")] });

    expect(path?.destination).toEqual(portAt("B/p:2"));
  });

  // The fibres of an interface as channels with cables of their own, as imports write them.
  const duplex = (code: string): Device => {
    const ports: Port[] = [
      { name: "p", kind: "NETWORK" },
      { name: "p:1", kind: "NETWORK", parentPort: "p", channel: 1 },
      { name: "p:2", kind: "NETWORK", parentPort: "p", channel: 2 },
    ];
    return { code, kind: "SWITCH", ports };
  };
  const panels = [patchPanel("P", 4), patchPanel("Q", 4), patchPanel("T", 2)];
  const near = [cable("A/p:1", "P/F1"), cable("A/p:2", "P/F2"), cable("P/R", "Q/R")];
  const both = [...near, cable("B/p:1", "Q/F1"), cable("B/p:2", "Q/F2")];

  test.each([
    ["panel to panel", "A/p", both, "A/p COMPLETE B/p"],
    ["from the far end", "B/p", both, "B/p COMPLETE A/p"],
    ["crossed", "A/p", [...near, cable("B/p:1", "Q/F2"), cable("B/p:2", "Q/F1")], "A/p COMPLETE B/p"],
    ["two cables", "A/p", [cable("A/p:1", "B/p:1"), cable("A/p:2", "B/p:2")], "A/p COMPLETE B/p"],
    [
      "a trunk's connector",
      "A/p",
      [cable("A/p:1", "T/F1"), cable("A/p:2", "T/F2"), cable("T/R", "H/if")],
      "A/p COMPLETE H/if",
    ],
    [
      "to a connector",
      "H/if",
      [cable("A/p:1", "T/F1"), cable("A/p:2", "T/F2"), cable("T/R", "H/if")],
      "H/if COMPLETE A/p",
    ],
    [
      "one fibre to a connector",
      "A/p:1",
      [cable("A/p:1", "T/F1"), cable("A/p:2", "T/F2"), cable("T/R", "H/if")],
      "A/p COMPLETE H/if",
    ],
    ["one channel of both", "A/p:2", both, "A/p:2 COMPLETE B/p:2"],
    ["one fibre is cut", "A/p", [...near, cable("B/p:1", "Q/F1")], "A/p SPLIT"],
    ["fibres to two devices", "A/p", [...near, cable("B/p:1", "Q/F1"), cable("C/p:2", "Q/F2")], "A/p SPLIT"],
    ["breakout to two ports", "A/p", [cable("A/p:1", "H/if"), cable("A/p:2", "I/if")], "A/p SPLIT"],
    ["far end has one fibre more", "A/p", [cable("A/p:1", "B/p:1"), cable("B/p:2", "H/if")], "A/p SPLIT"],
    ["no fibre at all", "A/p", [], "A/p UNCONNECTED"],
  ] as const)("joins the fibres of an interface into one path: %s", async (_, from, cables, expected) => {
    const devices = [duplex("A"), duplex("B"), duplex("C"), host("H"), host("I"), ...panels];

    const [path] = await trace(from, { devices, cables });

    const { origin, status, destination } = path ?? {};
    const ends = [origin && formatPort(origin), status, destination && formatPort(destination)];
    expect(ends.filter((one) => one !== undefined).join(" ")).toBe(expected);
  });

  // [srv/psu1] --- [P/out1]=[P/psu1] ~ device:U
  test("goes up the power supply to its root, or stops at the outlet", async () => {
    const site = {
      devices: [source("U"), panel("P", ["device:U"], ["F"]), load("srv", [""])],
      cables: [cable("srv/psu1", "P/out1")],
    };

    const [root] = await trace("srv/psu1", site);
    const [outlet] = await trace("srv/psu1", site, { stopAtPower: true });

    expect(line(root)).toBe("srv/psu1 P/out1 P/psu1 U COMPLETE");
    expect(line(outlet)).toBe("srv/psu1 P/out1 COMPLETE");
  });

  test("ends at a feed that no outlet declares, because it is an external supply", async () => {
    const [path] = await trace("srv/psu1", { devices: [load("srv", ["feed:F"])], cables: [] });

    expect(path?.status).toBe("COMPLETE");
    expect(path?.problems).toMatchObject([{ code: "UNDECLARED_FEED" }]);
  });

  test("finds for every fabric link of the sample the cables between its two ports", async () => {
    const store = await ams1Store();
    const options = { stopAtPower: true, followSplits: false, maxHops: 128 };

    const wrong = await store.read(async (reader) => {
      const found: string[] = [];
      for (const { a, b } of (await reader.inventory()).fabricLinks) {
        const [path] = await traceCable(a, reader, options);
        if (path?.destination === undefined || formatPort(path.destination) !== formatPort(b))
          found.push(formatPort(a));
      }
      return found;
    });

    expect(wrong).toEqual([]);
  }, 240_000);
});
