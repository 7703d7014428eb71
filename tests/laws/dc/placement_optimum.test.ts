import { expect, test } from "bun:test";
import { listNodeLoadReasons } from "#dc/analysis/power/power_failover.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { Device, Rack } from "#dc/model/resources.ts";
import { serviceOn } from "../../support/dc/placed.ts";
import { roomySite } from "../../support/dc/placement_world.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

// Every number of servers in every rack is tried on small sites, and judged by health's own findings. PLACEMENT_FIGURES
// prints the share of optimal answers and the mean, which docs/placement.md states.

const DRAW_W = 400;
const WANTED = 12;

interface Site {
  readonly inventory: ReturnType<typeof roomySite>;
  readonly rooms: readonly number[];
}

/** The most servers that fit, by trying all. */
function optimum({ inventory, rooms }: Site): number {
  let best = 0;
  const counts = rooms.map(() => 0);
  const isFine = (): boolean => {
    const servers = counts.flatMap((count, at) => Array.from({ length: count }, (_, n) => server(at, n)));
    const topology = Topology.createFromInventory({ ...inventory, devices: [...inventory.devices, ...servers] });
    const carried = topology.computeCarriedLoads("ALLOCATED");
    const isAbove = [...topology.power.nodes.keys()].some((index) =>
      listNodeLoadReasons(carried, index).some(({ code, limit = 0 }) => code === "POWER_NORMAL" || limit >= 100),
    );
    return !isAbove && inventory.racks.every((rack, at) => (counts[at] ?? 0) * DRAW_W <= powerOf(rack));
  };
  const tryFrom = (at: number): void => {
    const total = counts.reduce((sum, count) => sum + count, 0);
    // More load never mends what is overloaded.
    if (!isFine()) return;
    best = Math.max(best, Math.min(total, WANTED));
    for (let rack = at; rack < counts.length; rack += 1) {
      if ((counts[rack] ?? 0) >= (rooms[rack] ?? 0)) continue;
      counts[rack] = (counts[rack] ?? 0) + 1;
      tryFrom(rack);
      counts[rack] = (counts[rack] ?? 0) - 1;
    }
  };
  tryFrom(0);
  return best;
}

function powerOf({ powerCapacityW = Number.POSITIVE_INFINITY }: Rack): number {
  return powerCapacityW;
}

function server(at: number, number: number): Device {
  const inlet = (side: string) => ({
    name: `psu${side}`,
    kind: "POWER_IN" as const,
    powerIn: { sourceRef: `device:P${at}${side}` },
  });
  return {
    code: `X${at}-${number}`,
    kind: "SERVER",
    status: "ACTIVE",
    rackCode: `R${at}`,
    allocatedDrawW: DRAW_W,
    ports: [inlet("A"), inlet("B")],
  };
}

test.each([
  { isCrossed: false, least: 0.97 },
  { isCrossed: true, least: 0.97 },
])(
  "FindPlacement finds most of the places that there are, and proves only what is true: %p",
  async ({ isCrossed, least }) => {
    let [optimal, rounds, ratios, proofs] = [0, 0, 0, 0];
    for (let seed = 1; seed <= Math.max(12, LAW_RUNS / 5); seed += 1) {
      const inventory = roomySite(new SeededRandom(seed), isCrossed);
      const rooms = inventory.racks.map(({ uHeight = 0 }) => uHeight);
      const service = await serviceOn(inventory);
      const { placed = 0, proven = false } = await service.call("FindPlacement", {
        count: WANTED,
        u_height: 1,
        draw_w: DRAW_W,
        redundancy: "REDUNDANCY_TWO_N",
      });
      const best = optimum({ inventory, rooms });

      expect({ seed, tooMany: placed > best }).toEqual({ seed, tooMany: false });
      if (proven) expect({ seed, placed }).toEqual({ seed, placed: best });
      if (best === 0) continue;
      rounds += 1;
      proofs += Number(proven);
      optimal += Number(placed === best);
      ratios += placed / best;
    }
    if (process.env["PLACEMENT_FIGURES"] === "1") {
      process.stdout.write(
        `${JSON.stringify({ isCrossed, rounds, optimal: optimal / rounds, mean: ratios / rounds, proofs })}\n`,
      );
    }
    expect(ratios / rounds).toBeGreaterThan(least);
  },
  600_000,
);
