import {
  type CracTile,
  type DeviceTile,
  type FloorPlanResponse,
  LoadBasis,
  type RackTile,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatKnownSum, formatPercent, formatPlainNumber, formatWatts, isSumUnknown } from "#words/figures.ts";
import { capitalize, formatConstant, formatCountWithNoun, getRefName } from "#words/names.ts";
import {
  type Coloring,
  CRAC_STATUSES,
  DEVICE_KINDS,
  DEVICE_STATUSES,
  RACK_RISKS,
  type RackRisk,
} from "../../model/enum_values.ts";
import { computeFootprint, type Rectangle } from "../../model/rack_space.ts";
import type { Placement } from "../../model/resources.ts";
import { type FrameInput, findInletToken, INLET_STEP_LABELS, type LegendEntry, SHARE_STEPS } from "../frame.ts";
import { type ColorToken, findScaleToken, type ScaleToken, type State } from "../palette.ts";
import {
  findEnumValue,
  findHealthState,
  findRackState,
  findShareState,
  formatReasonValue,
  joinCodeAndName,
  STATE_LABELS,
} from "../parts/marks.ts";

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
  const { code, coolingPct, inletTempC, measuredW } = rack;
  const state = findRackState(rack.health, rack.reasons);
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
      ...(style.showsRisk === true ? [["One failure", describeRisk(rack)] as const] : []),
      ["Health", STATE_LABELS[state]],
      ["Space taken", formatPercent(rack.spacePct)],
      ["Power", formatRackPower(rack)],
      ...(measuredW === undefined ? [] : [["Measured", formatWatts(measuredW)] as const]),
      ...(rack.devicesWithoutSupply === 0
        ? []
        : [["Supply not recorded", formatCountWithNoun(rack.devicesWithoutSupply, "device")] as const]),
      ["Heat", formatKnownSum(rack.heatW, rack.devicesWithoutHeat)],
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

function formatRackPower({ powerPct, devicesWithoutDraw }: RackTile): string {
  if (powerPct !== undefined) return formatPercent(powerPct);
  return devicesWithoutDraw === 0 ? "no limit recorded" : "not recorded";
}

/** Describes the effect of one failure: `goes dark by UPS-A2`, or `stays on`. */
function describeRisk(rack: RackTile): string {
  const { label } = findRiskAppearance(rack);
  return rack.riskRef === undefined ? label : `${label} by ${getRefName(rack.riskRef)}`;
}

type CracTileInput = Pick<CracTile, "code" | "name" | "status" | "utilizationPct" | "devicesWithoutHeat"> & {
  readonly placement?: Placement | undefined;
};

/** Returns the tile of a cooling unit with its load. */
export function buildCracTile({ code, name, placement, status, utilizationPct, ...crac }: CracTileInput): FloorTile {
  const isUnknown = isSumUnknown(utilizationPct, crac.devicesWithoutHeat);
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
    figure: word !== "ACTIVE" ? formatConstant(word) : isUnknown ? "" : formatPercent(Math.round(utilizationPct)),
    facts: [
      ["Status", formatConstant(word)],
      // Only an active unit has an effective capacity.
      ...(word === "ACTIVE"
        ? [["Load", formatKnownSum(utilizationPct, crac.devicesWithoutHeat, formatPercent)] as const]
        : []),
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
  const { code, powerPct, powerFailoverPct, powerLimitPct } = device;
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
      ["Load", powerPct === undefined ? describeUnknownLoad(powerLimitPct) : formatPercent(powerPct)],
      ...(powerFailoverPct === undefined ? [] : [["After one failure", formatPercent(powerFailoverPct)] as const]),
    ],
  };
}

/** @param limitPct limit of the load, which is set with a recorded capacity only */
function describeUnknownLoad(limitPct: number | undefined): string {
  return limitPct === undefined ? "no capacity recorded" : "not recorded";
}

/** Formats the load of a device, and its load after one failure if that exceeds its capacity. */
function formatLoadFigure(now: number | undefined, failover: number | undefined): string {
  if (now === undefined) return "";
  const percentNow = formatPercent(Math.round(now));
  if (failover === undefined || failover <= 100 || failover <= now) return percentNow;
  return `${percentNow} → ${formatPercent(Math.round(failover))}`;
}

