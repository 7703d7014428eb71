import { codeKey } from "#dc/model/code.ts";
import type { CoolingMedium, LoadBasis } from "#dc/model/enum_values.ts";
import { compareText, type Ref } from "#dc/model/ref.ts";
import type { Crac } from "#dc/model/resources.ts";
import type { FreeCooling } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { CoolingBalance } from "../cooling/cooling_balance.ts";
import { getMedium, listServedAreas } from "../cooling/cooling_units.ts";
import { formatAreaKey } from "../places.ts";
import type { Topology } from "../topology.ts";
import { listSharedLosses } from "./area_ports.ts";

interface CoolingFailure {
  readonly ref: string;
  readonly lost: ReadonlySet<string>;
  readonly balance: CoolingBalance;
}

/**
 * Computes the cooling headroom of areas now and after the worst single failure of a unit or of a supply of units. The
 * headroom now equals that of ThermalHeadroom without a reserve.
 */
export class AreaCooling {
  readonly #currentBalance: CoolingBalance;
  readonly #failures: readonly CoolingFailure[];
  readonly #mixesMedia: boolean;

  constructor(topology: Topology, basis: LoadBasis) {
    const { cracs } = topology.inventory;
    const balance = (failedCracCodes: readonly string[]) =>
      new CoolingBalance(topology, { basis, reserveUnits: 0, failedCracCodes });
    this.#currentBalance = balance([]);
    // If a unit rejects the heat of liquid into the air, the loss of liquid units changes the load of air units.
    this.#mixesMedia = cracs.some(({ heatRejection }) => heatRejection === "AIR");
    const failures = new Map<string, CoolingFailure>();
    for (const { ref, lost } of listSharedLosses(topology, cracs, ({ code }) => `crac:${codeKey(code)}`)) {
      const codes = lost.map(({ code }) => codeKey(code));
      const key = codes.toSorted(compareText).join();
      if (!failures.has(key)) failures.set(key, { ref, lost: new Set(codes), balance: balance(codes) });
    }
    this.#failures = [...failures.values()];
  }

  /** Returns the headroom of an area; undefined without a recorded unit of the medium. */
  *computeFreeCooling(area: Ref, medium: CoolingMedium): Steps<FreeCooling | undefined> {
    const units = this.#currentBalance.listServingUnits(area);
    if (!units.some((crac) => getMedium(crac) === medium)) return undefined;
    const { headroomKw: freeKw } = this.#currentBalance.computeBalance(area, medium, units);
    const concerned = this.#listAffectingUnitKeys(units, area);
    let [failoverFreeKw, failureRef] = [freeKw, ""];
    for (const { ref, lost, balance } of this.#failures) {
      if (!concerned.some((key) => lost.has(key))) continue;
      yield;
      const { headroomKw } = balance.computeBalance(area, medium, units);
      if (headroomKw < failoverFreeKw) [failoverFreeKw, failureRef] = [headroomKw, ref];
    }
    return { freeKw, failoverFreeKw, failureRef };
  }

  /** Lists keys of units whose loss may affect an area: its units, and units that share a served location with them. */
  #listAffectingUnitKeys(units: readonly Crac[], area: Ref): readonly string[] {
    if (this.#mixesMedia) return [...new Set(this.#failures.flatMap(({ lost }) => [...lost]))];
    const places = new Set(
      [formatAreaKey(area), ...units.flatMap(listServedAreas)].flatMap((key) =>
        this.#currentBalance.listLocationsInArea(key),
      ),
    );
    const found = new Set(units);
    for (const at of places) {
      for (const crac of Object.values(this.#currentBalance.groupUnitsAtLocation(at)).flat()) found.add(crac);
    }
    return [...found].map(({ code }) => codeKey(code));
  }
}
