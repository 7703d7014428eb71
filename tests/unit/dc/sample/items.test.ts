import { describe, expect, test } from "bun:test";
import { generateSample, type SampleItem } from "#dc/sample/facility.ts";
import { ams1 } from "../../../support/dc/ams1.ts";

const KINDS = [
  ["rack", "racks"],
  ["device", "devices"],
  ["crac", "cracs"],
  ["cable", "cables"],
  ["fabric_link", "fabric_links"],
] as const;

function byKind(items: readonly SampleItem[]): Record<string, unknown[]> {
  return Object.fromEntries(
    KINDS.map(([kind]) => [kind, items.filter((one) => one.kind === kind).map(({ item }) => item)]),
  );
}

function counts(racks: number): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { kind } of generateSample(racks)) found[kind] = (found[kind] ?? 0) + 1;
  return found;
}

describe("the sample site", () => {
  const made = byKind([...generateSample()]);

  for (const [kind, list] of KINDS) {
    test(`has exactly the items of AMS1: ${list}`, () => {
      expect(made[kind]?.length).toBe(ams1[list].length);
      for (const [index, item] of ams1[list].entries()) expect(made[kind]?.[index]).toEqual(item);
    });
  }

  test("begins with AMS1 whatever its size", () => {
    const larger = byKind([...generateSample(80)]);

    for (const [kind] of KINDS) expect(larger[kind]?.slice(0, made[kind]?.length)).toEqual(made[kind] ?? []);
  });

  test("grows by halls of more than two thousand devices", () => {
    expect(counts(80)).toEqual({ rack: 80, device: 2864, crac: 16, cable: 7868, fabric_link: 544 });
  });

  test("has more than a hundred thousand devices at two thousand racks", () => {
    const { rack, device = 0, crac } = counts(2000);

    expect({ rack, crac }).toEqual({ rack: 2000, crac: 400 });
    expect(device).toBe(101_552);
  });

  test("names nothing twice", () => {
    const codes = [...generateSample(90)].flatMap(({ kind, item }) =>
      "code" in item ? [`${kind} ${item["code"]}`] : [JSON.stringify([kind, item["a"], item["b"]])],
    );

    expect(new Set(codes).size).toBe(codes.length);
  });
});
