import { expect } from "bun:test";
import fc from "fast-check";
import type { Inventory } from "#dc/model/inventory.ts";
import type { Device } from "#dc/model/resources.ts";
import { collectFailureSurroundings } from "#dc/render/power/failure.ts";
import { collapseFailure } from "#dc/render/power/node_grouper.ts";
import { failureOf } from "../../../support/dc/pictures.ts";
import { inventory, load, panel, source } from "../../../support/dc/power.ts";
import { law } from "../../../support/law.ts";

/** A tree of panels over several places, with loads on one or two feeds. */
const site: fc.Arbitrary<Inventory> = fc
  .record({
    panels: fc.array(
      fc.record({ feeds: fc.integer({ min: 1, max: 6 }), room: fc.constantFrom("H1", "H2", undefined) }),
      {
        minLength: 1,
        maxLength: 6,
      },
    ),
    loads: fc.array(
      fc.record({
        sources: fc.array(fc.nat({ max: 35 }), { minLength: 1, maxLength: 2 }),
        rack: fc.constantFrom("R1", "R2", "R3", undefined),
        row: fc.constantFrom("A", "B", undefined),
        kind: fc.constantFrom("SERVER" as const, "RACK_PDU" as const, "SWITCH" as const),
      }),
      { maxLength: 40 },
    ),
  })
  .map(({ panels, loads }) => {
    const feeds = panels.flatMap((one, index) => Array.from({ length: one.feeds }, (_, at) => `F${index}-${at}`));
    const at = (room: string | undefined, row?: string) => ({
      siteId: "S",
      floorNumber: 1,
      ...(room !== undefined && { room }),
      ...(row !== undefined && { row }),
    });
    const devices: Device[] = [
      source("U"),
      ...panels.map((one, index) => ({
        ...panel(
          `P${index}`,
          ["device:U"],
          feeds.filter((feed) => feed.startsWith(`F${index}-`)),
        ),
        location: at(one.room),
      })),
      ...loads.map(({ sources, rack, row, kind }, index) =>
        load(
          `L${index}`,
          sources.map((place) => `feed:${feeds[place % feeds.length]}`),
          { kind, location: at("H1", row), ...(rack !== undefined && { rackCode: rack }) },
        ),
      ),
    ];
    return inventory(...devices);
  });

const asked = fc.record({
  site,
  refs: fc.constantFrom(["device:U"], ["device:P0"], ["feed:F0-0"], ["site:S"], ["device:P0", "feed:F0-0"]),
  maxNodes: fc.integer({ min: 1, max: 60 }),
  highlight: fc.subarray(["device:L0", "rack:R1", "feed:F0-0", "device:P0", "rack:none"]).map((refs) => new Set(refs)),
  compact: fc.boolean(),
});

law(
  "every element of a failure is a member of exactly one thing that is drawn, and no other is",
  [asked],
  ({ site: given, refs, ...options }) => {
    const failure = failureOf(given, refs);
    const { drawn } = collapseFailure(failure, options);
    const { impacts } = collectFailureSurroundings(failure);
    const members = drawn.flatMap((one) => one.members).toSorted((a, b) => a - b);
    const reached = [...failure.graph.nodes.keys()].filter((index) => impacts.has(index));
    expect(members).toEqual(reached);
  },
);

law(
  "never more is drawn than may be, and what is not drawn itself is counted",
  [asked],
  ({ site: given, refs, ...options }) => {
    const failure = failureOf(given, refs);
    const { drawn, omittedElements: omitted } = collapseFailure(failure, options);
    const { keyNodes: keys } = collectFailureSurroundings(failure);
    // An outlet counts as a part of its device, unless it was asked for or highlighted.
    const counts = (index: number) => {
      const node = failure.graph.nodes[index];
      return node?.kind !== "OUTLET" || keys.has(index) || options.highlight.has(node.ref);
    };
    const elements = ({ members }: (typeof drawn)[number]) => Math.max(1, members.filter(counts).length);
    const groups = drawn.filter(({ form }) => form === "GROUP");
    const single = drawn.filter(({ form }) => form !== "GROUP").reduce((sum, one) => sum + elements(one), 0);
    expect(groups.length + single).toBeLessThanOrEqual(options.maxNodes);
    expect(omitted).toBe(groups.reduce((sum, one) => sum + elements(one), 0));
    expect(new Set(drawn.map(({ id }) => id)).size).toBe(drawn.length);
  },
);

law("every supply between two drawn things is an edge", [asked], ({ site: given, refs, ...options }) => {
  const failure = failureOf(given, refs);
  const { drawn, edges } = collapseFailure(failure, options);
  const groupOf = new Map(drawn.flatMap(({ members }, group) => members.map((index) => [index, group] as const)));
  const drawnEdges = new Set(edges.map(({ from, to }) => `${from} ${to}`));
  for (const edge of failure.graph.nodes.flatMap((_, index) => failure.graph.supplies.listEdges(index))) {
    const [from, to] = [groupOf.get(edge.from), groupOf.get(edge.to)];
    if (from !== undefined && to !== undefined && from !== to) expect(drawnEdges).toContain(`${from} ${to}`);
  }
  for (const { count, dead } of edges) expect(dead).toBeLessThanOrEqual(count);
});
