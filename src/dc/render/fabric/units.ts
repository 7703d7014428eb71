import { type Coloring, DEVICE_KINDS } from "#dc/model/enum_values.ts";
import { formatBandwidth } from "#words/figures.ts";
import { formatConstant, formatCountWithNoun } from "#words/names.ts";
import type { Paint, State } from "../palette.ts";
import { findRoleFill } from "../parts/roles.ts";
import { formatArea } from "../places.ts";
import type { BundleState } from "./bundles.ts";
import type { FabricUnit } from "./picture.ts";

export interface UnitState {
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
