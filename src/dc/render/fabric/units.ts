import { DEVICE_KINDS } from "#dc/model/enum_values.ts";
import type { Coloring } from "../options.ts";
import type { Paint, State } from "../palette.ts";
import { counted, readable } from "../parts/labels.ts";
import { roleToken } from "../parts/roles.ts";
import { placeWords } from "../places.ts";
import { bandwidth } from "../quantity.ts";
import type { BundleState } from "./bundles.ts";
import type { Unit } from "./picture.ts";

/** What a unit comes to. */
export interface UnitState {
  readonly title: string;
  readonly state: State;
  readonly failed: number;
  readonly uplinksUp: number;
  readonly uplinks: number;
  /** Of its worst leaf; undefined when no leaf has both sides. */
  readonly oversubscription: number | undefined;
  readonly oversubscriptionN1: number | undefined;
  /** A leaf that keeps no uplink once its largest spine is lost. */
  readonly strandedN1: boolean;
}

/** @param bundles those that end at the unit */
export function unitState({ id, switches, group }: Unit, bundles: readonly BundleState[]): UnitState {
  const leaves = switches.flatMap(({ leaf }) => (leaf === undefined ? [] : [leaf]));
  const nodes = switches.flatMap(({ leaf, spine }) => [
    ...(leaf === undefined ? [] : [leaf]),
    ...(spine === undefined ? [] : [spine]),
  ]);
  const failed = switches.filter(({ leaf, spine }) => (leaf ?? spine)?.failed === true).length;
  const worst = (values: readonly (number | undefined)[]) =>
    values.reduce<number | undefined>((most, one) => (one !== undefined && one > (most ?? -1) ? one : most), undefined);
  const cut = leaves.some(({ uplinkMbps }) => uplinkMbps === 0);
  const [only] = switches;
  return {
    title: group || only === undefined ? placeWords(id) : only.device.code,
    state: failed === switches.length ? "offline" : stateOfLinks(cut, bundles),
    failed,
    uplinksUp: nodes.reduce((sum, { uplinksUp }) => sum + uplinksUp, 0),
    uplinks: nodes.reduce((sum, { uplinksTotal }) => sum + uplinksTotal, 0),
    oversubscription: worst(leaves.map((leaf) => leaf.oversubscription)),
    oversubscriptionN1: worst(leaves.map((leaf) => leaf.oversubscriptionN1)),
    strandedN1: leaves.some(({ uplinkMbps, oversubscriptionN1 }) => uplinkMbps > 0 && oversubscriptionN1 === undefined),
  };
}

function stateOfLinks(cut: boolean, bundles: readonly BundleState[]): State {
  if (cut || bundles.some(({ congested, up }) => congested || up === 0)) return "fault";
  return bundles.some(({ watched, down }) => watched || down > 0) ? "watch" : "ok";
}

/** A ratio such as 3.2:1. */
export function ratio(value: number): string {
  return `${Math.round(value * 100) / 100}:1`;
}

export function unitFill({ switches: [first], group }: Unit, { state }: UnitState, coloring: Coloring): Paint {
  if (coloring === "ROLE" && first !== undefined && !group) {
    return roleToken({ role: first.device.role ?? "", kind: DEVICE_KINDS.indexOf(first.device.kind) + 1 });
  }
  if (coloring === "NONE" || coloring === "ROLE") return "panel";
  return `${state}Soft`;
}

/** All that there is to say about a unit. */
export function unitFacts(unit: Unit, state: UnitState): readonly (readonly [string, string])[] {
  const [first] = unit.switches;
  const device = unit.group ? undefined : first?.device;
  const leaf = unit.group ? undefined : first?.leaf;
  const facts: (readonly [string, string])[] = [
    ["Switches", unit.group ? String(unit.switches.length) : ""],
    ["Name", device?.name ?? ""],
    ["Role", device?.role ?? ""],
    ["Kind", device === undefined ? "" : readable(device.kind)],
    ["Rack", device?.rackCode ?? ""],
    ["Failed", state.failed === 0 ? "" : counted(state.failed, "switch", "switches")],
    ["Links up", `${state.uplinksUp} of ${state.uplinks}`],
    ["Towards hosts", leaf === undefined ? "" : bandwidth(leaf.downlinkMbps)],
    ["Towards spines", leaf === undefined ? "" : bandwidth(leaf.uplinkMbps)],
    ["Oversubscription", state.oversubscription === undefined ? "" : ratio(state.oversubscription)],
    ["With its largest spine lost", lostWords(state)],
  ];
  return facts.filter(([, value]) => value !== "");
}

/** Oversubscription with the largest spine lost; "none" where no uplink is left then. */
export function lostWords({ oversubscriptionN1, strandedN1 }: UnitState): string {
  if (strandedN1) return "none left";
  return oversubscriptionN1 === undefined ? "" : ratio(oversubscriptionN1);
}
