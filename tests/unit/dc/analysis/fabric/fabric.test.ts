import { expect, test } from "bun:test";
import { completeCablePath } from "#dc/analysis/cabling/supply_trace.ts";
import { matchCablePath } from "#dc/analysis/fabric/fabric.ts";
import type { FabricLink } from "#dc/model/resources.ts";
import { wholeFabric } from "../../../../support/dc/whole_fabric.ts";

// tests/laws/dc/fabric.test.ts compares switches, links, findings and figures with a plain model.

const link = (leaf: string, spine: string): FabricLink => ({
  a: { deviceCode: leaf, portName: "" },
  b: { deviceCode: spine, portName: "" },
  capacityMbps: 100_000,
});

test("analyseFabric says of a link why it carries no traffic", () => {
  const devices = ["l1", "l2", "s1"].map((code) => ({ code, kind: "SWITCH" }) as const);
  const limits = { congestionPct: 80, watchPct: 60, failedDeviceCodes: ["S1"] };

  const { findings } = wholeFabric([link("l1", "s1"), link("l2", "s1")], devices, limits);

  const down = findings.filter(({ code }) => code === "LINK_DOWN");
  expect(down).toHaveLength(2);
  expect(down[0]).toMatchObject({
    message: 'The link carries no traffic: "s1" is taken as failed',
    value: "failed: s1",
    expected: "both ends working",
  });
});

test("matchCables compares where the cables end with where the link says", () => {
  const ends = { a: { deviceCode: "l", portName: "1" }, b: { deviceCode: "s", portName: "2" } };
  const path = (destination: typeof ends.b | undefined, status: "COMPLETE" | "OPEN" | "UNCONNECTED") =>
    completeCablePath({ origin: ends.a, destination, status, hops: [], segments: [] });

  expect(matchCablePath(ends, path(ends.b, "COMPLETE"))).toBe("MATCHED");
  expect(matchCablePath(ends, path({ deviceCode: "s", portName: "3" }, "COMPLETE"))).toBe("MISMATCH");
  expect(matchCablePath(ends, path(undefined, "OPEN"))).toBe("MISMATCH");
  expect(matchCablePath(ends, path(undefined, "UNCONNECTED"))).toBe("MISSING");
  expect(matchCablePath(link("l", "s"), undefined)).toBe("UNKNOWN");
});
