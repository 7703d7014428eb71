import { formatPercent, formatWatts } from "#words/figures.ts";
import { formatConstant, getRefName } from "#words/names.ts";
import type { PowerNode } from "../../analysis/power/power_nodes.ts";
import { countUnknownDraws } from "../../analysis/power/unknown_draws.ts";
import { type Coloring, DEVICE_KINDS } from "../../model/enum_values.ts";
import { compareText } from "../../model/ref.ts";
import { findScaleToken, type Paint } from "../palette.ts";
import { findRoleFill, findStatusFill } from "../parts/marks.ts";
import { formatArea } from "../places.ts";
import { createRect, createText, formatTip, type Item, type PixelRow } from "../scene.ts";
import { measureText } from "../text_width.ts";
import { formatNodeTitle, IMPACT_STATES, type ImpactState, type PowerFailure } from "./failure.ts";
import type { CollapsedFailure, DrawnEdge, DrawnNode } from "./node_grouper.ts";
import {
  countImpacts,
  type DrawnState,
  drawBadge,
  findDrawnState,
  formatGroupLabel,
  formatImpactLabel,
  IMPACT_STYLES,
  type ImpactTally,
} from "./tally.ts";

export const BOX_WIDTH = 196;
const LINE_HEIGHT = 15;
const CHIP_HEIGHT = 20;
const CHIP_FONT_SIZE = 10;

/** All displayed facts about one node of the graph. */
export class NodeFacts {
  readonly ref: string;
  readonly title: string;
  readonly impact: ImpactState;
  readonly node: PowerNode;
  readonly #failure: PowerFailure;
  readonly #collapsed: CollapsedFailure;
  readonly #index: number;

  constructor(failure: PowerFailure, collapsed: CollapsedFailure, index: number) {
    this.#failure = failure;
    this.#collapsed = collapsed;
    this.#index = index;
    const node = failure.graph.nodes[index];
    if (node === undefined) throw new RangeError(`The power graph has no node ${index}`);
    this.node = node;
    this.ref = node.ref;
    this.title = formatNodeTitle(node);
    this.impact = collapsed.surroundings.impacts.get(index) ?? "LIVE";
  }

  kind(): string {
    if (this.node.kind === "DEVICE") return formatConstant(this.node.device.kind);
    if (this.node.kind === "CRAC") return formatConstant(this.node.crac.kind);
    return this.node.kind === "FEED" ? "Undeclared feed" : this.node.ref.startsWith("feed:") ? "Feed" : "Outlet";
  }

  formatName(): string {
    const name =
      this.node.kind === "DEVICE" ? this.node.device.name : this.node.kind === "CRAC" ? this.node.crac.name : "";
    return name === undefined || name === this.title ? "" : name;
  }

