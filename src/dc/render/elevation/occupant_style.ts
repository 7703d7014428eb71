import { type Coloring, DEVICE_KINDS, DEVICE_STATUSES, type DeviceStatus } from "#dc/model/enum_values.ts";
import type { GetRackResponse, Occupant } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatWatts } from "#words/figures.ts";
import { formatConstant } from "#words/names.ts";
import { type ColorToken, type State, scaleTokenOf } from "../palette.ts";
import type { LegendEntry } from "../parts/chrome.ts";
import { enumWordAt, STATE_WORDS, stateOfHealth } from "../parts/marks.ts";
import { roleFill } from "../parts/roles.ts";
import { SHARE_STEPS } from "../scale_legend.ts";

export interface OccupantStyle {
  fill(occupant: Occupant): ColorToken;
  /** Returns the state shown as a sign beside a device, if any. */
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
  const state = (occupant: Occupant) => health.get(occupant.deviceCode.toLowerCase()) ?? stateOfStatus(occupant);
  switch (coloring) {
    case "STATUS":
      return {
        fill: (occupant) => softColorOf(stateOfStatus(occupant) ?? "ok"),
        state,
        legend: statusLegend(reply.occupants),
      };
    case "HEALTH":
      return {
        fill: (occupant) => softColorOf(state(occupant) ?? "ok"),
        state: (occupant) => state(occupant) ?? "ok",
        legend: (["ok", "watch", "fault", "offline"] as const).map((one) => ({ label: STATE_WORDS[one], state: one })),
      };
    case "POWER":
      return powerStyle(reply, state);
    case "ROLE":
      return { fill: roleFill, state, legend: roleLegend(reply.occupants) };
    default:
      return { fill: () => "sunken", state, legend: [] };
  }
}

function softColorOf(state: State): ColorToken {
  return `${state}Soft`;
}

function stateOfStatus({ status }: Occupant): State | undefined {
  return OF_STATUS[enumWordAt(DEVICE_STATUSES, status) ?? "ACTIVE"];
}

/** Returns the worst health of each device from the rack's reasons and conflicts. */
function findWorstHealth({ rack, conflicts }: GetRackResponse): ReadonlyMap<string, State> {
  const worst = new Map<string, State>();
  for (const { ref, health } of rack?.healthReasons ?? []) {
    const state = stateOfHealth(health);
    const code = ref.replace(/^device:/i, "").toLowerCase();
    if (!/^device:/i.test(ref) || state === "info" || worst.get(code) === "fault") continue;
    worst.set(code, state);
  }
  for (const { deviceCode } of conflicts) worst.set(deviceCode.toLowerCase(), "fault");
  return worst;
}

/** Returns the style that colours devices by draw per unit of height, relative to the rack's capacity per unit. */
function powerStyle({ capacity }: GetRackResponse, state: OccupantStyle["state"]): OccupantStyle {
  const { powerCapacityW = 0, totalU = 0 } = capacity ?? {};
  if (powerCapacityW === 0 || totalU === 0) {
    return { fill: () => "panel", state, legend: [{ label: "No power limit recorded", fill: "panel" }] };
  }
  const mostPerU = powerCapacityW / totalU;
  const share = ({ drawW, uHeight }: Occupant) => (drawW / Math.max(1, uHeight) / mostPerU) * 100;
  return {
    fill: (occupant) => scaleTokenOf(share(occupant)),
    state,
    legend: SHARE_STEPS.map(([pct, label]) => ({
      label: `${label} of ${formatWatts(mostPerU)} per U`,
      fill: scaleTokenOf(pct),
    })),
  };
}

function statusLegend(occupants: readonly Occupant[]): readonly LegendEntry[] {
  const present = new Set(occupants.map(({ status }) => enumWordAt(DEVICE_STATUSES, status) ?? "ACTIVE"));
  return DEVICE_STATUSES.filter((status) => present.has(status)).map((status) => ({
    label: formatConstant(status),
    fill: softColorOf(OF_STATUS[status] ?? "ok"),
  }));
}

/** Returns one entry per fill, with the roles or kinds that share it. */
function roleLegend(occupants: readonly Occupant[]): readonly LegendEntry[] {
  const words = new Map<ColorToken, Set<string>>();
  for (const occupant of occupants) {
    const fill = roleFill(occupant);
    const known = words.get(fill) ?? new Set();
    words.set(fill, known.add(occupant.role === "" ? kindTextOf(occupant) : occupant.role));
  }
  return [...words].map(([fill, labels]) => ({ fill, label: [...labels].toSorted().join(", ") }));
}

export function kindTextOf({ kind }: Occupant): string {
  return formatConstant(enumWordAt(DEVICE_KINDS, kind) ?? "OTHER");
}

/** Returns the word of a status other than ACTIVE; empty for ACTIVE. */
export function statusTextOf({ status }: Occupant): string {
  const word = enumWordAt(DEVICE_STATUSES, status) ?? "ACTIVE";
  return word === "ACTIVE" ? "" : formatConstant(word);
}
