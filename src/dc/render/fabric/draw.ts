import type { Drawing, DrawOptions } from "../drawing.ts";
import { framed } from "../frame.ts";
import { bundleFacts, stateOf } from "./bundles.ts";
import { fabricElements, fabricGraphOf } from "./graph.ts";
import { fabricWords } from "./header.ts";
import type { BundlePart, FabricParts, UnitPart } from "./parts.ts";
import { type Bundle, collapseFabric, type FabricPicture, type Unit } from "./picture.ts";
import { unitFacts, unitState } from "./units.ts";
import { fanBody, matrixBody, ribbonBody } from "./views.ts";

/**
 * Draws a fabric as a matrix with a cell for every pair of switches. COMPACT draws groups of switches and their links as
 * ribbons, FULL draws every link as a line above the matrix.
 */
export function drawFabric(picture: FabricPicture, options: DrawOptions): Drawing {
  const coloring = options.coloring ?? "UTILIZATION";
  const view = options.view === "COMPACT" || options.view === "FULL" ? options.view : undefined;
  const collapsed = collapseFabric(picture, { ...options, view });
  const parts = partsOf(picture, collapsed.units, collapsed.bundles);
  return {
    scene: framed({ ...fabricWords(picture, collapsed, coloring), ...BODIES[view ?? "MATRIX"](parts, coloring) }),
    graph: fabricGraphOf(picture, parts, coloring),
    elements: fabricElements(parts),
    omittedNodes: collapsed.omitted,
  };
}

const BODIES = { MATRIX: matrixBody, COMPACT: ribbonBody, FULL: fanBody } as const;

function partsOf(picture: FabricPicture, units: readonly Unit[], bundles: readonly Bundle[]): FabricParts {
  const states = bundles.map((bundle) => stateOf(bundle, picture));
  const ends = units.map((): number[] => []);
  for (const [index, { upper, lower }] of bundles.entries()) {
    ends[upper]?.push(index);
    ends[lower]?.push(index);
  }
  const unitParts = units.map((unit, index): UnitPart => {
    const own = (ends[index] ?? []).flatMap((at) => states[at] ?? []);
    const state = unitState(unit, own);
    const tip = [state.title, ...unitFacts(unit, state).map(([label, value]) => `${label}: ${value}`)].join("\n");
    return { ...unit, tally: state, tip };
  });
  const name = (index: number) => unitParts[index]?.tally.title ?? "";
  const bundleParts = bundles.map((bundle, index): BundlePart => {
    const state = states[index] ?? stateOf(bundle, picture);
    const [only, ...others] = bundle.links;
    const ref =
      only === undefined || others.length > 0 ? `${units[bundle.lower]?.id}~${units[bundle.upper]?.id}` : only.ref;
    const title = `${name(bundle.lower)} to ${name(bundle.upper)}`;
    const facts = [...bundleFacts(bundle, state), ...physicalFacts(bundle, picture)];
    return {
      ...bundle,
      state,
      ref,
      title,
      facts,
      tip: [title, ...facts.map(([label, value]) => `${label}: ${value}`)].join("\n"),
    };
  });
  return { units: unitParts, bundles: bundleParts };
}

function physicalFacts({ links }: Bundle, { physical }: FabricPicture): readonly (readonly [string, string])[] {
  const bad = links.filter(({ ref }) => ["MISSING", "MISMATCH"].includes(physical.get(ref) ?? ""));
  return bad.length === 0 ? [] : [["Cables", `${bad.length} of ${links.length} do not join the two ends`]];
}
