import type { Drawing, DrawOptions } from "../drawing.ts";
import { framed } from "../frame.ts";
import type { Coloring } from "../options.ts";
import { mark } from "../parts/marks.ts";
import type { Item } from "../scene.ts";
import { bundleFacts, stateOf } from "./bundles.ts";
import { fabricElements, fabricGraphOf } from "./graph.ts";
import { fabricWords } from "./header.ts";
import { linkLines, type Slot } from "./lines.ts";
import { matrixItems } from "./matrix.ts";
import type { BundlePart, FabricParts, UnitPart } from "./parts.ts";
import { type Bundle, type FabricPicture, foldFabric, type Unit } from "./picture.ts";
import { unitFacts, unitFill, unitState } from "./units.ts";

/** Room at the left for the names of the rows. */
const LABELS = 190;
const BOX_HEIGHT = 44;
const BOX_WIDTH = 180;
const LEAST_BOX = 132;
/** Height in which links fan out between two tiers. */
const FAN = 150;
/** Columns of leaves: broad with words, or narrow with names that stand. */
const BROAD = 112;
const NARROW = 34;
/** Width that columns fill when there is room for more. */
const WIDE = 1500;

/** Draws a fabric: upper tiers above, the lowest below, every pair of them as a line and as a cell with its utilisation. */
export function drawFabric(picture: FabricPicture, options: DrawOptions): Drawing {
  const coloring = options.coloring ?? "UTILIZATION";
  const view = options.view === "COMPACT" || options.view === "FULL" ? options.view : undefined;
  const folded = foldFabric(picture, { ...options, view });
  const parts = partsOf(picture, folded.units, folded.bundles);
  return {
    scene: framed({ ...fabricWords(picture, folded, coloring), ...bodyOf(parts, coloring) }),
    graph: fabricGraphOf(picture, parts, coloring),
    elements: fabricElements(parts),
    omittedNodes: folded.omitted,
  };
}

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

function bodyOf(parts: FabricParts, coloring: Coloring) {
  const tiers = [...new Set(parts.units.map(({ tier }) => tier))].sort((a, b) => b - a);
  const ordered = tiers.map((tier) => [...parts.units.keys()].filter((index) => parts.units[index]?.tier === tier));
  const rows = ordered.slice(0, -1);
  const bottom = ordered.at(-1) ?? [];
  const column = Math.max(NARROW, Math.min(BROAD, WIDE / Math.max(1, bottom.length)));
  const most = Math.max(0, ...rows.map(({ length }) => length));
  const room = Math.max(bottom.length * column, most * (LEAST_BOX + 12), Math.min(most, 4) * (BOX_WIDTH + 24), 480);
  const slots = new Map<number, Slot>();
  for (const [at, row] of rows.entries()) {
    const share = room / row.length;
    const width = Math.min(BOX_WIDTH, share - 12);
    for (const [place, unit] of row.entries()) {
      slots.set(unit, { x: LABELS + share * (place + 0.5) - width / 2, y: at * (BOX_HEIGHT + FAN), width });
    }
  }
  const leavesY = rows.length * (BOX_HEIGHT + FAN);
  const width = bottom.length === 0 ? 0 : Math.min(room / bottom.length, BROAD * 1.5);
  const start = LABELS + (room - width * bottom.length) / 2;
  for (const [place, unit] of bottom.entries()) slots.set(unit, { x: start + place * width, y: leavesY, width });
  const matrix = matrixItems(parts, { columns: bottom, rows: rows.flat(), slots, coloring, labels: LABELS });
  const boxes = rows.flat().flatMap((index) => unitBox(parts.units[index], slots.get(index), coloring));
  const lines = linkLines(parts, { slots, columns: bottom, coloring, boxHeight: BOX_HEIGHT });
  return {
    body: [...lines, ...boxes, ...matrix.items],
    bodyWidth: LABELS + room,
    bodyHeight: bottom.length === 0 ? Math.max(0, leavesY - FAN) : leavesY + matrix.height,
  };
}

function unitBox(unit: UnitPart | undefined, slot: Slot | undefined, coloring: Coloring): readonly Item[] {
  if (unit === undefined || slot === undefined) return [];
  const { tally } = unit;
  const fill = unitFill(unit, tally, coloring);
  const ink = `on:${fill as "panel"}` as const;
  const words = `${tally.uplinksUp}/${tally.uplinks} links up${tally.failed > 0 ? " · failed" : ""}`;
  return [
    {
      kind: "group",
      ref: unit.id,
      tip: unit.tip,
      at: [slot.x, slot.y],
      items: [
        {
          kind: "rect",
          x: 0,
          y: 0,
          width: slot.width,
          height: BOX_HEIGHT,
          radius: 6,
          fill,
          stroke: `${tally.state}Text`,
          strokeWidth: 1.5,
          ...(tally.failed > 0 && { dash: "dashed" }),
        },
        {
          kind: "text",
          x: 10,
          y: 18,
          text: tally.title,
          size: 12,
          weight: "bold",
          fill: ink,
          maxWidth: slot.width - 34,
        },
        ...mark(tally.state, [slot.width - 15, 14], 12),
        { kind: "text", x: 10, y: 35, text: words, size: 10.5, fill: ink, maxWidth: slot.width - 18 },
      ],
    },
  ];
}
