import { formatBandwidth, formatPercent } from "#words/figures.ts";
import { formatConstant, formatCountWithNoun } from "#words/names.ts";
import type { FabricLinkView, FabricNode, FabricReport } from "../../analysis/fabric/fabric.ts";
import { FAULT_LOAD_PCT } from "../../analysis/fabric/fabric_tiers.ts";
import { type Coloring, DEVICE_KINDS, type PhysicalMatch } from "../../model/enum_values.ts";
import { codeKey, compareText } from "../../model/ref.ts";
import type { Device } from "../../model/resources.ts";
import { findScaleToken, type Paint, type State } from "../palette.ts";
import { findRoleFill } from "../parts/marks.ts";
import { AREA_KINDS, AreaFinder, type AreaKind, formatArea } from "../places.ts";
import type { Stroke } from "../scene.ts";

interface BundleState {
  /** Utilization of the busiest live link, in percent; undefined without a live link. */
  readonly utilizationPct: number | undefined;
  readonly upCount: number;
  readonly downCount: number;
  readonly missingCount: number;
  readonly capacityMbps: number;
  readonly isCongested: boolean;
  /** Whether a link has no capacity left. */
  readonly isFull: boolean;
  readonly isWatched: boolean;
}

export function computeBundleState(
  { links, missing }: LinkBundle,
  { congestionPct, watchPct }: FabricPicture,
): BundleState {
  const live = links.filter((view) => view.live);
  const utilizationPct =
    live.length === 0 ? undefined : live.reduce((most, view) => Math.max(most, view.utilizationPct), 0);
  return {
    utilizationPct,
    upCount: live.length,
    downCount: links.length - live.length,
    missingCount: missing,
    capacityMbps: live.reduce((sum, { link }) => sum + (link.capacityMbps ?? 0), 0),
    isCongested: (utilizationPct ?? 0) >= congestionPct,
    isFull: (utilizationPct ?? 0) >= FAULT_LOAD_PCT,
    isWatched: (utilizationPct ?? 0) >= watchPct || live.some(({ health }) => health === "WATCH"),
  };
}

/** Utilization in percent from which a line is coloured. */
const COLORED_UTILIZATION_PCT = 80;

/** Returns the line style of a bundle: dotted if it has no links, dashed if all of its links are down. */
export function createBundleStroke(state: BundleState, coloring: Coloring): Stroke {
  if (state.upCount === 0)
    return { stroke: "faultText", strokeWidth: 1.6, dash: state.downCount === 0 ? "dotted" : "dashed" };
  if (coloring === "NONE" || coloring === "ROLE") return { stroke: "line", strokeWidth: state.isCongested ? 3 : 1.2 };
  if (coloring === "UTILIZATION") {
    const share = state.utilizationPct ?? 0;
    return share >= COLORED_UTILIZATION_PCT
      ? { stroke: findScaleToken(share), strokeWidth: 3 }
      : { stroke: "muted", strokeWidth: 1 };
  }
  if (state.isFull) return { stroke: "faultText", strokeWidth: 3 };
  if (state.isCongested) return { stroke: "watchText", strokeWidth: 3 };
  if (state.isWatched || state.downCount > 0) return { stroke: "watchText", strokeWidth: 2 };
  return { stroke: "okText", strokeWidth: 1.2 };
}

/** Returns the fill of a bundle's cell in the matrix. */
export function findBundleFill(state: BundleState, coloring: Coloring): Paint {
  if (state.upCount === 0) return "faultSoft";
  switch (coloring) {
    case "NONE":
    case "ROLE":
      return "panel";
    case "STATUS":
      return state.downCount > 0 ? "watchSoft" : "okSoft";
    case "HEALTH":
      if (state.isFull) return "faultSoft";
      return state.isCongested || state.isWatched || state.downCount > 0 ? "watchSoft" : "okSoft";
    default:
      return findScaleToken(state.utilizationPct ?? 0);
  }
}

/** Returns the text of a bundle's cell: the utilization in percent, "down", or "none" for a missing link. */
export function formatBundleCell({ utilizationPct, downCount }: BundleState): string {
  if (utilizationPct !== undefined) return String(Math.round(utilizationPct));
  return downCount > 0 ? "down" : "none";
}

export function listBundleFacts({ links }: LinkBundle, state: BundleState): readonly (readonly [string, string])[] {
  const facts: (readonly [string, string])[] = [
    ["Links up", String(state.upCount)],
    ["Links down", state.downCount === 0 ? "" : String(state.downCount)],
    [
      "Missing",
      state.missingCount === 0
        ? ""
        : formatCountWithNoun(state.missingCount, "link of a full mesh", "links of a full mesh"),
    ],
    ["Busiest", state.utilizationPct === undefined ? "" : formatPercent(state.utilizationPct)],
    ["Capacity", state.upCount === 0 ? "" : formatBandwidth(state.capacityMbps)],
    ["Congested", state.isCongested ? "yes" : ""],
    ["Errors", describeLinkErrors(links)],
  ];
  return facts.filter(([, value]) => value !== "");
}

function describeLinkErrors(links: LinkBundle["links"]): string {
  const sum = links.reduce((total, { link }) => total + (link.errorCount ?? 0), 0);
  return sum === 0 ? "" : String(sum);
}

interface UnitState {
  readonly title: string;
  readonly state: State;
  readonly failed: number;
  readonly uplinksUp: number;
  readonly uplinks: number;
  /** Highest oversubscription of the unit's switches; undefined if none has uplinks. */
  readonly oversubscription: number | undefined;
  readonly oversubscriptionN1: number | undefined;
  /** Whether a switch loses all uplinks if its largest upper switch fails. */
  readonly strandedN1: boolean;
}