/** Fills, signs and figures of racks, and the legend. */
export interface FloorStyle {
  findFill(rack: RackTile): ColorToken;
  /** Whether the coloured value of the rack is unknown. */
  isUnknown?(rack: RackTile): boolean;
  /** Returns the state that the rack's sign shows; if absent, the sign shows the rack's health. */
  findSign?(rack: RackTile): State | undefined;
  formatFigure(rack: RackTile): string;
  /** Whether the colours show the effect of one failure. */
  readonly showsRisk?: true;
  readonly legend: readonly LegendEntry[];
}

/** Hatch for unknown values. */
export const UNKNOWN_HATCH = { pattern: "diagonal", paint: "grid" } as const;

const SIGN_STATES = ["ok", "watch", "fault", "info"] as const;
const SHARE_LABELS = SHARE_STEPS.map(([, label]) => label);

/** Returns the style of a floor's racks for one colouring. Signs show the health of racks, except for RISK. */
export function styleFloor(reply: FloorPlanResponse, coloring: Coloring): FloorStyle {
  switch (coloring) {
    case "POWER":
      return isReplyMeasured(reply)
        ? hatchUnknown(
            createShareStyle(({ powerPct }) => powerPct, "draw not measured"),
            ({ measuredW }) => measuredW === undefined,
          )
        : createShareStyle(({ powerPct }) => powerPct, describeUnknownShares(reply, "draw"));
    case "UTILIZATION":
      return createShareStyle(({ spacePct }) => spacePct, "no units");
    case "THERMAL":
      return isReplyMeasured(reply)
        ? hatchUnknown(createInletStyle(), ({ inletTempC }) => inletTempC === undefined)
        : createThermalFloorStyle(reply);
    case "RISK":
      return createRiskStyle(reply);
    case "NONE":
      return { findFill: () => "panel", formatFigure: () => "", legend: createSignLegend() };
    default:
      return {
        findFill: ({ health, reasons }) => `${findRackState(health, reasons)}Soft`,
        formatFigure: ({ powerPct }) => (powerPct === undefined ? "" : formatPercent(Math.round(powerPct))),
        legend: createSignLegend(),
      };
  }
}

function createSignLegend(): readonly LegendEntry[] {
  return SIGN_STATES.map((state) => ({ label: STATE_LABELS[state], state }));
}

interface RiskAppearance {
  readonly label: string;
  readonly fill: ColorToken;
  readonly state?: State;
}

const RISK_APPEARANCES: Readonly<Record<RackRisk, RiskAppearance>> = {
  DARK: { label: "goes dark", fill: "faultSoft", state: "fault" },
  PARTIAL: { label: "loses several devices", fill: "watchSoft", state: "watch" },
  DEVICE: { label: "loses one device", fill: "scale0" },
  NONE: { label: "stays on", fill: "panel" },
};

/** Appearance of a rack that loses nothing by recorded failures, and of a device of which no supply is recorded. */
const UNKNOWN_RISK: RiskAppearance = { label: "supply not recorded", fill: "panel" };

/** Returns text and colour for the worst effect of one failure on a rack. */
function findRiskAppearance({ risk = 0 }: Pick<RackTile, "risk">) {
  const known = findEnumValue(RACK_RISKS, risk);
  return known === undefined ? UNKNOWN_RISK : RISK_APPEARANCES[known];
}

/** Returns one figure for each effect of a failure: the number of racks for which it is the worst effect. */
export function createRiskFigures(reply: FloorPlanResponse): FrameInput["figures"] {
  const looks = [...reply.racks, ...reply.unplacedRacks].map(findRiskAppearance);
  if (looks.length === 0) return [];
  return [...Object.values(RISK_APPEARANCES), ...listUnknownRisk(reply)].map((look) => {
    const count = looks.filter((other) => other === look).length;
    return {
      label: capitalize(look.label),
      value: String(count),
      ...(count > 0 && look.state !== undefined && { tone: look.state }),
    };
  });
}

/** Returns the appearance of racks with an unknown risk, if there are any. */
function listUnknownRisk({ racks, unplacedRacks }: FloorPlanResponse): readonly RiskAppearance[] {
  return [...racks, ...unplacedRacks].some(hasUnknownRisk) ? [UNKNOWN_RISK] : [];
}

function hasUnknownRisk(rack: RackTile): boolean {
  return findRiskAppearance(rack) === UNKNOWN_RISK;
}

