import type { PowerNode } from "#dc/analysis/power/power_graph.ts";
import { type Coloring, DEVICE_KINDS } from "#dc/model/enum_values.ts";
import { formatPercent, formatWatts } from "#words/figures.ts";
import { formatConstant, getRefName } from "#words/names.ts";
import { type Paint, scaleStep } from "../palette.ts";
import { roleToken } from "../parts/roles.ts";
import type { Item } from "../scene.ts";
import { textWidth } from "../text_width.ts";
import type { Collapsed, DrawnEdge } from "./collapse.ts";
import { type ImpactState, type PowerFailure, titleOf } from "./failure.ts";
import { badge, LOOKS, type Shown } from "./impact_styles.ts";
import type { Drawn } from "./node_grouper.ts";
import { shownAs, type Tally, tallyOf } from "./tally.ts";

export const BOX_WIDTH = 196;
const LINE = 15;
export const CHIP_HEIGHT = 20;
const CHIP_TEXT = 10;

/** Everything that the picture shows about one node of the graph. */
export class Node {
  readonly ref: string;
  readonly title: string;
  readonly impact: ImpactState;
  readonly node: PowerNode;
  readonly #failure: PowerFailure;
  readonly #collapsed: Collapsed;
  readonly #index: number;

  constructor(failure: PowerFailure, collapsed: Collapsed, index: number) {
    this.#failure = failure;
    this.#collapsed = collapsed;
    this.#index = index;
    const node = failure.graph.nodes[index];
    if (node === undefined) throw new RangeError(`The power graph has no node ${index}`);
    this.node = node;
    this.ref = node.ref;
    this.title = titleOf(node);
    this.impact = collapsed.reach.impacts.get(index) ?? "LIVE";
  }

  kind(): string {
    if (this.node.kind === "DEVICE") return formatConstant(this.node.device.kind);
    if (this.node.kind === "CRAC") return formatConstant(this.node.crac.kind);
    return this.node.kind === "FEED" ? "Undeclared feed" : this.node.ref.startsWith("feed:") ? "Feed" : "Outlet";
  }

  name(): string {
    const name =
      this.node.kind === "DEVICE" ? this.node.device.name : this.node.kind === "CRAC" ? this.node.crac.name : "";
    return name === undefined || name === this.title ? "" : name;
  }

