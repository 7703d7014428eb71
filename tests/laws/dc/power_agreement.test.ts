import { expect, test } from "bun:test";
import { create } from "@bufbuild/protobuf";
import { floorPlan } from "#dc/analysis/floor_plan.ts";
import { Topology } from "#dc/analysis/topology.ts";
import { codeKey } from "#dc/model/code.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { parseRef, type Ref } from "#dc/model/ref.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import { powerBlastRadiusAnswer } from "#dc/operations/answers/power_blast_radius.ts";
import { foldFailure } from "#dc/render/power/fold.ts";
import { partOf } from "#dc/render/power/part.ts";
import { ImpactState, ItemKind, PowerBlastRadiusRequestSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { ams1Inventory } from "../../support/dc/ams1_inventory.ts";
import { drawnInventory } from "../../support/dc/power_model/inventory.ts";

// Health, search, the floor, blast radius and its picture say the same about the power of every rack.

const INPUT = { basis: "ALLOCATED" as const, now: "2026-06-01T00:00:00.000Z" };
const INVENTORIES = 30;

async function inventories(): Promise<readonly (readonly [string, Inventory, string])[]> {
  const drawn = Array.from({ length: INVENTORIES }, (_, seed) => {
    return [`inventory ${seed}`, drawnInventory(seed), "floor:S/1"] as const;
  });
  return [["AMS1", await ams1Inventory(), "floor:AMS1/1"], ...drawn];
}

test("the floor and the rack give the same health, and audits the devices that it names", async () => {
  for (const [name, inventory, floor] of await inventories()) {
    const topology = Topology.of(inventory);
    const tiles = floorPlan(topology, parseRef(floor) as Ref, INPUT).racks;
    const unmet = new Set(topology.redundancyUnmet());
    const unknown = new Set(topology.redundancyUnknown());

    for (const rack of inventory.racks) {
      const { health, reasons } = topology.rackStanding(rack, INPUT);
      const tile = tiles.find((one) => one.rack.code === rack.code);
      const inside = topology.devicesInRack(rack.code).map(({ code }) => code);
      const named = (code: string) => reasons.filter((reason) => reason.code === code).map(({ ref }) => ref);

      expect({ name, rack: rack.code, health, reasons }).toEqual({
        name,
        rack: rack.code,
        health: tile?.health ?? "OK",
        reasons: [...(tile?.reasons ?? [])],
      });
      expect(named("REDUNDANCY_UNKNOWN").toSorted()).toEqual(
        inside
          .filter((code) => unknown.has(code))
          .map((code) => `device:${code}`)
          .toSorted(),
      );
      const isWhole = reasons.some(
        ({ code, ref }) => code !== "SPACE" && ref === `rack:${rack.code}` && /PATH|UNMET/.test(code),
      );
      const lacking = inside.filter((code) => unmet.has(code)).map((code) => `device:${code}`);
      if (!isWhole) expect(named("REDUNDANCY_UNMET").toSorted()).toEqual(lacking.toSorted());
      else expect(lacking.length).toBeGreaterThan(0);
    }
  }
}, 120_000);

const SHOWN = { [ImpactState.DARK]: "OFFLINE", [ImpactState.PARTIAL]: "PARTIAL", [ImpactState.DEGRADED]: "DEGRADED" };

test("the reply and its picture give each rack the same state and the same counts", async () => {
  for (const [name, inventory] of await inventories()) {
    const topology = Topology.of(inventory);
    const sources = inventory.devices.filter(({ kind }) => ["RACK_PDU", "RPP", "UPS", "UTILITY"].includes(kind));
    const step = Math.max(1, Math.floor(sources.length / 8));
    for (const { code } of sources.filter((_, at) => at % step === 0)) {
      const request = create(PowerBlastRadiusRequestSchema, {
        sourceRef: `device:${code}`,
        includeProtected: true,
        maxItems: 10_000,
      });

      const { reply, picture } = await powerBlastRadiusAnswer(
        { topology, scheduler: new CooperativeScheduler() },
        request,
      );

      const failure = picture();
      const folded = foldFailure(failure, { maxNodes: 500, highlight: new Set<string>(), compact: false });
      const racks = [...reply.affected, ...reply.protected].filter(({ kind }) => kind === ItemKind.RACK);
      const states = new Map(racks.map((rack) => [codeKey(rack.code), SHOWN[rack.state as keyof typeof SHOWN]]));
      for (const drawn of folded.drawn.filter(({ id }) => id.startsWith("rack:"))) {
        const { shown } = partOf(failure, folded, drawn);
        const state = states.get(codeKey(drawn.id.slice("rack:".length)));
        if (state !== undefined && shown !== "FAILED") {
          expect({ name, source: code, rack: drawn.id, shown: String(shown) }).toEqual({
            name,
            source: code,
            rack: drawn.id,
            shown: state,
          });
        }
      }
      expect([reply.impact?.racksDark, reply.impact?.racksPartial, reply.impact?.racksProtected]).toEqual(
        [ImpactState.DARK, ImpactState.PARTIAL, ImpactState.DEGRADED].map(
          (state) => racks.filter((rack) => rack.state === state).length,
        ),
      );
    }
  }
}, 120_000);
