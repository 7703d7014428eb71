import type {
  CoolingPreview,
  DevicePreview,
  FigureChange,
  FindingPreview,
  PreviewChangesResponse,
  RackPreview,
  SupplyPreview,
} from "#gen/datacenter/v1/json.ts";
import { formatDecimal, formatKilowatts, formatPercent, formatWatts } from "#words/figures.ts";
import { getRefName, listSomeNames } from "#words/names.ts";
import { getVisibleShareState, type State } from "../../shared/state_of_share.ts";
import { formatQuantity } from "../labels.ts";
import { describeReason, formatReasonFigures } from "../reason_words.ts";

/** One sentence about the effects of changes. */
export interface PreviewLine {
  readonly state: State;
  readonly title: string;
  readonly text: string;
}

/** One figure with its values before and after the changes. */
export interface PreviewRow {
  readonly label: string;
  readonly before: string;
  readonly after: string;
  /** State of the element after the changes. */
  readonly state: State;
}

const AREA_KINDS: ReadonlySet<string> = new Set(["site", "floor", "room", "row", "zone"]);

/** Returns the name in a reference. For an area, returns its kind and last segment, because the site is known. */
function getShortName(ref: string): string {
  const kind = ref.slice(0, ref.indexOf(":"));
  return AREA_KINDS.has(kind)
    ? `${kind} ${ref.slice(Math.max(ref.indexOf(":"), ref.lastIndexOf("/")) + 1)}`
    : getRefName(ref);
}

/** Maximum number of names in a sentence. */
const MAX_NAMES = 6;

function formatNameList(names: readonly string[], count = names.length): string {
  return listSomeNames(names, MAX_NAMES, count);
}

/** Describes the effects of changes: losses first, then deteriorations, then improvements. */
export function describePreview(answer: PreviewChangesResponse): readonly PreviewLine[] {
  const isSupplyLost = answer.lost_count > 0;
  // A device without a live supply is already named in the sentence about losses.
  const worse = answer.new_findings.filter(({ code }) => !(isSupplyLost && code === "NO_LIVE_SUPPLY"));
  return [
    ...describeLosses(answer),
    ...describeNewFindings(worse),
    ...describeGains(answer),
    ...describeResolvedFindings(answer),
    ...describeRefusals(answer),
  ];
}

function describeLosses({ devices, lost_count, reduced_count }: PreviewChangesResponse): readonly PreviewLine[] {
  const filterByEffect = (effect: string, isSupply: boolean) =>
    devices.filter((one) => one.effect === `SUPPLY_EFFECT_${effect}` && one.is_supply === isSupply);
  const lost = filterByEffect("LOST", false);
  const dead = filterByEffect("LOST", true);
  return [
    ...createPreviewLines(
      "fault",
      lost_count,
      `${formatQuantity(lost_count, "device")} would go dark`,
      describeDeviceLosses(lost, lost_count),
    ),
    ...createPreviewLines(
      "watch",
      dead.length,
      "Power equipment without supply",
      formatNameList(dead.map(({ ref }) => getRefName(ref))),
    ),
    ...createPreviewLines(
      "watch",
      reduced_count,
      `${formatQuantity(reduced_count, "device")} with fewer live inlets`,
      formatNameList(listDeviceNames(filterByEffect("REDUCED", false)), reduced_count),
    ),
  ];
}

function describeDeviceLosses(lost: readonly DevicePreview[], count: number): string {
  const isUnrecorded = lost.length > 0 && lost.every(({ state_after }) => state_after === "SUPPLY_STATE_UNDOCUMENTED");
  return `${formatNameList(listDeviceNames(lost), count)}${isUnrecorded ? ": no supply would be recorded" : ""}`;
}

function listDeviceNames(devices: readonly DevicePreview[]): readonly string[] {
  return devices.map(({ ref }) => getRefName(ref));
}

function describeGains({ devices, gained_count, increased_count }: PreviewChangesResponse): readonly PreviewLine[] {
  const listNamesByEffect = (effect: string) =>
    listDeviceNames(devices.filter((one) => one.effect === effect && !one.is_supply));
  const [gained, more] = [listNamesByEffect("SUPPLY_EFFECT_GAINED"), listNamesByEffect("SUPPLY_EFFECT_INCREASED")];
  return [
    ...createPreviewLines(
      "ok",
      gained_count,
      `${formatQuantity(gained_count, "device")} with power again`,
      formatNameList(gained, gained_count),
    ),
    ...createPreviewLines(
      "ok",
      increased_count,
      `${formatQuantity(increased_count, "device")} with more live inlets`,
      formatNameList(more, increased_count),
    ),
  ];
}