  /** Returns a text for the step in which the node trips, and one for its overload after the failure. */
  listAlarms(): readonly string[] {
    const { trips, overloads } = this.#collapsed.surroundings;
    const trip = trips.get(this.#index);
    const overload = overloads.get(this.#index);
    return [
      ...(trip === undefined ? [] : [`Step ${trip.step}: trips at ${formatPercent(trip.utilizationPct)}`]),
      ...(overload === undefined
        ? []
        : [`${formatPercent(overload.utilizationPct)}: ${OVERLOAD_LABELS[overload.severity]}`]),
    ];
  }

  /** Formats the node's load after the failure, with its capacity if known; empty if the node is not live. */
  formatLoad(): string {
    if (this.#failure.blast.live[this.#index] !== 1) return "";
    const loadW = Math.round(this.#failure.blast.loadsAfter[this.#index] ?? 0);
    const { capacityW } = this.node;
    if (loadW === 0 && countUnknownDraws(this.#failure.graph, this.#index, true) > 0) return "load not recorded";
    if (capacityW === undefined || capacityW === 0) return loadW === 0 ? "" : formatWatts(loadW);
    return `${formatWatts(loadW)} of ${formatWatts(capacityW)} (${formatPercent((loadW / capacityW) * 100)})`;
  }

  listFacts(): readonly (readonly [string, string])[] {
    const { graph, before, blast } = this.#failure;
    const inlets = graph.inlets.listEdges(this.#index).filter(({ from }) => before[from] === 1);
    const names = (live: boolean) =>
      inlets
        .filter(({ from, inlet }) => (blast.live[from] === 1) === live && inlet !== "")
        .map(({ inlet, from }) => `${inlet} (${getRefName(graph.nodes[from]?.ref ?? "")})`)
        .join(", ");
    const rack = this.node.kind === "DEVICE" ? this.node.device.rackCode : undefined;
    const facts: (readonly [string, string])[] = [
      ["State", IMPACT_STYLES[this.impact].label],
      ["Kind", this.kind()],
      ["Name", this.formatName()],
      ["Role", this.node.kind === "DEVICE" ? (this.node.device.role ?? "") : ""],
      ["Rack", rack ?? ""],
      ["Load after the failure", this.formatLoad()],
      ["Inlets lost", names(false)],
      ["Inlets left", names(true)],
      ...this.listAlarms().map((alarm): readonly [string, string] => ["Alarm", alarm]),
    ];
    return facts.filter(([, value]) => value !== "");
  }

  formatTip(): string {
    return formatTip(this.title, this.listFacts());
  }

  listRelatedRefs(): readonly string[] {
    const { graph } = this.#failure;
    const near = [...graph.inlets.listEdges(this.#index), ...graph.supplies.listEdges(this.#index)];
    return [...new Set(near.flatMap(({ from, to }) => graph.nodes[from === this.#index ? to : from]?.ref ?? []))].slice(
      0,
      64,
    );
  }

  #findStatusFill(): Paint {
    const status =
      this.node.kind === "DEVICE"
        ? this.node.device.status
        : this.node.kind === "CRAC"
          ? this.node.crac.status
          : undefined;
    // A feed has no recorded status, so it must not look like an active element.
    return status === undefined ? "panel" : findStatusFill(status);
  }

  findFill(coloring: Coloring): Paint {
    switch (coloring) {
      case "ROLE": {
        const device = this.node.kind === "DEVICE" ? this.node.device : undefined;
        const kind = device === undefined ? 0 : DEVICE_KINDS.indexOf(device.kind) + 1;
        return findRoleFill({ role: device?.role ?? "", kind });
      }
      case "UTILIZATION": {
        const { capacityW } = this.node;
        if (capacityW === undefined || capacityW === 0) return "panel";
        return findScaleToken(((this.#failure.blast.loadsAfter[this.#index] ?? 0) / capacityW) * 100);
      }
      case "STATUS":
        return this.#findStatusFill();
      case "NONE":
        return "panel";
      default:
        return IMPACT_STYLES[this.impact].softFill;
    }
  }
}

const OVERLOAD_LABELS = { OVER_DERATED: "over its limit", WOULD_TRIP: "would trip" } as const;

export function computeBoxHeight(node: NodeFacts): number {
  return 12 + LINE_HEIGHT * (2 + (node.formatLoad() === "" ? 0 : 1) + node.listAlarms().length);
}

/** Draws a separate element: code, kind and name, load, alarms. */
export function drawElementBox(
  node: NodeFacts,
  { x, y, coloring }: { readonly x: number; readonly y: number; readonly coloring: Coloring },
): Item {
  const look = IMPACT_STYLES[node.impact];
  const fill = node.findFill(coloring);
  const ink: Paint = findReadableTextPaint(fill);
  const height = computeBoxHeight(node);
  const room = BOX_WIDTH - 20;
  const lines: Item[] = [];
  let at = 31;
  const addLine = (text: string, bold = false): void => {
    lines.push(
      createText([10, at], text, { size: 10.5, fill: ink, maxWidth: room, ...(bold && { weight: "bold" as const }) }),
    );
    at += LINE_HEIGHT;
  };
  addLine(node.formatName() === "" ? node.kind() : `${node.kind()} · ${node.formatName()}`);
  if (node.formatLoad() !== "") addLine(node.formatLoad());
  for (const alarm of node.listAlarms()) addLine(`! ${alarm}`, true);
  return {
    kind: "group",
    ref: node.ref,
    tip: node.formatTip(),
    at: [x, y],
    items: [
      createRect([0, 0], [BOX_WIDTH, height], { radius: 5, fill, ...look.line }),
      createText([10, 16], node.title, { size: 12, weight: "bold", fill: ink, maxWidth: room - 20 }),
      drawBadge(node.impact, BOX_WIDTH - 21, 6),
      ...lines,
    ],
  };
}

/** Returns the text colour that is readable on a fill. */
function findReadableTextPaint(fill: Paint): Paint {
  return `on:${fill as "panel"}`;
}

function measureChipWidth(node: NodeFacts): number {
  return Math.ceil(measureText(node.title, { size: CHIP_FONT_SIZE })) + 30;
}

/** Draws a small box inside a card: code and mark. */
function drawChip(node: NodeFacts, { x, y, width, coloring }: PixelRow & { readonly coloring: Coloring }): Item {
  const fill = node.findFill(coloring);
  const look = IMPACT_STYLES[node.impact];
  return {
    kind: "group",
    ref: node.ref,
    tip: node.formatTip(),
    at: [x, y],
    items: [
      createRect([0, 0], [width, CHIP_HEIGHT], { radius: 3, fill, ...look.line, strokeWidth: 1 }),
      drawBadge(node.impact, 3, 3),
      createText([22, 14], node.title, {
        size: CHIP_FONT_SIZE,
        fill: findReadableTextPaint(fill),
        maxWidth: width - 26,
      }),
    ],
  };
}

export interface DrawnPowerNode extends DrawnNode {
  readonly tally: ImpactTally;
  readonly drawnState: DrawnState;
  /** Elements inside the part, without outlets unless the part itself is an outlet. */
  readonly nodes: readonly NodeFacts[];
}

/** Returns a drawn node with its counts, its state and the facts about its elements. */
export function buildDrawnPowerNode(
  failure: PowerFailure,
  collapsed: CollapsedFailure,
  drawn: DrawnNode,
): DrawnPowerNode {
  const tally = countImpacts(failure, collapsed, drawn);
  const [first] = drawn.members;
  const inside =
    drawn.form === "BOX"
      ? drawn.members.filter((index) => index === first)
      : drawn.members.filter((index) => drawn.form === "CARD" && failure.graph.nodes[index]?.kind !== "OUTLET");
  const nodes = inside.map((index) => new NodeFacts(failure, collapsed, index));
  const shown = drawn.form === "BOX" ? (nodes[0]?.impact ?? "LIVE") : findDrawnState(failure, drawn, tally);
  return { ...drawn, tally, drawnState: shown, nodes };
}

/** Returns the name of a single supply, otherwise the number of supplies and of those that are dead. */
export function formatEdgeLabel({ count, dead, via }: DrawnEdge): string {
  const [only] = via;
  if (count === 1) return only === undefined ? "" : getRefName(only);
  return dead > 0 && dead < count ? `${count} supplies, ${dead} dead` : `${count} supplies`;
}

const HEADER_HEIGHT = 26;
const CARD_PADDING = 8;
const CHIP_GAP = 4;
/** Height of a group in pixels. */
export const GROUP_HEIGHT = 64;
const BAR_HEIGHT = 8;
/** Maximum width of a chip in pixels. A longer code is truncated; the tooltip contains all of it. */
const MAX_CHIP_WIDTH = 190;

interface CardInput {
  readonly id: string;
  readonly drawnState: DrawnState;
  readonly tally: ImpactTally;
  /** Elements inside the card, without outlets. */
  readonly nodes: readonly NodeFacts[];
}

/** Sorts elements by their impact, the worst first. */
function sortByImpact(nodes: readonly NodeFacts[]): readonly NodeFacts[] {
  const rank = ({ impact }: NodeFacts) => IMPACT_STATES.indexOf(impact);
  return nodes.toSorted((a, b) => rank(a) - rank(b) || compareText(a.title, b.title));
}

interface ChipGrid {
  readonly chip: number;
  readonly columns: number;
  readonly rows: number;
}

function computeChipGrid(nodes: readonly NodeFacts[], width: number): ChipGrid {
  const room = width - 2 * CARD_PADDING + CHIP_GAP;
  const widest = Math.max(60, ...nodes.map(measureChipWidth));
  const least = Math.min(widest, MAX_CHIP_WIDTH);
  const columns = Math.max(1, Math.floor(room / (least + CHIP_GAP)));
  return { chip: Math.floor(room / columns) - CHIP_GAP, columns, rows: Math.ceil(nodes.length / columns) };
}

/** Returns the width at which all chips of a card fit in one row, in pixels. */
export function computeNeededCardWidth(nodes: readonly NodeFacts[]): number {
  const chip = Math.min(MAX_CHIP_WIDTH, Math.max(60, ...nodes.map(measureChipWidth)));
  return nodes.length * (chip + CHIP_GAP) + 2 * CARD_PADDING;
}

export function computeCardHeight(nodes: readonly NodeFacts[], width: number): number {
  return HEADER_HEIGHT + computeChipGrid(nodes, width).rows * (CHIP_HEIGHT + CHIP_GAP) + CARD_PADDING - CHIP_GAP;
}

/** Draws an area as a card with a chip for each element. */
export function drawAreaCard(
  { id, drawnState, tally, nodes }: CardInput,
  { x, y, width, coloring }: PixelRow & { readonly coloring: Coloring },
): Item {
  const { chip, columns } = computeChipGrid(nodes, width);
  const title = formatArea(id);
  const lost = tally.lostW > 0 ? ` · ${formatWatts(tally.lostW)} lost` : "";
  const words = `${formatImpactLabel(tally)}${lost}`;
  const wordsWidth = Math.min(measureText(words, { size: 10.5 }), width * 0.6);
  return {
    kind: "group",
    ref: id,
    tip: `${title}\n${IMPACT_STYLES[drawnState].label}\n${words}`,
    at: [x, y],
    items: [
      createRect([0, 0], [width, computeCardHeight(nodes, width)], {
        radius: 6,
        fill: "panel",
        ...IMPACT_STYLES[drawnState].line,
      }),
      drawBadge(drawnState, CARD_PADDING, 6),
      createText([30, 17], title, { size: 12, weight: "bold", fill: "ink", maxWidth: width - wordsWidth - 50 }),
      createText([width - CARD_PADDING, 17], words, {
        size: 10.5,
        anchor: "end",
        fill: "muted",
        maxWidth: width * 0.6,
      }),
      ...sortByImpact(nodes).map((node, index) =>
        drawChip(node, {
          x: CARD_PADDING + (index % columns) * (chip + CHIP_GAP),
          y: HEADER_HEIGHT + Math.floor(index / columns) * (CHIP_HEIGHT + CHIP_GAP),
          width: chip,
          coloring,
        }),
      ),
    ],
  };
}

/** Draws an area as counts: the number of its elements, and a bar of their states. */
export function drawAreaGroup({ id, drawnState, tally }: CardInput, { x, y, width }: PixelRow): Item {
  const title = formatArea(id);
  return {
    kind: "group",
    ref: id,
    tip: `${title}\n${formatGroupLabel(tally)}\n${formatImpactLabel(tally)}`,
    at: [x, y],
    items: [
      createRect([4, -4], [width - 4, GROUP_HEIGHT], { radius: 6, fill: "sunken", stroke: "line" }),
      createRect([0, 0], [width - 4, GROUP_HEIGHT], { radius: 6, fill: "panel", ...IMPACT_STYLES[drawnState].line }),
      drawBadge(drawnState, CARD_PADDING, 6),
      createText([30, 17], title, { size: 12, weight: "bold", fill: "ink", maxWidth: width - 46 }),
      createText([CARD_PADDING, 34], formatGroupLabel(tally), { size: 10.5, fill: "ink", maxWidth: width - 20 }),
      ...drawImpactBar(tally, { x: CARD_PADDING, y: 39, width: width - 4 - 2 * CARD_PADDING }),
      createText([CARD_PADDING, 58], formatImpactLabel(tally), { size: 9.5, fill: "muted", maxWidth: width - 20 }),
    ],
  };
}

function drawImpactBar({ impacts, elements }: ImpactTally, { x, y, width }: PixelRow): readonly Item[] {
  let at = x;
  return IMPACT_STATES.flatMap((impact: ImpactState): Item[] => {
    const share = elements === 0 ? 0 : ((impacts.get(impact) ?? 0) / elements) * width;
    const { strongFill, hatch } = IMPACT_STYLES[impact];
    const place = { x: at, y, width: share, height: BAR_HEIGHT };
    at += share;
    if (share === 0) return [];
    return [
      {
        kind: "rect",
        ...place,
        fill: strongFill,
        stroke: `on:${strongFill as "accent"}`,
        strokeWidth: 0.8,
        ...(hatch !== undefined && { hatch: { pattern: hatch, paint: "panel" } }),
      },
    ];
  });
}
