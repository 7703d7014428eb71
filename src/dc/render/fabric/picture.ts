import type { FabricAnswer, FabricLinkView, FabricNode } from "#dc/analysis/fabric.ts";
import { codeKey } from "#dc/model/code.ts";
import type { PhysicalMatch } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import type { Device } from "#dc/model/resources.ts";
import { Places, WIDTHS, type Width } from "../places.ts";

/** A fabric as it was analysed. */
export interface FabricPicture {
  /** What was asked for: a fabric, a place, or empty for all fabrics. */
  readonly name: string;
  readonly answer: FabricAnswer;
  readonly congestionPct: number;
  readonly watchPct: number;
  /** What the cables under a link say, by the link's reference; empty when they were not traced. */
  readonly physical: ReadonlyMap<string, PhysicalMatch>;
}

/** A switch. One that is a leaf to some and a spine to others stands between the tiers. */
export interface Switch {
  readonly device: Device;
  readonly leaf?: FabricNode;
  readonly spine?: FabricNode;
}

export type Tier = "top" | "middle" | "bottom";

/** What is drawn as one: a switch, or several that are told in counts. */
export interface Unit {
  readonly id: string;
  readonly tier: Tier;
  readonly switches: readonly Switch[];
  readonly group: boolean;
}

/** Links between two units: parallel ones, or all between two groups. */
export interface Bundle {
  readonly upper: number;
  readonly lower: number;
  readonly links: readonly FabricLinkView[];
  readonly missing: number;
}

export interface FoldedFabric {
  /** Top tier first, each tier in the order of codes. */
  readonly units: readonly Unit[];
  readonly bundles: readonly Bundle[];
  readonly omitted: number;
}

/** Columns of leaves that a person can still read; more are folded unless the whole is asked for. */
const READABLE = 160;

export interface FabricFold {
  readonly maxNodes: number;
  readonly highlight: ReadonlySet<string>;
  readonly view: "COMPACT" | "FULL" | undefined;
}

/** Folds leaves, then all switches, by rack, row, room, floor and site until they fit. Cost: O(switches + links). */
export function foldFabric({ answer }: FabricPicture, fold: FabricFold): FoldedFabric {
  const switches = switchesOf(answer);
  const units = unitsOf(switches, fold);
  const unitOf = new Map<string, number>();
  for (const [index, unit] of units.entries()) {
    for (const { device } of unit.switches) unitOf.set(codeKey(device.code), index);
  }
  const shown = units.reduce((sum, { group }) => sum + (group ? 0 : 1), 0);
  return { units, bundles: bundlesOf(answer, unitOf), omitted: switches.length - shown };
}

function switchesOf({ nodes }: FabricAnswer): readonly Switch[] {
  const found = new Map<string, Switch>();
  for (const node of nodes) {
    const key = codeKey(node.device.code);
    found.set(key, { ...found.get(key), device: node.device, [node.tier]: node });
  }
  return [...found.values()].toSorted((a, b) => compareText(a.device.code, b.device.code));
}

export function tierOf({ leaf, spine }: Switch): Tier {
  if (spine === undefined) return "bottom";
  return leaf === undefined ? "top" : "middle";
}

const TIERS: readonly Tier[] = ["top", "middle", "bottom"];

function unitsOf(switches: readonly Switch[], { maxNodes, highlight, view }: FabricFold): readonly Unit[] {
  const leaves = switches.filter((one) => tierOf(one) === "bottom").length;
  const whole = switches.length <= maxNodes && (leaves <= READABLE || view === "FULL");
  if (whole && view !== "COMPACT") return grouped(switches, () => undefined);
  const pinned = new Set([...highlight].map((ref) => ref.toLowerCase()));
  const places = new Places(() => undefined);
  const limit = view === "FULL" ? maxNodes : Math.min(maxNodes, READABLE);
  const by = (width: Width, tiers: readonly Tier[]) =>
    grouped(switches, (one) => {
      const tier = tierOf(one);
      if (!tiers.includes(tier) || pinned.has(`device:${codeKey(one.device.code)}`)) return undefined;
      return `${WORDS[tier]} of ${places.of(one.device)[width]}`;
    });
  const schemes = [["bottom"], ["bottom", "middle"], TIERS] as const;
  // A rack holds few switches: folding begins with rows.
  for (const tiers of schemes) {
    for (const width of WIDTHS.slice(1)) {
      const units = by(width, tiers);
      if (units.length <= limit) return units;
    }
  }
  const tiers = grouped(switches, (one) => `all ${WORDS[tierOf(one)]}`);
  return tiers.length <= maxNodes
    ? tiers
    : grouped(
        switches,
        () => "all switches",
        () => "bottom",
      );
}

const WORDS: Readonly<Record<Tier, string>> = { top: "spines", middle: "middle switches", bottom: "leaves" };

function grouped(
  switches: readonly Switch[],
  groupOf: (one: Switch) => string | undefined,
  tier: (one: Switch) => Tier = tierOf,
): readonly Unit[] {
  const found = new Map<string, Switch[]>();
  for (const one of switches) {
    const id = groupOf(one) ?? `device:${one.device.code}`;
    const members = found.get(id);
    if (members === undefined) found.set(id, [one]);
    else members.push(one);
  }
  const units = [...found].flatMap(([id, members]): Unit[] => {
    const [first] = members;
    if (first === undefined) return [];
    if (members.length === 1)
      return [{ id: `device:${first.device.code}`, tier: tier(first), switches: members, group: false }];
    return [{ id, tier: tier(first), switches: members, group: true }];
  });
  return TIERS.flatMap((one) => units.filter((unit) => unit.tier === one));
}

function bundlesOf({ links, missing }: FabricAnswer, unitOf: ReadonlyMap<string, number>): readonly Bundle[] {
  const found = new Map<string, { upper: number; lower: number; links: FabricLinkView[]; missing: number }>();
  const between = (leaf: string, spine: string) => {
    const [lower, upper] = [unitOf.get(codeKey(leaf)) ?? -1, unitOf.get(codeKey(spine)) ?? -1];
    const key = `${upper} ${lower}`;
    const bundle = found.get(key) ?? { upper, lower, links: [], missing: 0 };
    found.set(key, bundle);
    return bundle;
  };
  for (const view of links) between(view.link.a.deviceCode, view.link.b.deviceCode).links.push(view);
  for (const { leafCode, spineCode } of missing) between(leafCode, spineCode).missing += 1;
  return [...found.values()].filter(({ upper, lower }) => upper >= 0 && lower >= 0 && upper !== lower);
}
