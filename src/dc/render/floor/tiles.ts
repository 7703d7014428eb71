import { CRAC_STATUSES, DEVICE_KINDS, DEVICE_STATUSES } from "#dc/model/enum_values.ts";
import { computeFootprint, type Rectangle } from "#dc/model/rack_space.ts";
import type { Placement } from "#dc/model/resources.ts";
import type { CracTile, DeviceTile, FloorPlanResponse, RackTile } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatPercent, formatPlainNumber, formatWatts } from "#words/figures.ts";
import { formatConstant, getRefName } from "#words/names.ts";
import type { ColorToken, State } from "../palette.ts";
import {
  findEnumValue,
  findHealthState,
  findShareState,
  formatReasonValue,
  joinCodeAndName,
  STATE_LABELS,
} from "../parts/marks.ts";
import { type FloorStyle, findRiskAppearance } from "./floor_style.ts";

/** One footprint of the plan with its colours, texts and facts. */
export interface FloorTile {
  readonly ref: string;
  readonly kind: "rack" | "crac" | "device";
  readonly code: string;
  readonly title: string;
  /** Area of the footprint, in millimetres from the floor's north-west corner. */
  readonly area: Rectangle;
  /** Direction of the front: 0 north, 90 east, 180 south, 270 west. */
  readonly facing: number;
  readonly row: string;
  readonly fill: ColorToken;
  /** Whether the coloured value is unknown. */
  readonly isUnknown?: boolean;
  readonly state: State | undefined;
  /** A short figure under the code; may be empty. */
  readonly figure: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
}

/** Returns the footprints of a floor in drawing order: cooling units, floor-standing power, then racks on top. */
export function buildTiles({ racks, cracs, devices }: FloorPlanResponse, style: FloorStyle): readonly FloorTile[] {
  return [
    ...cracs.map(buildCracTile),
    ...devices.map(buildDeviceTile),
    ...racks.map((rack) => buildRackTile(rack, style)),
  ];
}

/** Returns tiles for racks without a footprint, to be shown beside the plan. */
export function buildUnplacedTiles(
  { unplacedRacks: racks }: FloorPlanResponse,
  style: FloorStyle,
): readonly FloorTile[] {
  return racks.map((rack) => buildRackTile(rack, style));
}

function convertToFootprint(placement: Placement | undefined): Pick<FloorTile, "area" | "facing"> {
  if (placement === undefined) return { area: { west: 0, north: 0, east: 0, south: 0 }, facing: 0 };
  return { area: computeFootprint(placement), facing: placement.rotationDeg };
}

function buildRackTile(rack: RackTile, style: FloorStyle): FloorTile {
  const { code, powerPct, coolingPct, inletTempC, measuredW } = rack;
  const state = findHealthState(rack.health);
  return {
    ref: `rack:${code}`,
    kind: "rack",
    code,
    title: joinCodeAndName(code, rack.name),
    ...convertToFootprint(rack.placement),
    row: rack.row,
    fill: style.findFill(rack),
    isUnknown: style.isUnknown?.(rack) ?? false,
    state: style.findSign === undefined ? state : style.findSign(rack),
    figure: style.formatFigure(rack),
    facts: [
      ...(rack.risk === undefined ? [] : [["One failure", describeRisk(rack)] as const]),
      ["Health", STATE_LABELS[state]],
      ["Space taken", formatPercent(rack.spacePct)],
      ["Power", powerPct === undefined ? "no limit recorded" : formatPercent(powerPct)],
      ...(measuredW === undefined ? [] : [["Measured", formatWatts(measuredW)] as const]),
      ["Heat", formatWatts(rack.heatW)],
      ...(coolingPct === undefined ? [] : [["Cooling", formatPercent(coolingPct)] as const]),
      ...(inletTempC === undefined ? [] : [["Inlet", `${formatPlainNumber(inletTempC)} °C`] as const]),
      ...rack.reasons.map(({ code: reason, value, limit, ref }): readonly [string, string] => [
        formatConstant(reason),
        [
          value === undefined ? "" : formatReasonValue(reason, value),
          limit === undefined ? "" : `limit ${formatReasonValue(reason, limit)}`,
          getRefName(ref),
        ]
          .filter(Boolean)
          .join(", "),
      ]),
    ],
  };
}

/** Describes the effect of one failure: `goes dark by UPS-A2`, or `stays on`. */
function describeRisk(rack: RackTile): string {
  const { label } = findRiskAppearance(rack);
  return rack.riskRef === undefined ? label : `${label} by ${getRefName(rack.riskRef)}`;
}

type CracTileInput = Pick<CracTile, "code" | "name" | "status" | "utilizationPct"> & {
  readonly placement?: Placement | undefined;
};

/** Returns the tile of a cooling unit with its load. */
export function buildCracTile({ code, name, placement, status, utilizationPct }: CracTileInput): FloorTile {
  const word = findEnumValue(CRAC_STATUSES, status) ?? "ACTIVE";
  const works = word === "ACTIVE" || word === "STANDBY";
  return {
    ref: `crac:${code}`,
    kind: "crac",
    code,
    title: joinCodeAndName(code, name),
    ...convertToFootprint(placement),
    row: "",
    fill: works ? "accentSoft" : "offlineSoft",
    state: findCracState(word, utilizationPct),
    figure: word === "ACTIVE" ? formatPercent(Math.round(utilizationPct)) : formatConstant(word),
    facts: [
      ["Status", formatConstant(word)],
      // Only an active unit has an effective capacity.
      ...(word === "ACTIVE" ? [["Load", formatPercent(utilizationPct)] as const] : []),
    ],
  };
}

function findCracState(status: (typeof CRAC_STATUSES)[number], pct: number): State | undefined {
  if (status === "FAILED") return "fault";
  if (status === "OFFLINE" || status === "MAINTENANCE") return "offline";
  const state = findShareState(pct);
  return state === "ok" ? undefined : state;
}

function buildDeviceTile(device: DeviceTile): FloorTile {
  const { code, powerPct, powerFailoverPct } = device;
  const word = findEnumValue(DEVICE_STATUSES, device.status) ?? "ACTIVE";
  const load = findHealthState(device.health);
  const state = word === "FAILED" ? "fault" : word === "OFFLINE" ? "offline" : undefined;
  return {
    ref: `device:${code}`,
    kind: "device",
    code,
    title: joinCodeAndName(code, device.name),
    ...convertToFootprint(device.placement),
    row: "",
    fill: state === "offline" ? "offlineSoft" : "roleOther",
    state: state ?? (load === "ok" || load === "info" ? undefined : load),
    figure: formatLoadFigure(powerPct, powerFailoverPct),
    facts: [
      ["Kind", formatConstant(findEnumValue(DEVICE_KINDS, device.kind) ?? "OTHER")],
      ["Status", formatConstant(word)],
      ["Load", powerPct === undefined ? "no capacity recorded" : formatPercent(powerPct)],
      ...(powerFailoverPct === undefined ? [] : [["After one failure", formatPercent(powerFailoverPct)] as const]),
    ],
  };
}

/** Formats the load of a device, and its load after one failure if that exceeds its capacity. */
function formatLoadFigure(now: number | undefined, failover: number | undefined): string {
  if (now === undefined) return "";
  const percentNow = formatPercent(Math.round(now));
  if (failover === undefined || failover <= 100 || failover <= now) return percentNow;
  return `${percentNow} → ${formatPercent(Math.round(failover))}`;
}
