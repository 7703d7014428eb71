import { expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { serviceOn, unannounced } from "../../support/dc/placed.ts";
import { placementWorld } from "../../support/dc/placement_world.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

// Answers of FindPlacement are written as they are: first tried, then done. Nothing may be warned about that was not announced.

function request(random: SeededRandom): JsonObject {
  const method = random.pick(["AIR", "AIR", "AIR", "LIQUID", "HYBRID"]);
  return {
    count: 1 + random.below(8),
    u_height: random.pick([1, 1, 2, 0.5, 1.5]),
    face: random.pick(["FACE_FRONT", "FACE_REAR"]),
    depth: random.pick(["DEPTH_FULL", "DEPTH_HALF"]),
    draw_w: random.pick([0, 100, 250, 333, 500]),
    load_basis: random.pick(["LOAD_BASIS_ALLOCATED", "LOAD_BASIS_ALLOCATED", "LOAD_BASIS_MAX", "LOAD_BASIS_MEASURED"]),
    inlets: 1 + random.below(3),
    cooling_method: `COOLING_METHOD_${method}`,
    ...(method === "HYBRID" && { liquid_fraction_pct: 70 }),
    ...(random.below(2) === 0 && { weight_kg: random.pick([5, 12.3, 30]) }),
    ...(random.below(2) === 0 && { ports: [{ count: 1 + random.below(2), speed_mbps: 25_000 }] }),
    ...(random.below(3) === 0 && { headroom_pct: 10 }),
    ...(random.below(3) === 0 && { allow_existing_warnings: true }),
    ...(random.below(3) === 0 && { tenant: "us" }),
    include_items: true,
  };
}

test("writing an answer causes no warning that it does not announce, on generated sites", async () => {
  let placed = 0;
  for (let seed = 1; seed <= 40 + LAW_RUNS; seed += 1) {
    const random = new SeededRandom(seed);
    const service = await serviceOn(placementWorld(random));
    const asked = request(random);
    const answer = await service.call("FindPlacement", asked);
    placed += answer.placed ?? 0;

    expect({ seed, asked, found: await unannounced(service, answer) }).toEqual({ seed, asked, found: [] });
  }
  expect(placed).toBeGreaterThan(20);
}, 600_000);