/** Describes findings. Findings with the same code and health share a line. */
function describeNewFindings(findings: readonly FindingPreview[]): readonly PreviewLine[] {
  const groups = Map.groupBy(findings, ({ code, health }) => `${health} ${code}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const state: State = first.health === "HEALTH_FAULT" ? "fault" : "watch";
    const text =
      group.length === 1
        ? `${getShortName(first.ref)}${formatReasonFigures(first)}${first.racks > 1 ? `, in ${first.racks} racks` : ""}`
        : formatNameList(group.map(({ ref }) => getShortName(ref)));
    return [{ state, title: describeReason(first.code), text }];
  });
}

function describeResolvedFindings({
  resolved_findings,
  omitted_resolved_findings,
}: PreviewChangesResponse): readonly PreviewLine[] {
  const count = resolved_findings.length + omitted_resolved_findings;
  const texts = resolved_findings.map(({ code, ref }) => `${describeReason(code)}: ${getShortName(ref)}`);
  return createPreviewLines("ok", count, `${formatQuantity(count, "finding")} resolved`, formatNameList(texts, count));
}

function describeRefusals({ refused, results }: PreviewChangesResponse): readonly PreviewLine[] {
  if (refused === results.length) return [];
  return createPreviewLines(
    "info",
    refused,
    `${formatQuantity(refused, "change")} would be refused`,
    "These figures leave them out.",
  );
}

function createPreviewLines(state: State, count: number, title: string, text: string): readonly PreviewLine[] {
  return count === 0 ? [] : [{ state, title, text }];
}

const STATES_BY_HEALTH: Readonly<Record<string, State>> = {
  HEALTH_FAULT: "fault",
  HEALTH_WATCH: "watch",
  HEALTH_OK: "ok",
};
const STATE_ORDER: readonly State[] = ["fault", "watch"];

/** Returns the figures whose text changes. Figures with problems after the changes come first. */
export function listPreviewRows({ supplies, racks, cooling }: PreviewChangesResponse): readonly PreviewRow[] {
  const rows = [
    ...supplies.flatMap(createSupplyRows),
    ...racks.flatMap(createRackRows),
    ...cooling.flatMap(createCoolingRows),
  ];
  const getStateRank = ({ state }: PreviewRow) =>
    STATE_ORDER.includes(state) ? STATE_ORDER.indexOf(state) : STATE_ORDER.length;
  return rows.filter(({ before, after }) => before !== after).toSorted((a, b) => getStateRank(a) - getStateRank(b));
}

const UNKNOWN_FIGURE: FigureChange = {};

function createPreviewRow(label: string, state: State, formatSide: (side: "before" | "after") => string): PreviewRow {
  return { label, before: formatSide("before"), after: formatSide("after"), state };
}

function createSupplyRows(supply: SupplyPreview): readonly PreviewRow[] {
  const {
    load_w = UNKNOWN_FIGURE,
    load_pct = UNKNOWN_FIGURE,
    failover_w = UNKNOWN_FIGURE,
    failover_pct = UNKNOWN_FIGURE,
  } = supply;
  const { capacity_w = UNKNOWN_FIGURE } = supply;
  const state = STATES_BY_HEALTH[supply.health_after] ?? "unknown";
  // The load of a removed element is not shown.
  if (load_w.after === undefined) return [];
  const name = getRefName(supply.ref);
  const createLoadFormatter = (load: FigureChange, share: FigureChange) => (side: "before" | "after") =>
    share[side] === undefined
      ? formatKnownFigure(load[side], formatWatts)
      : `${formatKnownFigure(load[side], formatWatts)}, ${formatKnownFigure(share[side], formatPercent)}`;
  return [
    createPreviewRow(`${name}: load`, state, createLoadFormatter(load_w, load_pct)),
    createPreviewRow(`${name}: after one failure`, state, createLoadFormatter(failover_w, failover_pct)),
    createPreviewRow(`${name}: capacity`, state, (side) => formatKnownFigure(capacity_w[side], formatWatts)),
  ];
}

/** Returns the state of a figure by its share of the limit after the change. */
function getFigureState({ after: value }: FigureChange, { after: limit }: FigureChange): State {
  const share = value === undefined || limit === undefined || limit === 0 ? undefined : (value / limit) * 100;
  return getVisibleShareState(share) ?? "ok";
}

function createRackRows(rack: RackPreview): readonly PreviewRow[] {
  const { draw_w = UNKNOWN_FIGURE, power_capacity_w = UNKNOWN_FIGURE, free_u = UNKNOWN_FIGURE } = rack;
  const { weight_kg = UNKNOWN_FIGURE, max_load_kg = UNKNOWN_FIGURE } = rack;
  if (draw_w.after === undefined) return [];
  const name = rack.rack_code;
  return [
    createPreviewRow(`${name}: power`, getFigureState(draw_w, power_capacity_w), (side) =>
      formatShareOfLimit(draw_w[side], power_capacity_w[side], formatWatts),
    ),
    createPreviewRow(`${name}: free units`, "ok", (side) => formatKnownFigure(free_u[side], (value) => `${value} U`)),
    createPreviewRow(`${name}: weight`, getFigureState(weight_kg, max_load_kg), (side) =>
      formatShareOfLimit(weight_kg[side], max_load_kg[side], (value) => formatDecimal(value, "kg")),
    ),
  ];
}

function createCoolingRows({
  ref,
  medium,
  heat_kw = UNKNOWN_FIGURE,
  usable_kw = UNKNOWN_FIGURE,
  health_after,
}: CoolingPreview) {
  const heat = medium === "COOLING_MEDIUM_LIQUID" ? "liquid heat of usable cooling" : "heat of usable cooling";
  const state = STATES_BY_HEALTH[health_after] ?? "unknown";
  return [
    createPreviewRow(`${getShortName(ref)}: ${heat}`, state, (side) =>
      formatShareOfLimit(heat_kw[side], usable_kw[side], formatKilowatts),
    ),
  ];
}

/** Formats a figure with a no-break space before its unit; "" without a value. */
function formatKnownFigure(value: number | undefined, format: (value: number) => string): string {
  return value === undefined ? "" : format(value).replaceAll(" ", "\u00a0");
}

function formatShareOfLimit(
  value: number | undefined,
  limit: number | undefined,
  format: (value: number) => string,
): string {
  if (value === undefined) return "";
  return limit === undefined
    ? formatKnownFigure(value, format)
    : `${formatKnownFigure(value, format)} of ${formatKnownFigure(limit, format)}`;
}
