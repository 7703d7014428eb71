import type { PowerNode } from "#dc/analysis/power/power_graph.ts";
import { type Coloring, DEVICE_KINDS } from "#dc/model/enum_values.ts";
import { formatPercent, formatWatts } from "#words/figures.ts";
import { formatConstant, getRefName } from "#words/names.ts";
import { formatTip } from "../drawing.ts";
import { findScaleToken, type Paint } from "../palette.ts";
import { findRoleFill, findStatusFill } from "../parts/roles.ts";
import { createRect, createText, type Item, type PixelRow } from "../scene.ts";
import { measureText } from "../text_width.ts";
import type { CollapsedFailure, DrawnEdge } from "./collapse.ts";
import { formatNodeTitle, type ImpactState, type PowerFailure } from "./failure.ts";
import { type DrawnState, drawBadge, IMPACT_STYLES } from "./impact_styles.ts";
import type { DrawnNode } from "./node_grouper.ts";
import { countImpacts, findDrawnState, type ImpactTally } from "./tally.ts";

export const BOX_WIDTH = 196;
const LINE_HEIGHT = 15;
export const CHIP_HEIGHT = 20;
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
export function findReadableTextPaint(fill: Paint): Paint {
  return `on:${fill as "panel"}`;
}

export function measureChipWidth(node: NodeFacts): number {
  return Math.ceil(measureText(node.title, { size: CHIP_FONT_SIZE })) + 30;
}

/** Draws a small box inside a card: code and mark. */
export function drawChip(node: NodeFacts, { x, y, width, coloring }: PixelRow & { readonly coloring: Coloring }): Item {
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