  /** The step in which it trips and at which load, or how far it is overloaded in the end. */
  alarms(): readonly string[] {
    const { trips, overloads } = this.#collapsed.reach;
    const trip = trips.get(this.#index);
    const overload = overloads.get(this.#index);
    return [
      ...(trip === undefined ? [] : [`Step ${trip.step}: trips at ${formatPercent(trip.utilizationPct)}`]),
      ...(overload === undefined
        ? []
        : [`${formatPercent(overload.utilizationPct)}: ${OVERLOAD_WORDS[overload.severity]}`]),
    ];
  }

  /** Its load after the failure and its capacity, if known. */
  load(): string {
    if (this.#failure.blast.live[this.#index] !== 1) return "";
    const loadW = Math.round(this.#failure.blast.loadsAfter[this.#index] ?? 0);
    const { capacityW } = this.node;
    if (capacityW === undefined || capacityW === 0) return loadW === 0 ? "" : formatWatts(loadW);
    return `${formatWatts(loadW)} of ${formatWatts(capacityW)} (${formatPercent((loadW / capacityW) * 100)})`;
  }

  facts(): readonly (readonly [string, string])[] {
    const { graph, before, blast } = this.#failure;
    const inlets = graph.inlets.of(this.#index).filter(({ from }) => before[from] === 1);
    const names = (live: boolean) =>
      inlets
        .filter(({ from, inlet }) => (blast.live[from] === 1) === live && inlet !== "")
        .map(({ inlet, from }) => `${inlet} (${getRefName(graph.nodes[from]?.ref ?? "")})`)
        .join(", ");
    const rack = this.node.kind === "DEVICE" ? this.node.device.rackCode : undefined;
    const facts: (readonly [string, string])[] = [
      ["State", LOOKS[this.impact].word],
      ["Kind", this.kind()],
      ["Name", this.name()],
      ["Role", this.node.kind === "DEVICE" ? (this.node.device.role ?? "") : ""],
      ["Rack", rack ?? ""],
      ["Load after the failure", this.load()],
      ["Inlets lost", names(false)],
      ["Inlets left", names(true)],
      ...this.alarms().map((alarm): readonly [string, string] => ["Alarm", alarm]),
    ];
    return facts.filter(([, value]) => value !== "");
  }

  tip(): string {
    return [this.title, ...this.facts().map(([label, value]) => `${label}: ${value}`)].join("\n");
  }

  related(): readonly string[] {
    const { graph } = this.#failure;
    const near = [...graph.inlets.of(this.#index), ...graph.supplies.of(this.#index)];
    return [...new Set(near.flatMap(({ from, to }) => graph.nodes[from === this.#index ? to : from]?.ref ?? []))].slice(
      0,
      64,
    );
  }

  #statusFill(): Paint {
    const status =
      this.node.kind === "DEVICE"
        ? this.node.device.status
        : this.node.kind === "CRAC"
          ? this.node.crac.status
          : undefined;
    // A feed has no recorded status, which is not good.
    if (status === undefined) return "panel";
    if (status === "ACTIVE") return "okSoft";
    return status === "FAILED" || status === "OFFLINE" ? "faultSoft" : "infoSoft";
  }

  fill(coloring: Coloring): Paint {
    switch (coloring) {
      case "ROLE": {
        const device = this.node.kind === "DEVICE" ? this.node.device : undefined;
        const kind = device === undefined ? 0 : DEVICE_KINDS.indexOf(device.kind) + 1;
        return roleToken({ role: device?.role ?? "", kind });
      }
      case "UTILIZATION": {
        const { capacityW } = this.node;
        if (capacityW === undefined || capacityW === 0) return "panel";
        return scaleStep(((this.#failure.blast.loadsAfter[this.#index] ?? 0) / capacityW) * 100);
      }
      case "STATUS":
        return this.#statusFill();
      case "NONE":
        return "panel";
      default:
        return LOOKS[this.impact].soft;
    }
  }
}

const OVERLOAD_WORDS = { OVER_DERATED: "over its limit", WOULD_TRIP: "would trip" } as const;

export function boxHeight(node: Node): number {
  return 12 + LINE * (2 + (node.load() === "" ? 0 : 1) + node.alarms().length);
}

/** A separate element: code, kind and name, load, alarms. */
export function boxItem(
  node: Node,
  { x, y, coloring }: { readonly x: number; readonly y: number; readonly coloring: Coloring },
): Item {
  const look = LOOKS[node.impact];
  const fill = node.fill(coloring);
  const ink: Paint = onGround(fill);
  const height = boxHeight(node);
  const room = BOX_WIDTH - 20;
  const lines: Item[] = [];
  let at = 31;
  const say = (text: string, bold = false): void => {
    lines.push({
      kind: "text",
      x: 10,
      y: at,
      text,
      size: 10.5,
      fill: ink,
      maxWidth: room,
      ...(bold && { weight: "bold" as const }),
    });
    at += LINE;
  };
  say(node.name() === "" ? node.kind() : `${node.kind()} · ${node.name()}`);
  if (node.load() !== "") say(node.load());
  for (const alarm of node.alarms()) say(`! ${alarm}`, true);
  return {
    kind: "group",
    ref: node.ref,
    tip: node.tip(),
    at: [x, y],
    items: [
      { kind: "rect", x: 0, y: 0, width: BOX_WIDTH, height, radius: 5, fill, ...look.line },
      { kind: "text", x: 10, y: 16, text: node.title, size: 12, weight: "bold", fill: ink, maxWidth: room - 20 },
      badge(node.impact, BOX_WIDTH - 21, 6),
      ...lines,
    ],
  };
}

/** The ink that is readable on a ground. */
export function onGround(fill: Paint): Paint {
  return `on:${fill as "panel"}`;
}

export function chipWidth(node: Node): number {
  return Math.ceil(textWidth(node.title, { size: CHIP_TEXT })) + 30;
}

/** A small box inside a card: code and mark. */
export function chipItem(
  node: Node,
  {
    x,
    y,
    width,
    coloring,
  }: { readonly x: number; readonly y: number; readonly width: number; readonly coloring: Coloring },
): Item {
  const fill = node.fill(coloring);
  const look = LOOKS[node.impact];
  return {
    kind: "group",
    ref: node.ref,
    tip: node.tip(),
    at: [x, y],
    items: [
      { kind: "rect", x: 0, y: 0, width, height: CHIP_HEIGHT, radius: 3, fill, ...look.line, strokeWidth: 1 },
      badge(node.impact, 3, 3),
      { kind: "text", x: 22, y: 14, text: node.title, size: CHIP_TEXT, fill: onGround(fill), maxWidth: width - 26 },
    ],
  };
}

export interface PowerPart extends Drawn {
  readonly tally: Tally;
  readonly shown: Shown;
  /** The elements inside, outlets left out unless the part is one. */
  readonly nodes: readonly Node[];
}

/** Collects the facts about a drawn node. */
export function partOf(failure: PowerFailure, collapsed: Collapsed, drawn: Drawn): PowerPart {
  const tally = tallyOf(failure, collapsed, drawn);
  const [first] = drawn.members;
  const inside =
    drawn.form === "BOX"
      ? drawn.members.filter((index) => index === first)
      : drawn.members.filter((index) => drawn.form === "CARD" && failure.graph.nodes[index]?.kind !== "OUTLET");
  const nodes = inside.map((index) => new Node(failure, collapsed, index));
  const shown = drawn.form === "BOX" ? (nodes[0]?.impact ?? "LIVE") : shownAs(failure, drawn, tally);
  return { ...drawn, tally, shown, nodes };
}

/** The feed of a single supply, else how many supplies there are. */
export function edgeLabel({ count, dead, via }: DrawnEdge): string {
  const [only] = via;
  if (count === 1) return only === undefined ? "" : getRefName(only);
  return dead > 0 && dead < count ? `${count} supplies, ${dead} dead` : `${count} supplies`;
}
