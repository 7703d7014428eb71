import type { FabricLinkView, FabricNode, FabricReport } from "#dc/analysis/fabric/fabric.ts";
import { codeKey } from "#dc/model/code.ts";
import type { PhysicalMatch } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import type { Device } from "#dc/model/resources.ts";
import { AREA_KINDS, AreaFinder, type AreaKind } from "../places.ts";

export interface FabricPicture {
  /** The requested fabric or location; empty for all fabrics. */
  readonly name: string;
  readonly answer: FabricReport;
  readonly congestionPct: number;
  readonly watchPct: number;
  /** Results of tracing the cables of links, by the link's reference; empty if they were not traced. */
  readonly cableMatches: ReadonlyMap<string, PhysicalMatch>;
}

export interface FabricSwitch {
  readonly device: Device;
  readonly node: FabricNode;
}

/** Rank of a tier: 0 for leaves, 1 for spines. A picture draws its lowest tier as columns. */
export type Tier = number;

/** One drawn unit: a switch, or several switches collapsed into a count. */
export interface FabricUnit {
  readonly id: string;
  readonly tier: Tier;
  readonly switches: readonly FabricSwitch[];
  readonly isGroup: boolean;
}

/** All links between two units, given by their indexes, and the number of missing links of a full mesh. */
export interface LinkBundle {
  readonly upper: number;
  readonly lower: number;
  readonly links: readonly FabricLinkView[];
  readonly missing: number;
}

export interface CollapsedFabric {
  /** Units of the top tier first, each tier in the order of codes. */
  readonly units: readonly FabricUnit[];
  readonly bundles: readonly LinkBundle[];
  readonly omittedSwitches: number;
}

/** Maximum number of leaf columns that stay readable. More are collapsed unless the full picture is requested. */
const MAX_READABLE_COLUMNS = 160;

export interface FabricCollapseOptions {
  readonly maxNodes: number;
  readonly highlight: ReadonlySet<string>;
  readonly view: "COMPACT" | "FULL" | undefined;
}

/** Collapses leaves, then also higher tiers, by row, room, floor and site until they fit. Cost: O(switches + links). */
export function collapseFabric({ answer }: FabricPicture, collapse: FabricCollapseOptions): CollapsedFabric {
  const switches = listSwitches(answer);
  const units = buildUnits(switches, collapse);
  const unitOf = new Map<string, number>();
  for (const [index, unit] of units.entries()) {
    for (const { device } of unit.switches) unitOf.set(codeKey(device.code), index);
  }
  const shown = units.reduce((sum, { isGroup }) => sum + (isGroup ? 0 : 1), 0);
  return { units, bundles: buildBundles(answer, unitOf), omittedSwitches: switches.length - shown };
}

function listSwitches({ nodes }: FabricReport): readonly FabricSwitch[] {
  return nodes
    .map((node) => ({ device: node.device, node }))
    .toSorted((a, b) => compareText(a.device.code, b.device.code));
}

export function getSwitchTier({ node }: FabricSwitch): Tier {
  return node.tier;
}

/** Returns the tiers of switches, lowest first. */
function listTiers(switches: readonly FabricSwitch[]): readonly Tier[] {
  return [...new Set(switches.map(getSwitchTier))].sort((a, b) => a - b);
}

function buildUnits(
  switches: readonly FabricSwitch[],
  { maxNodes, highlight, view }: FabricCollapseOptions,
): readonly FabricUnit[] {
  const tiers = listTiers(switches);
  const leaves = switches.filter((one) => getSwitchTier(one) === tiers[0]).length;
  const fitsWhole = switches.length <= maxNodes && (leaves <= MAX_READABLE_COLUMNS || view === "FULL");
  if (fitsWhole && view !== "COMPACT") return groupSwitches(switches, () => undefined);
  const pinned = new Set([...highlight].map((ref) => ref.toLowerCase()));
  const places = new AreaFinder(() => undefined);
  const limit = view === "FULL" ? maxNodes : Math.min(maxNodes, MAX_READABLE_COLUMNS);
  const groupByArea = (width: AreaKind, collapsed: readonly Tier[]) =>
    groupSwitches(switches, (one) => {
      const tier = getSwitchTier(one);
      if (!collapsed.includes(tier) || pinned.has(`device:${codeKey(one.device.code)}`)) return undefined;
      return `${formatTierName(tier)} of ${places.findAreas(one.device)[width]}`;
    });
  // A rack contains few switches, so collapsing begins with rows.
  for (const count of tiers.keys()) {
    for (const width of AREA_KINDS.slice(1)) {
      const units = groupByArea(width, tiers.slice(0, count + 1));
      if (units.length <= limit) return units;
    }
  }
  const wholeTiers = groupSwitches(switches, (one) => `all ${formatTierName(getSwitchTier(one))}`);
  return wholeTiers.length <= maxNodes
    ? wholeTiers
    : groupSwitches(
        switches,
        () => "all switches",
        () => 0,
      );
}

const TIER_NAMES = ["leaves", "spines", "super-spines"];

export function formatTierName(tier: Tier): string {
  return TIER_NAMES[tier] ?? `switches of tier ${tier}`;
}

function groupSwitches(
  switches: readonly FabricSwitch[],
  findGroupId: (one: FabricSwitch) => string | undefined,
  tier: (one: FabricSwitch) => Tier = getSwitchTier,
): readonly FabricUnit[] {
  const found = Map.groupBy(switches, (one) => findGroupId(one) ?? `device:${one.device.code}`);
  const units = [...found].flatMap(([id, members]): FabricUnit[] => {
    const [first] = members;
    if (first === undefined) return [];
    if (members.length === 1)
      return [{ id: `device:${first.device.code}`, tier: tier(first), switches: members, isGroup: false }];
    return [{ id, tier: tier(first), switches: members, isGroup: true }];
  });
  return units.toSorted((a, b) => b.tier - a.tier);
}

function buildBundles(
  { links, missing }: FabricReport,
  unitByCode: ReadonlyMap<string, number>,
): readonly LinkBundle[] {
  const found = new Map<string, { upper: number; lower: number; links: FabricLinkView[]; missing: number }>();
  const getBundle = (leaf: string, spine: string) => {
    const [lower, upper] = [unitByCode.get(codeKey(leaf)) ?? -1, unitByCode.get(codeKey(spine)) ?? -1];
    const key = `${upper} ${lower}`;
    const bundle = found.get(key) ?? { upper, lower, links: [], missing: 0 };
    found.set(key, bundle);
    return bundle;
  };
  for (const view of links) getBundle(view.link.a.deviceCode, view.link.b.deviceCode).links.push(view);
  for (const { leafCode, spineCode } of missing) getBundle(leafCode, spineCode).missing += 1;
  return [...found.values()].filter(({ upper, lower }) => upper >= 0 && lower >= 0 && upper !== lower);
}
