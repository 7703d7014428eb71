import { expect, test } from "bun:test";
import { create } from "@bufbuild/protobuf";
import { Topology } from "#dc/analysis/topology.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import { answerFabricTopology } from "#dc/operations/fabric_topology.ts";
import type { DcReader } from "#dc/ports.ts";
import {
  FabricTopologyRequestSchema,
  type FabricTopologyResponse,
  Health,
  Severity,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { FabricModel, type FabricQuestion } from "../../support/dc/fabric_model.ts";
import { around } from "../../support/dc/fabric_tier_model.ts";
import { fabricWorld } from "../../support/dc/fabric_world.ts";
import { openMemory } from "../../support/dc/memory/store.ts";
import { putAll } from "../../support/dc/stored.ts";
import { LAW_INVENTORIES } from "../../support/law_inventories.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

/** Seeds of inventories on which the product and the model once differed. */
const KEPT: readonly number[] = [3000, 3002, 3003, 3005, 3008, 3010, 3013, 3024];
const SEEDS = [...KEPT, ...Array.from({ length: LAW_INVENTORIES }, (_, index) => 3100 + index)];
const QUESTIONS = 21;

const HEALTH_NAMES = new Map<number, string>(Object.entries(Health).map(([name, value]) => [value, name]));
const SEVERITY_NAMES = new Map<number, string>(Object.entries(Severity).map(([name, value]) => [value, name]));

/** The reply in the words of the model. */
function plain({ nodes, links, congested, missing, findings, summary }: FabricTopologyResponse) {
  return {
    nodes: nodes.map((node) => ({
      code: node.code,
      role: node.role,
      rack: node.rackCode,
      tier: node.tier,
      downlink: node.downlinkMbps,
      uplink: node.uplinkMbps,
      over: node.oversubscription?.toFixed(6),
      overN1: node.oversubscriptionN1?.toFixed(6),
      up: node.uplinksUp,
      total: node.uplinksTotal,
      failed: node.failed,
    })),
    links: links.map(({ ref, link, live, health }) => ({
      ref,
      pct: link?.utilizationPct.toFixed(6) ?? "",
      live,
      health: HEALTH_NAMES.get(health),
    })),
    congested,
    missing: missing.map(({ leafCode, spineCode }) => `${leafCode} ${spineCode}`).toSorted(),
    findings: findings
      .map(({ code, severity, ref, value }) =>
        [code, SEVERITY_NAMES.get(severity), ref, ...(/UNEQUAL|ECMP/.test(code) ? [value] : [])].join(" "),
      )
      .toSorted(),
    summary: {
      up: summary?.linksUp,
      down: summary?.linksDown,
      congested: summary?.congested,
      most: summary?.maxUtilPct.toFixed(6),
      p95: summary?.p95UtilPct.toFixed(6),
      bisection: summary?.bisectionMbps,
      counted: summary?.bisectionCounted,
    },
  };
}

test("a fabric of any tiers, whole, in part and with switches lost, is what a plain model of the laws says", async () => {
  for (const seed of SEEDS) {
    const random = new SeededRandom(seed);
    const inventory = fabricWorld(random);
    const { racks, devices, fabricLinks } = inventory;
    const model = new FabricModel(inventory);
    const topology = Topology.createFromInventory(inventory);
    const store = openMemory();
    await store.write(async (writer) => {
      await putAll(writer, "device", devices);
    });
    const fabrics = [...new Set(fabricLinks.flatMap(({ fabricId }) => fabricId?.toLowerCase() ?? []))];
    const places = [
      ...racks.flatMap(({ location, code }) => around(location, code)),
      ...devices.flatMap(({ location, rackCode }) => around(location, rackCode)),
    ];
    const ask = (reader: DcReader, question: FabricQuestion) =>
      answerFabricTopology(
        { reader, topology, scheduler: new CooperativeScheduler() },
        create(FabricTopologyRequestSchema, {
          fabricId: question.fabric ?? "",
          scopeRef: question.scope ?? "",
          failedDeviceCodes: [...question.failed],
          congestionPct: question.congestionPct,
          watchPct: question.watchPct,
        }),
      );
    await store.read(async (reader) => {
      for (let number = 0; number < QUESTIONS; number += 1) {
        const [fabric, scope] = [random.pick(["", ...fabrics]), random.pick(["", "", ...places])];
        const question: FabricQuestion = {
          ...(fabric !== "" && { fabric }),
          ...(scope !== "" && { scope }),
          failed: devices.filter(() => number > 5 && random.below(8) === 0).map(({ code }) => code),
          congestionPct: random.pick([80, 80, 50, 95]),
          watchPct: random.pick([60, 60, 40]),
        };

        const { reply } = await ask(reader, question);

        expect({ seed, question, ...plain(reply) }).toEqual({ seed, question, ...model.answer(question) });
      }
    });
  }
}, 3_600_000);
