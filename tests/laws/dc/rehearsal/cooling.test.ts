import { expect, test } from "bun:test";
import { computeThermalHeadroom } from "#dc/analysis/cooling/thermal.ts";
import { hasHeadroom } from "#dc/analysis/cooling/thermal_spots.ts";
import { listFailingElements } from "#dc/analysis/rehearsal/elements.ts";
import { ZoneShortageFinder } from "#dc/analysis/rehearsal/zone_shortage.ts";
import { Topology } from "#dc/analysis/topology.ts";
import { parseRef, type Ref } from "#dc/model/ref.ts";
import type { Crac } from "#dc/model/resources.ts";
import { cooledWorld } from "../../../support/dc/cooled_world.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";
import { SeededRandom } from "../../../support/seeded_random.ts";

// What the loss of a cooling unit does to the areas that units serve is what ThermalHeadroom says with the unit failed.

type State = "SHORT" | "NO_RESERVE" | "ENOUGH";

/** The state of an area's air and liquid by the answer of ThermalHeadroom. */
function states(topology: Topology, ref: string, failed: readonly string[]): Readonly<Record<string, State>> {
  const area = parseRef(ref) as Ref;
  const answer = computeThermalHeadroom(topology, area, {
    basis: "ALLOCATED",
    reserveUnits: 1,
    failedCracCodes: failed,
  });
  const state = (headroomKw: number, reserveKw: number): State => {
    if (hasHeadroom({ headroomKw })) return "ENOUGH";
    return hasHeadroom({ headroomKw: headroomKw + reserveKw }) ? "NO_RESERVE" : "SHORT";
  };
  const has = (medium: string) => answer.cracs.some((crac) => crac.medium === medium);
  return {
    AIR: has("AIR") ? state(answer.headroomKw, answer.reserveKw) : "ENOUGH",
    LIQUID: has("LIQUID") ? state(answer.liquidHeadroomKw, answer.liquidReserveKw) : "ENOUGH",
  };
}

/** Areas that a unit's loss weakens, each with its medium: whether they fall short. */
function weakened(topology: Topology, unit: Crac): ReadonlyMap<string, boolean> {
  const areas = new Set(topology.inventory.cracs.flatMap(({ serves = [] }) => serves));
  const found = new Map<string, boolean>();
  for (const ref of areas) {
    const [before, after] = [states(topology, ref, []), states(topology, ref, [unit.code])];
    for (const medium of ["AIR", "LIQUID"]) {
      if (after[medium] === before[medium] || (after[medium] !== "SHORT" && before[medium] !== "ENOUGH")) continue;
      found.set(`${ref} ${medium}`, after[medium] === "SHORT");
    }
  }
  return found;
}

test("the loss of a cooling unit weakens the areas that ThermalHeadroom says", () => {
  let count = 0;
  for (let seed = 0; seed < LAW_RUNS; seed += 1) {
    const topology = Topology.createFromInventory(cooledWorld(new SeededRandom(seed)));
    const watch = new ZoneShortageFinder(topology, "ALLOCATED");
    for (const { index } of listFailingElements(topology)) {
      const node = topology.power.nodes[index];
      if (node?.kind !== "CRAC") continue;
      const name = { seed, unit: node.crac.code };
      const found = watch
        .listShortages([node.crac], [])
        .map(({ ref, medium, short }): [string, boolean] => [`${ref} ${medium}`, short]);
      expect({ ...name, found: found.sort() }).toEqual({ ...name, found: [...weakened(topology, node.crac)].sort() });
      count += found.length;
    }
  }
  expect(count).toBeGreaterThan(0);
}, 300_000);
