import { expect, test } from "bun:test";
import { create } from "@bufbuild/protobuf";
import { Topology } from "#dc/analysis/topology.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { codeKey } from "#dc/model/ref.ts";
import { answerPowerBlastRadius } from "#dc/operations/power_blast_radius.ts";
import { collapseFailure } from "#dc/render/power/node_grouper.ts";
import { buildDrawnPowerNode } from "#dc/render/power/nodes.ts";
import { ImpactState, ItemKind, PowerBlastRadiusRequestSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { ams1Inventory } from "../../support/dc/ams1_inventory.ts";
import { drawnInventory } from "../../support/dc/power_model/inventory.ts";
import { readingOf } from "../../support/dc/topology_reader.ts";

// A blast radius and its picture say the same about every rack; tests/laws/dc/agreement.test.ts compares the rest.

const INVENTORIES = 30;

async function inventories(): Promise<readonly (readonly [string, Inventory])[]> {
  const drawn = Array.from({ length: INVENTORIES }, (_, seed) => {
    return [`inventory ${seed}`, drawnInventory(seed)] as const;
  });
  return [["AMS1", await ams1Inventory()], ...drawn];
}

const SHOWN = { [ImpactState.DARK]: "OFFLINE", [ImpactState.PARTIAL]: "PARTIAL", [ImpactState.DEGRADED]: "DEGRADED" };

test("the reply and its picture give each rack the same state and the same counts", async () => {
  for (const [name, inventory] of await inventories()) {
    const topology = Topology.createFromInventory(inventory);
    const sources = inventory.devices.filter(({ kind }) => ["RACK_PDU", "RPP", "UPS", "UTILITY"].includes(kind));
    const step = Math.max(1, Math.floor(sources.length / 8));
    for (const { code } of sources.filter((_, at) => at % step === 0)) {
      const request = create(PowerBlastRadiusRequestSchema, {
        sourceRef: `device:${code}`,
        includeProtected: true,
        maxItems: 10_000,
      });

      const { reply, picture } = await answerPowerBlastRadius(readingOf(topology), request);

      const failure = picture();
      const folded = collapseFailure(failure, { maxNodes: 500, highlight: new Set<string>(), compact: false });
      const racks = [...reply.affected, ...reply.protected].filter(({ kind }) => kind === ItemKind.RACK);
      const states = new Map(racks.map((rack) => [codeKey(rack.code), SHOWN[rack.state as keyof typeof SHOWN]]));
      for (const drawn of folded.drawn.filter(({ id }) => id.startsWith("rack:"))) {
        const { drawnState: shown } = buildDrawnPowerNode(failure, folded, drawn);
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
});
