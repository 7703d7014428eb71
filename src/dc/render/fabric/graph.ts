import { tierName } from "#dc/analysis/fabric/fabric_tiers.ts";
import type { Coloring } from "#dc/model/enum_values.ts";
import { percent } from "#words/figures.ts";
import type { Element, Graph, GraphEdge, GraphNode } from "../drawing.ts";
import { STATE_WORDS } from "../parts/marks.ts";
import { strokeOf } from "./bundles.ts";
import type { FabricParts } from "./parts.ts";
import type { FabricPicture } from "./picture.ts";
import { lostWords, ratio, unitFacts, unitFill } from "./units.ts";

/** The same picture as nodes and edges. */
export function fabricGraphOf({ name }: FabricPicture, { units, bundles }: FabricParts, coloring: Coloring): Graph {
  const bottom = Math.min(...units.map(({ tier }) => tier));
  return {
    name: `Fabric ${name}`,
    directed: false,
    rankdir: "TB",
    nodes: units.map((unit): GraphNode => {
      const { tally } = unit;
      const lines = [
        tally.title,
        unit.group ? `${unit.switches.length} switches` : "",
        `${STATE_WORDS[tally.state]}, ${tally.uplinksUp} of ${tally.uplinks} links up`,
        tally.oversubscription === undefined
          ? ""
          : `${ratio(tally.oversubscription)}, an upper switch lost ${lostWords(tally)}`,
      ];
      return {
        id: unit.id,
        label: lines.filter((line) => line !== "").join("\n"),
        shape: unit.group ? "note" : unit.tier === bottom ? "box" : "hexagon",
        fill: unitFill(unit, tally, coloring),
        ...(tally.failed > 0 && { style: "dashed" }),
      };
    }),
    edges: bundles.map(({ upper, lower, state }): GraphEdge => {
      // Lines of a graph have no outline, so they use the strong colours of states.
      const { stroke, dash } = strokeOf(state, coloring === "UTILIZATION" ? "HEALTH" : coloring);
      const label =
        state.utilizationPct === undefined ? (state.down > 0 ? "down" : "missing") : percent(state.utilizationPct);
      return {
        from: units[upper]?.id ?? "",
        to: units[lower]?.id ?? "",
        label,
        ...(stroke !== undefined && { stroke }),
        ...(dash !== undefined ? { style: dash } : state.congested ? { style: "bold" as const } : {}),
      };
    }),
  };
}

/** Facts about every switch, group and pair. */
export function fabricElements({ units, bundles }: FabricParts): readonly Element[] {
  const joined = units.map((): string[] => []);
  for (const { upper, lower } of bundles) {
    joined[upper]?.push(units[lower]?.id ?? "");
    joined[lower]?.push(units[upper]?.id ?? "");
  }
  return [
    ...units.map((unit, index): Element => {
      const kind = unit.group ? "Group" : capital(tierName(unit.tier));
      return {
        ref: unit.id,
        kind,
        title: unit.tally.title,
        facts: unitFacts(unit, unit.tally),
        related: joined[index] ?? [],
      };
    }),
    ...bundles.map(({ ref, title, facts, upper, lower }): Element => {
      const related = [units[lower]?.id ?? "", units[upper]?.id ?? ""];
      return { ref, kind: "Link", title, facts, related };
    }),
  ];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
