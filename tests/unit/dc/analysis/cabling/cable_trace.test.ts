import { describe, expect, test } from "bun:test";
import { type TraceOptions, traceCable } from "#dc/analysis/cabling/cable_trace.ts";
import type { CablePath } from "#dc/analysis/cabling/supply_trace.ts";
import { formatPort } from "#dc/model/ref.ts";
import type { Cable, Device } from "#dc/model/resources.ts";
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

  test("is cut at max_hops", async () => {
    const [path] = await trace("A/if", trunk, { maxHops: 2 });

    expect(path?.status).toBe("TRUNCATED");
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