/** Computes the state of a unit. @param bundles the bundles that end at the unit */
export function computeUnitState({ id, switches, isGroup }: FabricUnit, bundles: readonly BundleState[]): UnitState {
  const nodes = switches.map(({ node }) => node);
  const failed = nodes.filter((node) => node.failed).length;
  const findGreatest = (values: readonly (number | undefined)[]) =>
    values.reduce<number | undefined>((most, one) => (one !== undefined && one > (most ?? -1) ? one : most), undefined);
  const hasLostUplinks = nodes.some(({ uplinksUp, uplinksTotal }) => uplinksUp === 0 && uplinksTotal > 0);
  const [only] = switches;
  return {
    title: isGroup || only === undefined ? formatArea(id) : only.device.code,
    state: failed === switches.length ? "offline" : findWorstLinkState(hasLostUplinks, bundles),
    failed,
    uplinksUp: nodes.reduce((sum, { uplinksUp }) => sum + uplinksUp, 0),
    uplinks: nodes.reduce((sum, { uplinksTotal }) => sum + uplinksTotal, 0),
    oversubscription: findGreatest(nodes.map((node) => node.oversubscription)),
    oversubscriptionN1: findGreatest(nodes.map((node) => node.oversubscriptionN1)),
    strandedN1: nodes.some(({ uplinkMbps, oversubscriptionN1 }) => uplinkMbps > 0 && oversubscriptionN1 === undefined),
  };
}

function findWorstLinkState(cut: boolean, bundles: readonly BundleState[]): State {
  if (cut || bundles.some(({ isFull, upCount }) => isFull || upCount === 0)) return "fault";
  return bundles.some(({ isWatched, isCongested, downCount }) => isWatched || isCongested || downCount > 0)
    ? "watch"
    : "ok";
}

/** Formats a ratio such as 3.2:1. */
export function formatRatio(value: number): string {
  return `${Math.round(value * 100) / 100}:1`;
}

export function findUnitFill(
  { switches: [first], isGroup }: FabricUnit,
  { state }: UnitState,
  coloring: Coloring,
): Paint {
  if (coloring === "ROLE" && first !== undefined && !isGroup) {
    return findRoleFill({ role: first.device.role ?? "", kind: DEVICE_KINDS.indexOf(first.device.kind) + 1 });
  }
  if (coloring === "NONE" || coloring === "ROLE") return "panel";
  return `${state}Soft`;
}

export function listUnitFacts(unit: FabricUnit, state: UnitState): readonly (readonly [string, string])[] {
  const [first] = unit.switches;
  const device = unit.isGroup ? undefined : first?.device;
  const node = unit.isGroup ? undefined : first?.node;
  const facts: (readonly [string, string])[] = [
    ["Switches", unit.isGroup ? String(unit.switches.length) : ""],
    ["Name", device?.name ?? ""],
    ["Role", device?.role ?? ""],
    ["Kind", device === undefined ? "" : formatConstant(device.kind)],
    ["Rack", device?.rackCode ?? ""],
    ["Failed", state.failed === 0 ? "" : formatCountWithNoun(state.failed, "switch", "switches")],
    ["Links up", `${state.uplinksUp} of ${state.uplinks}`],
    ["Downwards", node === undefined ? "" : formatBandwidth(node.downlinkMbps)],
    ["Upwards", node === undefined || node.uplinkMbps === 0 ? "" : formatBandwidth(node.uplinkMbps)],
    ["Oversubscription", state.oversubscription === undefined ? "" : formatRatio(state.oversubscription)],
    ["With its largest upper switch lost", describeUplinkLoss(state)],
  ];
  return facts.filter(([, value]) => value !== "");
}

/** Describes the oversubscription after the loss of the largest upper switch; "none left" if no uplink remains. */
export function describeUplinkLoss({ oversubscriptionN1, strandedN1 }: UnitState): string {
  if (strandedN1) return "none left";
  return oversubscriptionN1 === undefined ? "" : formatRatio(oversubscriptionN1);
}

export interface DrawnUnit extends FabricUnit {
  readonly tally: UnitState;
  readonly tip: string;
}

export interface DrawnBundle extends LinkBundle {
  readonly state: BundleState;
  /** Reference of the only link; made of both units' ids if the bundle has several links or no link. */
  readonly ref: string;
  readonly title: string;
  readonly facts: readonly (readonly [string, string])[];
  readonly tip: string;
}

export interface DrawnFabric {
  readonly units: readonly DrawnUnit[];
  readonly bundles: readonly DrawnBundle[];
}

export interface FabricPicture {
  /** The requested fabric or location; empty for all fabrics. */
  readonly name: string;
  readonly answer: FabricReport;
  readonly congestionPct: number;
  readonly watchPct: number;
  /** Results of tracing the cables of links, by the link's reference; empty if they were not traced. */
  readonly cableMatches: ReadonlyMap<string, PhysicalMatch>;
}

interface FabricSwitch {
  readonly device: Device;
  readonly node: FabricNode;
}

/** Rank of a tier: 0 for leaves, 1 for spines. A picture draws its lowest tier as columns. */
type Tier = number;

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

interface FabricCollapseOptions {
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

function getSwitchTier({ node }: FabricSwitch): Tier {
  return node.tier;
}

function buildUnits(
  switches: readonly FabricSwitch[],
  { maxNodes, highlight, view }: FabricCollapseOptions,
): readonly FabricUnit[] {
  const tiers = [...new Set(switches.map(getSwitchTier))].sort((a, b) => a - b);
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
