import { type Coloring, DEVICE_KINDS, DEVICE_STATUSES, type DeviceStatus } from "#dc/model/enum_values.ts";
import type { GetRackResponse, Occupant } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatWatts } from "#words/figures.ts";
import { formatConstant } from "#words/names.ts";
import { type State, scaleStep, type Token } from "../palette.ts";
import type { LegendEntry } from "../parts/chrome.ts";
import { STATE_WORDS, stateOfHealth, wordAt } from "../parts/marks.ts";
import { roleToken } from "../parts/roles.ts";
import { SHARE_STEPS } from "../scale_legend.ts";

export interface OccupantStyle {
  fill(occupant: Occupant): Token;
  /** The sign beside a device, if any. */
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

/** The style of a rack's devices under one colouring. */
export function occupantStyle(reply: GetRackResponse, coloring: Coloring): OccupantStyle {
  const health = worstHealth(reply);
  const state = (occupant: Occupant) => health.get(occupant.deviceCode.toLowerCase()) ?? ofStatus(occupant);
  switch (coloring) {
    case "STATUS":
      return {
        fill: (occupant) => softColour(ofStatus(occupant) ?? "ok"),
        state,
        legend: statusLegend(reply.occupants),
      };
    case "HEALTH":
      return {
        fill: (occupant) => softColour(state(occupant) ?? "ok"),
        state: (occupant) => state(occupant) ?? "ok",
        legend: (["ok", "watch", "fault", "offline"] as const).map((one) => ({ label: STATE_WORDS[one], state: one })),
      };
    case "POWER":
      return powerStyle(reply, state);
    case "ROLE":
      return { fill: roleToken, state, legend: roleLegend(reply.occupants) };
    default:
      return { fill: () => "sunken", state, legend: [] };
  }
}

function softColour(state: State): Token {
  return `${state}Soft`;
}

function ofStatus({ status }: Occupant): State | undefined {
  return OF_STATUS[wordAt(DEVICE_STATUSES, status) ?? "ACTIVE"];
}

/** The worst health of each device by the rack's reasons and conflicts. */
function worstHealth({ rack, conflicts }: GetRackResponse): ReadonlyMap<string, State> {
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

/** Colours by draw per unit of height, relative to the rack's capacity per unit. */
function powerStyle({ capacity }: GetRackResponse, state: OccupantStyle["state"]): OccupantStyle {
  const { powerCapacityW = 0, totalU = 0 } = capacity ?? {};
  if (powerCapacityW === 0 || totalU === 0) {
    return { fill: () => "panel", state, legend: [{ label: "No power limit recorded", fill: "panel" }] };
  }
  const mostPerU = powerCapacityW / totalU;
  const share = ({ drawW, uHeight }: Occupant) => (drawW / Math.max(1, uHeight) / mostPerU) * 100;
  return {
    fill: (occupant) => scaleStep(share(occupant)),
    state,
    legend: SHARE_STEPS.map(([pct, label]) => ({
      label: `${label} of ${formatWatts(mostPerU)} per U`,
      fill: scaleStep(pct),
    })),
  };
}

function statusLegend(occupants: readonly Occupant[]): readonly LegendEntry[] {
  const present = new Set(occupants.map(({ status }) => wordAt(DEVICE_STATUSES, status) ?? "ACTIVE"));
  return DEVICE_STATUSES.filter((status) => present.has(status)).map((status) => ({
    label: formatConstant(status),
    fill: softColour(OF_STATUS[status] ?? "ok"),
  }));
}

/** One entry per fill, with the roles or kinds that share it. */
function roleLegend(occupants: readonly Occupant[]): readonly LegendEntry[] {
  const words = new Map<Token, Set<string>>();
  for (const occupant of occupants) {
    const fill = roleToken(occupant);
    const known = words.get(fill) ?? new Set();
    words.set(fill, known.add(occupant.role === "" ? kindWord(occupant) : occupant.role));
  }
  return [...words].map(([fill, labels]) => ({ fill, label: [...labels].toSorted().join(", ") }));
}

export function kindWord({ kind }: Occupant): string {
  return formatConstant(wordAt(DEVICE_KINDS, kind) ?? "OTHER");
}

/** Word of a status that is not ACTIVE. */
export function statusWord({ status }: Occupant): string {
  const word = wordAt(DEVICE_STATUSES, status) ?? "ACTIVE";
  return word === "ACTIVE" ? "" : formatConstant(word);
}
