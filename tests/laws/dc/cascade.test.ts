import { expect } from "bun:test";
import fc from "fast-check";
import { computeBlastRadius } from "#dc/analysis/power/blast_radius.ts";
import { computeLiveNodes } from "#dc/analysis/power/power_live.ts";
import { computeLoads } from "#dc/analysis/power/power_load.ts";
import { Topology } from "#dc/analysis/topology.ts";
import { roundFigure } from "#dc/model/figure.ts";
import { inventory, load } from "../../support/dc/power.ts";
import { law } from "../../support/law.ts";

/** Small suppliers and consumers that hang on earlier ones; many trip when one fails. */
const plans = fc.array(
  fc.record({
    sources: fc.array(fc.nat(30), { maxLength: 3 }),
    draw: fc.constantFrom(0, 60, 100),
    capacityW: fc.option(fc.constantFrom(50, 120, 200), { nil: undefined }),
  }),
  { minLength: 3, maxLength: 16 },
);

/** Failure and trips worked out anew from the start at every step. */
function slowly({ power: graph, live: baseline }: Topology, source: number) {
  const before = computeLoads(graph, baseline, "ALLOCATED").watts;
  const removed = new Set([source]);
  const steps: { trippedRefs: Set<string>; devicesOffline: number }[] = [];
  for (;;) {
    const live = computeLiveNodes(graph, removed);
    const after = computeLoads(graph, live, "ALLOCATED").watts;
    const tripping = [...graph.nodes.keys()].filter((index) => {
      const { capacityW = 0 } = graph.nodes[index] ?? {};
      const [was, is] = [roundFigure(before[index] ?? 0), roundFigure(after[index] ?? 0)];
      return live[index] === 1 && capacityW > 0 && is > was && is > capacityW;
    });
    const last = steps.at(-1);
    const dark = [...graph.nodes.keys()].filter((index) => baseline[index] === 1 && live[index] === 0);
    if (last !== undefined) last.devicesOffline = dark.filter((index) => index !== source).length;
    if (tripping.length === 0 || steps.length === 20) return { steps, live, after };
    for (const index of tripping) removed.add(index);
    steps.push({ trippedRefs: new Set(tripping.map((index) => graph.nodes[index]?.ref ?? "")), devicesOffline: 0 });
  }
}

for (const tangled of [false, true]) {
  law(
    `a cascade trips what it trips when each step is worked out anew${tangled ? ", on circles as well" : ""}`,
    [plans, fc.nat()],
    (given, pick) => {
      const devices = given.map(({ sources, draw, capacityW }, index) =>
        load(
          `D${index}`,
          index === 0 ? [] : sources.map((source) => `device:D${source % (tangled ? given.length : index)}`),
          {
            kind: "RACK_PDU",
            allocatedDrawW: draw,
            ...(capacityW !== undefined && { power: { capacityW } }),
          },
        ),
      );
      const topology = Topology.createFromInventory(inventory(...devices));
      const source = pick % topology.power.nodes.length;
      const failing = { sources: new Set([source]), unlisted: new Set([source]) };

      const blast = computeBlastRadius(topology, failing, {
        basis: "ALLOCATED",
        cascade: true,
        assumeBattery: false,
      });

      const expected = slowly(topology, source);
      const told = blast.steps.map(({ trippedRefs, devicesOffline }) => ({
        trippedRefs: new Set(trippedRefs),
        devicesOffline,
      }));
      expect(told).toEqual(expected.steps);
      expect([...blast.live]).toEqual([...expected.live]);
      expect([...blast.loadsAfter]).toEqual([...expected.after]);
    },
  );
}
