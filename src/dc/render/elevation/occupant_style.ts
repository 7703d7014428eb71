import { type Coloring, DEVICE_KINDS, DEVICE_STATUSES, type DeviceStatus } from "#dc/model/enum_values.ts";
import type { GetRackResponse, Occupant } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatWatts } from "#words/figures.ts";
import { formatConstant } from "#words/names.ts";
import { type ColorToken, findScaleToken, type State } from "../palette.ts";
import type { LegendEntry } from "../parts/chrome.ts";
import { findEnumValue, findHealthState, STATE_LABELS } from "../parts/marks.ts";
import { findRoleFill } from "../parts/roles.ts";
import { SHARE_STEPS } from "../scale_legend.ts";

export interface OccupantStyle {
  findFill(occupant: Occupant): ColorToken;
  /** Returns the state that a mark beside the device shows; undefined for no mark. */
  findState(occupant: Occupant): State | undefined;
  readonly legend: readonly LegendEntry[];
}

const STATUS_STATES: Readonly<Record<DeviceStatus, State | undefined>> = {
  ACTIVE: undefined,
  PLANNED: "info",
  STAGED: "info",
  OFFLINE: "offline",
  FAILED: "fault",
  DECOMMISSIONING: "watch",
  INVENTORY: "info",
};

/** Returns the style of a rack's devices for one colouring. */
export function styleOccupants(reply: GetRackResponse, coloring: Coloring): OccupantStyle {
  const health = findDeviceHealth(reply);
  const state = (occupant: Occupant) => health.get(occupant.deviceCode.toLowerCase()) ?? findStatusState(occupant);
  switch (coloring) {
    case "STATUS":
      return {
        findFill: (occupant) => findSoftColor(findStatusState(occupant) ?? "ok"),
        findState: state,
        legend: createStatusLegend(reply.occupants),
      };
    case "HEALTH":
      return {
        findFill: (occupant) => findSoftColor(state(occupant) ?? "ok"),
        findState: (occupant) => state(occupant) ?? "ok",
        legend: (["ok", "watch", "fault", "offline"] as const).map((one) => ({ label: STATE_LABELS[one], state: one })),
      };
    case "POWER":
      return createPowerStyle(reply, state);
    case "ROLE":
      return { findFill: findRoleFill, findState: state, legend: createRoleLegend(reply.occupants) };
    default:
      return { findFill: () => "sunken", findState: state, legend: [] };
  }
}

function findSoftColor(state: State): ColorToken {
  return `${state}Soft`;
}

function findStatusState({ status }: Occupant): State | undefined {
  return STATUS_STATES[findEnumValue(DEVICE_STATUSES, status) ?? "ACTIVE"];
}

/** Returns the worst health of each device from the rack's reasons and conflicts. */
function findDeviceHealth({ rack, conflicts }: GetRackResponse): ReadonlyMap<string, State> {
  const worst = new Map<string, State>();
  for (const { ref, health } of rack?.healthReasons ?? []) {
    const state = findHealthState(health);
    const code = ref.replace(/^device:/i, "").toLowerCase();
    if (!/^device:/i.test(ref) || state === "info" || worst.get(code) === "fault") continue;
    worst.set(code, state);
  }
  for (const { deviceCode } of conflicts) worst.set(deviceCode.toLowerCase(), "fault");
  return worst;
}

/** Returns the style that colours devices by draw per unit of height, relative to the rack's capacity per unit. */
function createPowerStyle({ capacity }: GetRackResponse, state: OccupantStyle["findState"]): OccupantStyle {
  const { powerCapacityW = 0, totalU = 0 } = capacity ?? {};
  if (powerCapacityW === 0 || totalU === 0) {
    return { findFill: () => "panel", findState: state, legend: [{ label: "No power limit recorded", fill: "panel" }] };
  }
  const mostPerU = powerCapacityW / totalU;
  const computeSharePct = ({ drawW, uHeight }: Occupant) => (drawW / Math.max(1, uHeight) / mostPerU) * 100;
  return {
    findFill: (occupant) => findScaleToken(computeSharePct(occupant)),
    findState: state,
    legend: SHARE_STEPS.map(([pct, label]) => ({
      label: `${label} of ${formatWatts(mostPerU)} per U`,
      fill: findScaleToken(pct),
    })),
  };
}

function createStatusLegend(occupants: readonly Occupant[]): readonly LegendEntry[] {
  const present = new Set(occupants.map(({ status }) => findEnumValue(DEVICE_STATUSES, status) ?? "ACTIVE"));
  return DEVICE_STATUSES.filter((status) => present.has(status)).map((status) => ({
    label: formatConstant(status),
    fill: findSoftColor(STATUS_STATES[status] ?? "ok"),
  }));
}

/** Returns one entry for each fill, labelled with the roles or kinds that share it. */
function createRoleLegend(occupants: readonly Occupant[]): readonly LegendEntry[] {
  const words = new Map<ColorToken, Set<string>>();
  for (const occupant of occupants) {
    const fill = findRoleFill(occupant);
    const known = words.get(fill) ?? new Set();
    words.set(fill, known.add(occupant.role === "" ? formatOccupantKind(occupant) : occupant.role));
  }
  return [...words].map(([fill, labels]) => ({ fill, label: [...labels].toSorted().join(", ") }));
}

export function formatOccupantKind({ kind }: Occupant): string {
  return formatConstant(findEnumValue(DEVICE_KINDS, kind) ?? "OTHER");
}

/** Returns the word of a status other than ACTIVE; empty for ACTIVE. */
export function formatInactiveStatus({ status }: Occupant): string {
  const word = findEnumValue(DEVICE_STATUSES, status) ?? "ACTIVE";
  return word === "ACTIVE" ? "" : formatConstant(word);
}
