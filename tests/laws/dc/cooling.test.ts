import { expect, test } from "bun:test";
import { computeThermalHeadroom } from "#dc/analysis/cooling/thermal.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import { parseRef, type Ref } from "#dc/model/ref.ts";
import { cooledWorld } from "../../support/dc/cooled_world.ts";
import { CoolingModel } from "../../support/dc/cooling_model.ts";
import { LAW_INVENTORIES } from "../../support/law_inventories.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

/** Seeds of inventories on which the product and the model once differed. */
const KEPT: readonly number[] = [];
const SEEDS = [...KEPT, ...Array.from({ length: LAW_INVENTORIES * 2 }, (_, index) => 1000 + index)];

const FLOORS = [0, 1].flatMap((floor) => [
  `floor:S/${floor}`,
  ...["room:S/F/X", "room:S/F/Y", "row:S/F/a", "row:S/F/b", "zone:S/F/z1", "zone:S/F/z9"].map((ref) =>
    ref.replace("F", `${floor}`),
  ),
]);
const SCOPES = ["site:S", "site:T", ...FLOORS, ...[0, 1, 2, 3, 4].map((rack) => `rack:R${rack}`)];

test("heat and cooling of every place are what a plain model of devices and units says", () => {
  for (const seed of SEEDS) {
    const random = new SeededRandom(seed);
    const inventory = cooledWorld(random);
    const topology = Topology.createFromInventory(inventory);
    const asked = {
      basis: random.pick(["ALLOCATED", "MEASURED"] as const) as LoadBasis,
      reserve: random.below(3),
      failed: inventory.cracs.filter(() => random.below(4) === 0).map(({ code }) => code),
    };
    const model = new CoolingModel(inventory, asked);
    const options = { basis: asked.basis, reserveUnits: asked.reserve, failedCracCodes: asked.failed };
    for (const scope of SCOPES) {
      const say = `seed ${seed}, ${scope}`;
      const key = scope.toLowerCase();
      expect([say, topology.hasLocation(parseRef(scope) as Ref)]).toEqual([say, model.exists(key)]);
      const found = computeThermalHeadroom(topology, parseRef(scope) as Ref, options);
      const [air, liquid] = [model.balance(key, "AIR"), model.balance(key, "LIQUID")];
      expect([
        say,
        ...rounded([
          found.airHeatKw,
          found.ratedKw,
          found.effectiveKw,
          found.reserveKw,
          found.usableKw,
          found.headroomKw,
          found.liquidHeatKw,
          found.liquidRatedKw,
          found.liquidEffectiveKw,
          found.liquidReserveKw,
          found.liquidUsableKw,
          found.liquidHeadroomKw,
        ]),
      ]).toEqual([
        say,
        ...rounded(
          [air, liquid].flatMap(({ heat, rated, effective, reserve, usable, headroom }) => [
            heat,
            rated,
            effective,
            reserve,
            usable,
            headroom,
          ]),
        ),
      ]);
      expect([say, found.redundancyOk]).toEqual([say, model.isRedundant(key)]);
      expect([say, ...found.cracs.map(({ crac }) => crac.code)]).toEqual([say, ...model.unitCodes(key)]);
      const loads = new Map([...air.loads, ...liquid.loads]);
      for (const { crac, loadKw } of found.cracs) expect(loadKw).toBeCloseTo(loads.get(crac.code) ?? -1, 6);
      for (const zone of found.zones) {
        const own = model.balance(zone.ref.toLowerCase(), "AIR");
        expect(rounded([zone.heatKw, zone.headroomKw])).toEqual(rounded([own.heat, own.headroom]));
      }
    }
  }
}, 600_000);

function rounded(values: readonly number[]): readonly number[] {
  // Plus 0, because a rounded -0 is another value to the test.
  return values.map((value) => Math.round(value * 1e6) / 1e6 + 0);
}
