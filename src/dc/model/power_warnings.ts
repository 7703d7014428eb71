import { codeKey } from "./code.ts";
import { outletCapacityW } from "./draw.ts";
import type { PhaseLeg } from "./enum_values.ts";
import { type WarningFinding, warning } from "./finding.ts";
import { type Demand, DemandWalk } from "./power_demand.ts";
import { inletsOf, sourceOf, upstream } from "./power_walk.ts";
import { parseRef, portRef } from "./ref.ts";
import type { Device } from "./resources.ts";
import type { SiteReader } from "./site.ts";

const DEFAULT_UTILIZATION_PCT = 80;
/**
 * Spread of the loads on the phases that is worth telling, in percent of their mean. Source:
 * docs/contract/datacenter-rules.md#power.
 */
const IMBALANCE_PCT = 20;

/**
 * Warns about supplies that a write has loaded too far, as they stand once everything is written. Made for one call,
 * single or bulk: what one item has added up serves the next.
 */
export class PowerWarnings {
  private readonly site: SiteReader;
  private readonly walk: DemandWalk;
  private readonly judged = new Map<string, readonly WarningFinding[]>();

  /** @param budget devices that may be looked at; supplies of more than that are left to the analyses */
  constructor(site: SiteReader, budget: number) {
    this.site = site;
    this.walk = new DemandWalk(site, budget);
  }

  /** What is wrong with the device itself and with everything that supplies it, nearest first. */
  async of(code: string): Promise<readonly WarningFinding[]> {
    const device = await this.site.device(code);
    if (device === undefined) return [];
    const found: WarningFinding[] = [];
    for (const supply of await this.suppliesOf(device)) found.push(...(await this.judge(supply)));
    return found;
  }

  private async suppliesOf(device: Device): Promise<readonly Device[]> {
    const found = new Map([[codeKey(device.code), device]]);
    const queue: string[] = [];
    for (const inlet of inletsOf(device)) {
      const source = await sourceOf(device, inlet, this.site);
      if (source !== undefined) queue.push(source);
    }
    const seen = new Set(queue);
    for (const node of queue) {
      await this.collect(node, found);
      for (const next of await upstream(node, this.site)) {
        if (!seen.has(next)) queue.push(next);
        seen.add(next);
      }
    }
    return [...found.values()];
  }

  private async collect(node: string, found: Map<string, Device>): Promise<void> {
    const ref = parseRef(node);
    const code = ref?.kind === "device" ? ref.code : ref?.kind === "port" ? ref.end.deviceCode : undefined;
    if (code === undefined || found.has(codeKey(code))) return;
    const device = await this.site.device(code);
    if (device !== undefined) found.set(codeKey(code), device);
  }

  private async judge(supply: Device): Promise<readonly WarningFinding[]> {
    const key = codeKey(supply.code);
    const known = this.judged.get(key);
    if (known !== undefined) return known;
    const rated =
      supply.power?.capacityW !== undefined || (supply.ports ?? []).some(({ powerOut }) => powerOut !== undefined);
    const demand = rated ? await this.walk.of(supply) : undefined;
    const found =
      demand === undefined ? [] : [...whole(supply, demand), ...outlets(supply, demand), ...phases(supply, demand)];
    this.judged.set(key, found);
    return found;
  }
}

function whole({ code, power = {} }: Device, { normalW, failoverW }: Demand): readonly WarningFinding[] {
  const { capacityW, maxUtilizationPct = DEFAULT_UTILIZATION_PCT } = power;
  if (capacityW === undefined || capacityW === 0) return [];
  const ref = `device:${code}`;
  const found = near(ref, { watts: normalW, capacityW, maxUtilizationPct });
  if (failoverW <= capacityW) return found;
  return [
    ...found,
    warning("FAILOVER_OVERLOAD", "ports", `"${ref}" cannot carry alone everything that hangs on it`, {
      value: `${Math.round(failoverW)} W`,
      expected: `at most ${capacityW} W`,
      ref,
    }),
  ];
}

function outlets({ code, ports = [] }: Device, { byOutlet }: Demand): readonly WarningFinding[] {
  return ports.flatMap(({ name, powerOut }) => {
    const capacityW = powerOut === undefined ? undefined : outletCapacityW(powerOut);
    const watts = byOutlet.get(name);
    if (capacityW === undefined || watts === undefined) return [];
    const maxUtilizationPct = powerOut?.maxUtilizationPct ?? DEFAULT_UTILIZATION_PCT;
    return near(portRef({ deviceCode: code, portName: name }), { watts, capacityW, maxUtilizationPct });
  });
}

function near(
  ref: string,
  {
    watts,
    capacityW,
    maxUtilizationPct,
  }: { readonly watts: number; readonly capacityW: number; readonly maxUtilizationPct: number },
): readonly WarningFinding[] {
  const limit = (capacityW * maxUtilizationPct) / 100;
  if (watts <= limit) return [];
  return [
    warning("SOURCE_NEAR_LIMIT", "ports", `"${ref}" carries more than ${maxUtilizationPct} % of its capacity`, {
      value: `${Math.round(watts)} W`,
      expected: `at most ${Math.round(limit)} W`,
      ref,
    }),
  ];
}

const CONDUCTORS: Readonly<Record<PhaseLeg, readonly ("A" | "B" | "C")[]>> = {
  A: ["A"],
  B: ["B"],
  C: ["C"],
  AB: ["A", "B"],
  BC: ["B", "C"],
  CA: ["C", "A"],
};

/** Compares the three phases of equipment whose outlets name their legs. */
function phases({ code, ports = [] }: Device, { byOutlet }: Demand): readonly WarningFinding[] {
  const legs = { A: 0, B: 0, C: 0 };
  for (const { name, powerOut } of ports) {
    const conductors = powerOut?.leg === undefined ? [] : CONDUCTORS[powerOut.leg];
    for (const leg of conductors) legs[leg] += (byOutlet.get(name) ?? 0) / conductors.length;
  }
  const values = Object.values(legs);
  const mean = values.reduce((sum, watts) => sum + watts, 0) / values.length;
  const spread = mean === 0 ? 0 : ((Math.max(...values) - Math.min(...values)) / mean) * 100;
  if (spread <= IMBALANCE_PCT) return [];
  return [
    warning("PHASE_IMBALANCE", "ports", `The phases of "device:${code}" are loaded unevenly`, {
      value: `${Math.round(legs.A)}, ${Math.round(legs.B)} and ${Math.round(legs.C)} W`,
      expected: `a spread of at most ${IMBALANCE_PCT} % of the mean`,
      ref: `device:${code}`,
    }),
  ];
}
