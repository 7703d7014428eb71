import { expect, test } from "bun:test";
import fc from "fast-check";
import { buildMeasuredTopology } from "#dc/analysis/measured/measured_topology.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { Device } from "#dc/model/resources.ts";
import { runAllSteps } from "#kernel/steps.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

/** A supply with its meter, or a server; each has one source. */
interface Tree {
  readonly name: string;
  readonly watts?: number | undefined;
  readonly below?: readonly Tree[];
  readonly plannedW?: number;
}

/** Trees of panels, PDUs and servers; each meter is there or not. */
const meter = fc.option(fc.integer({ min: 0, max: 9000 }), { nil: undefined });
const servers = fc.array(fc.record({ plannedW: fc.integer({ min: 1, max: 900 }), watts: meter }), {
  minLength: 1,
  maxLength: 3,
});
const supplies = (below: fc.Arbitrary<readonly object[]>) =>
  fc.array(fc.record({ watts: meter, below }), { minLength: 1, maxLength: 3 });
const tree = fc.record({ watts: meter, below: supplies(supplies(servers)) });

function named(one: object, name: string): Tree {
  const { below, ...rest } = one as { below?: readonly object[] };
  return { name, ...rest, ...(below && { below: below.map((child, at) => named(child, `${name}-${at}`)) }) };
}

function devicesOf({ name, below, plannedW }: Tree, source?: string): readonly Device[] {
  const location = { siteId: "S", floorNumber: 1 };
  const inlet =
    source === undefined ? [] : [{ name: "in", kind: "POWER_IN" as const, powerIn: { sourceRef: `device:${source}` } }];
  if (below === undefined) {
    const device: Device = { code: name, kind: "SERVER", role: "compute", location, ports: inlet };
    return [{ ...device, ...(plannedW !== undefined && { allocatedDrawW: plannedW }) }];
  }
  const supply: Device = { code: name, kind: source === undefined ? "UTILITY" : "RPP", location, ports: inlet };
  return [supply, ...below.flatMap((child) => devicesOf(child, name))];
}

const everything = (one: Tree): readonly Tree[] => [one, ...(one.below ?? []).flatMap(everything)];

/** Draws of the servers below: their own meters, else a part of what the closest meter above has left. */
function expectedDraws(one: Tree): ReadonlyMap<string, number> {
  const draws = new Map<string, number>();
  for (const { name, plannedW, watts } of everything(one)) {
    if (plannedW !== undefined) draws.set(name, watts ?? plannedW);
  }
  for (const supply of everything(one)) {
    if (supply.below === undefined || supply.watts === undefined) continue;
    const nearest = nearestBelow(supply);
    const known = nearest.reduce((sum, { watts = 0 }) => sum + watts, 0);
    const unknown = nearest.filter(({ watts }) => watts === undefined);
    const planned = unknown.reduce((sum, { plannedW = 0 }) => sum + plannedW, 0);
    for (const { name, plannedW = 0 } of unknown) {
      draws.set(name, (Math.max(0, supply.watts - known) * plannedW) / planned);
    }
  }
  return draws;
}

/** The closest meters below a supply, and the servers without one that no other meter is above. */
function nearestBelow({ below = [] }: Tree): readonly Tree[] {
  return below.flatMap((child) =>
    child.watts !== undefined || child.below === undefined ? [child] : nearestBelow(child),
  );
}

/** Supplies whose meter shows more or less than those below it, which are all there or show more already. */
function expectedDifferences(site: Tree): readonly (readonly [ref: string, ownW: number, belowW: number])[] {
  return everything(site).flatMap(({ name, watts, below }) => {
    if (below === undefined || watts === undefined) return [];
    const nearest = nearestBelow({ name, below });
    const meters = nearest.flatMap((one) => one.watts ?? []);
    const known = meters.reduce((sum, one) => sum + one, 0);
    const isWhole = meters.length === nearest.length;
    const apart = Math.abs(watts - known);
    const differs = apart > 100 && apart > 0.1 * Math.max(watts, known);
    return meters.length > 0 && differs && (isWhole || watts < known)
      ? [[`device:${name}`, watts, known] as const]
      : [];
  });
}

test("meters of several levels divide what is left among the servers without one, by the closest meter above", () => {
  let divided = 0;
  let differences = 0;
  fc.assert(
    fc.property(tree, (given) => {
      const site = named(given, "U");
      const devices = devicesOf(site).toSorted((a, b) => (a.code.toLowerCase() < b.code.toLowerCase() ? -1 : 1));
      const topology = Topology.createFromInventory({ racks: [], devices, cracs: [], cables: [], fabricLinks: [] });
      const measured = new Map(
        everything(site).flatMap(({ name, watts }) =>
          watts === undefined ? [] : [[`device:${name.toLowerCase()}`, watts]],
        ),
      ) as ReadonlyMap<string, number>;

      const { topology: made, coverage: share } = runAllSteps(buildMeasuredTopology(topology, measured));

      for (const [name, watts] of expectedDraws(site)) {
        expect(made.device(name)?.measuredDrawW ?? made.device(name)?.allocatedDrawW).toBeCloseTo(watts, 6);
        divided += 1;
      }
      const differing = share.differences.map(({ ref, ownW, belowW }) => [ref, ownW, belowW] as const);
      expect(differing.toSorted()).toEqual(expectedDifferences(site).toSorted());
      differences += differing.length;
    }),
    { numRuns: LAW_RUNS },
  );
  expect(divided).toBeGreaterThan(LAW_RUNS);
  expect(differences).toBeGreaterThan(0);
});
