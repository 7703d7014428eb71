import { type Coloring, DEVICE_KINDS, DEVICE_STATUSES, type DeviceStatus } from "#dc/model/enum_values.ts";
import type { GetRackResponse, Occupant } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatWatts } from "#words/figures.ts";
import { formatConstant } from "#words/names.ts";
import { type ColorToken, findScaleToken, type State } from "../palette.ts";
import type { LegendEntry } from "../parts/chrome.ts";
import { findEnumWordAt, findHealthState, STATE_WORDS } from "../parts/marks.ts";
import { findRoleFill } from "../parts/roles.ts";
import { SHARE_STEPS } from "../scale_legend.ts";

export interface OccupantStyle {
  fill(occupant: Occupant): ColorToken;
  /** Returns the state that a mark beside the device shows; undefined for no mark. */
  state(occupant: Occupant): State | undefined;
  readonly legend: readonly LegendEntry[];
}

const OF_STATUS: Readonly<Record<DeviceStatus, State | undefined>> = {
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
  const health = findWorstHealth(reply);
  const state = (occupant: Occupant) => health.get(occupant.deviceCode.toLowerCase()) ?? findStatusState(occupant);
  switch (coloring) {
    case "STATUS":
      return {
        fill: (occupant) => findSoftColor(findStatusState(occupant) ?? "ok"),
        state,
        legend: createStatusLegend(reply.occupants),
      };
    case "HEALTH":
      return {
        fill: (occupant) => findSoftColor(state(occupant) ?? "ok"),
        state: (occupant) => state(occupant) ?? "ok",
        legend: (["ok", "watch", "fault", "offline"] as const).map((one) => ({ label: STATE_WORDS[one], state: one })),
      };
    case "POWER":
      return createPowerStyle(reply, state);
    case "ROLE":
      return { fill: findRoleFill, state, legend: createRoleLegend(reply.occupants) };
    default:
      return { fill: () => "sunken", state, legend: [] };
  }
}

function findSoftColor(state: State): ColorToken {
  return `${state}Soft`;
}

function findStatusState({ status }: Occupant): State | undefined {
  return OF_STATUS[findEnumWordAt(DEVICE_STATUSES, status) ?? "ACTIVE"];
}

/** Returns the worst health of each device from the rack's reasons and conflicts. */
function findWorstHealth({ rack, conflicts }: GetRackResponse): ReadonlyMap<string, State> {
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
function createPowerStyle({ capacity }: GetRackResponse, state: OccupantStyle["state"]): OccupantStyle {
  const { powerCapacityW = 0, totalU = 0 } = capacity ?? {};
  if (powerCapacityW === 0 || totalU === 0) {
    return { fill: () => "panel", state, legend: [{ label: "No power limit recorded", fill: "panel" }] };
  }
  const mostPerU = powerCapacityW / totalU;
  const share = ({ drawW, uHeight }: Occupant) => (drawW / Math.max(1, uHeight) / mostPerU) * 100;
  return {
    fill: (occupant) => findScaleToken(share(occupant)),
    state,
    legend: SHARE_STEPS.map(([pct, label]) => ({
      label: `${label} of ${formatWatts(mostPerU)} per U`,
      fill: findScaleToken(pct),
    })),
  };
}

function createStatusLegend(occupants: readonly Occupant[]): readonly LegendEntry[] {
  const present = new Set(occupants.map(({ status }) => findEnumWordAt(DEVICE_STATUSES, status) ?? "ACTIVE"));
  return DEVICE_STATUSES.filter((status) => present.has(status)).map((status) => ({
    label: formatConstant(status),
    fill: findSoftColor(OF_STATUS[status] ?? "ok"),
  }));
}

/** Returns one entry for each fill, labelled with the roles or kinds that share it. */
function createRoleLegend(occupants: readonly Occupant[]): readonly LegendEntry[] {
  const words = new Map<ColorToken, Set<string>>();
  for (const occupant of occupants) {
    const fill = findRoleFill(occupant);
    const known = words.get(fill) ?? new Set();
    words.set(fill, known.add(occupant.role === "" ? formatKind(occupant) : occupant.role));
  }
  return [...words].map(([fill, labels]) => ({ fill, label: [...labels].toSorted().join(", ") }));
}

export function formatKind({ kind }: Occupant): string {
  return formatConstant(findEnumWordAt(DEVICE_KINDS, kind) ?? "OTHER");
}

/** Returns the word of a status other than ACTIVE; empty for ACTIVE. */
export function formatStatus({ status }: Occupant): string {
  const word = findEnumWordAt(DEVICE_STATUSES, status) ?? "ACTIVE";
  return word === "ACTIVE" ? "" : formatConstant(word);
}