function createRiskStyle(reply: FloorPlanResponse): FloorStyle {
  return {
    showsRisk: true,
    isUnknown: hasUnknownRisk,
    findFill: (rack) => findRiskAppearance(rack).fill,
    findSign: (rack) => findRiskAppearance(rack).state,
    formatFigure: (rack) => (findRiskAppearance(rack).fill === "scale0" ? "1 device" : ""),
    legend: [
      ...Object.values(RISK_APPEARANCES).map(({ label, fill, state }) => ({
        label: `${label} after one failure`,
        ...(state === undefined ? { fill } : { state }),
      })),
      ...listUnknownRisk(reply).map(({ label, fill }) => ({ label, fill, hatch: UNKNOWN_HATCH })),
    ],
  };
}

/** Returns legend entries for the scale's steps, for unknown values and for signs. */
function createFloorScaleLegend(labels: readonly string[], unknown: string): readonly LegendEntry[] {
  return [
    ...labels.map((label, step): LegendEntry => ({ label, fill: `scale${step}` as ScaleToken })),
    { label: unknown, fill: "panel" },
    ...createSignLegend(),
  ];
}

/** Names what is not recorded of racks without a share: a limit, or for some of them the draw or the heat. */
function describeUnknownShares({ racks, unplacedRacks }: FloorPlanResponse, what: "draw" | "heat"): string {
  const limit = what === "draw" ? "power limit" : "cooling limit";
  const isAmountUnknown = (rack: RackTile) =>
    what === "draw"
      ? rack.powerPct === undefined && rack.devicesWithoutDraw > 0
      : rack.coolingPct === undefined && rack.devicesWithoutHeat > 0;
  return [...racks, ...unplacedRacks].some(isAmountUnknown)
    ? `no ${limit} or ${what} recorded`
    : `no ${limit} recorded`;
}

function createShareStyle(getShare: (rack: RackTile) => number | undefined, unknown: string): FloorStyle {
  return {
    findFill: (rack) => {
      const pct = getShare(rack);
      return pct === undefined ? "panel" : findScaleToken(pct);
    },
    formatFigure: (rack) => {
      const pct = getShare(rack);
      return pct === undefined ? "" : formatPercent(Math.round(pct));
    },
    legend: createFloorScaleLegend(SHARE_LABELS, unknown),
  };
}

function createInletStyle(): FloorStyle {
  return {
    findFill: ({ inletTempC }) => findInletToken(inletTempC),
    formatFigure: ({ inletTempC }) => (inletTempC === undefined ? "" : `${formatPlainNumber(inletTempC)} °C`),
    legend: createFloorScaleLegend(INLET_STEP_LABELS, "inlet not measured"),
  };
}

/** Whether the reply contains measured loads and inlet temperatures. */
export function isReplyMeasured({ loadBasis }: FloorPlanResponse): boolean {
  return loadBasis === LoadBasis.MEASURED || loadBasis === LoadBasis.MEASURED_PEAK;
}

/** Returns the style with hatches, and without a figure, for racks that have no readings. */
function hatchUnknown(style: FloorStyle, isUnknown: (rack: RackTile) => boolean): FloorStyle {
  return {
    ...style,
    isUnknown,
    findFill: (rack) => (isUnknown(rack) ? "panel" : style.findFill(rack)),
    formatFigure: (rack) => (isUnknown(rack) ? "" : style.formatFigure(rack)),
    legend: style.legend.map((entry) => (entry.fill === "panel" ? { ...entry, hatch: UNKNOWN_HATCH } : entry)),
  };
}

/** Returns a style by inlet temperatures if a rack has one, otherwise by heat as a share of cooling capacity. */
function createThermalFloorStyle(reply: FloorPlanResponse): FloorStyle {
  if (reply.racks.some(({ inletTempC }) => inletTempC !== undefined)) return createInletStyle();
  const byShare = createShareStyle(({ coolingPct }) => coolingPct, describeUnknownShares(reply, "heat"));
  return {
    ...byShare,
    formatFigure: (rack) => {
      if (isSumUnknown(rack.heatW, rack.devicesWithoutHeat)) return "";
      return rack.coolingPct === undefined ? formatWatts(rack.heatW) : byShare.formatFigure(rack);
    },
  };
}
