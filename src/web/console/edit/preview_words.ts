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
import { getRefName, listSome } from "#words/names.ts";
import { judgeVisibleShare, type State } from "../../shared/state_of_share.ts";
import { countOf } from "../labels.ts";
import { reasonFigures, reasonWord } from "../reason_words.ts";

/** One sentence about what changes do. */
export interface PreviewLine {
  readonly state: State;
  readonly title: string;
  readonly text: string;
}

/** One figure, before and after. */
export interface PreviewRow {
  readonly label: string;
  readonly before: string;
  readonly after: string;
  /** How the thing is afterwards. */
  readonly state: State;
}

const AREAS: ReadonlySet<string> = new Set(["site", "floor", "room", "row", "zone"]);

/** What a reference names; of an area the kind and its own name, as the site is known. */
function nameOf(ref: string): string {
  const kind = ref.slice(0, ref.indexOf(":"));
  return AREAS.has(kind)
    ? `${kind} ${ref.slice(Math.max(ref.indexOf(":"), ref.lastIndexOf("/")) + 1)}`
    : getRefName(ref);
}

/** Names before the rest is counted. */
const NAMED = 6;

function listNames(names: readonly string[], count = names.length): string {
  return listSome(names, NAMED, count);
}

/** What is lost first, then what becomes worse, last what becomes better. */
export function previewLines(answer: PreviewChangesResponse): readonly PreviewLine[] {
  const isSupplyLost = answer.lost_count > 0;
  // That a device has no live supply is said with its name already.
  const worse = answer.new_findings.filter(({ code }) => !(isSupplyLost && code === "NO_LIVE_SUPPLY"));
  return [
    ...effectLines(answer),
    ...findingLines(worse),
    ...betterLines(answer),
    ...resolvedLines(answer),
    ...refusedLines(answer),
  ];
}

function effectLines({ devices, lost_count, reduced_count }: PreviewChangesResponse): readonly PreviewLine[] {
  const of = (effect: string, isSupply: boolean) =>
    devices.filter((one) => one.effect === `SUPPLY_EFFECT_${effect}` && one.is_supply === isSupply);
  const lost = of("LOST", false);
  const dead = of("LOST", true);
  return [
    ...line("fault", lost_count, `${countOf(lost_count, "device")} would go dark`, lostText(lost, lost_count)),
    ...line("watch", dead.length, "Power equipment without supply", listNames(dead.map(({ ref }) => getRefName(ref)))),
    ...line(
      "watch",
      reduced_count,
      `${countOf(reduced_count, "device")} with fewer live inlets`,
      listNames(namesOf(of("REDUCED", false)), reduced_count),
    ),
  ];
}

function lostText(lost: readonly DevicePreview[], count: number): string {
  const isUnrecorded = lost.length > 0 && lost.every(({ state_after }) => state_after === "SUPPLY_STATE_UNDOCUMENTED");
  return `${listNames(namesOf(lost), count)}${isUnrecorded ? ": no supply would be recorded" : ""}`;
}

function namesOf(devices: readonly DevicePreview[]): readonly string[] {
  return devices.map(({ ref }) => getRefName(ref));
}

function betterLines({ devices, gained_count, increased_count }: PreviewChangesResponse): readonly PreviewLine[] {
  const of = (effect: string) => namesOf(devices.filter((one) => one.effect === effect && !one.is_supply));
  const [gained, more] = [of("SUPPLY_EFFECT_GAINED"), of("SUPPLY_EFFECT_INCREASED")];
  return [
    ...line("ok", gained_count, `${countOf(gained_count, "device")} with power again`, listNames(gained, gained_count)),
    ...line(
      "ok",
      increased_count,
      `${countOf(increased_count, "device")} with more live inlets`,
      listNames(more, increased_count),
    ),
  ];
}

/** Findings of one kind share a line. */
function findingLines(findings: readonly FindingPreview[]): readonly PreviewLine[] {
  const groups = Map.groupBy(findings, ({ code, health }) => `${health} ${code}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const state: State = first.health === "HEALTH_FAULT" ? "fault" : "watch";
    const text =
      group.length === 1
        ? `${nameOf(first.ref)}${reasonFigures(first)}${first.racks > 1 ? `, in ${first.racks} racks` : ""}`
        : listNames(group.map(({ ref }) => nameOf(ref)));
    return [{ state, title: reasonWord(first.code), text }];
  });
}

function resolvedLines({
  resolved_findings,
  omitted_resolved_findings,
}: PreviewChangesResponse): readonly PreviewLine[] {
  const count = resolved_findings.length + omitted_resolved_findings;
  const texts = resolved_findings.map(({ code, ref }) => `${reasonWord(code)}: ${nameOf(ref)}`);
  return line("ok", count, `${countOf(count, "finding")} resolved`, listNames(texts, count));
}

function refusedLines({ refused, results }: PreviewChangesResponse): readonly PreviewLine[] {
  if (refused === results.length) return [];
  return line("info", refused, `${countOf(refused, "change")} would be refused`, "These figures leave them out.");
}

function line(state: State, count: number, title: string, text: string): readonly PreviewLine[] {
  return count === 0 ? [] : [{ state, title, text }];
}

const STATES: Readonly<Record<string, State>> = { HEALTH_FAULT: "fault", HEALTH_WATCH: "watch", HEALTH_OK: "ok" };
const ORDER: readonly State[] = ["fault", "watch"];

/** Figures whose text differs, those with problems afterwards first. */
export function previewRows({ supplies, racks, cooling }: PreviewChangesResponse): readonly PreviewRow[] {
  const rows = [...supplies.flatMap(supplyRows), ...racks.flatMap(rackRows), ...cooling.flatMap(coolingRows)];
  const rank = ({ state }: PreviewRow) => (ORDER.includes(state) ? ORDER.indexOf(state) : ORDER.length);
  return rows.filter(({ before, after }) => before !== after).toSorted((a, b) => rank(a) - rank(b));
}

const UNKNOWN: FigureChange = {};

/** Returns a row with a figure before and after the change. */
function rowOfBoth(label: string, state: State, textOf: (side: "before" | "after") => string): PreviewRow {
  return { label, before: textOf("before"), after: textOf("after"), state };
}

function supplyRows(supply: SupplyPreview): readonly PreviewRow[] {
  const { load_w = UNKNOWN, load_pct = UNKNOWN, failover_w = UNKNOWN, failover_pct = UNKNOWN } = supply;
  const { capacity_w = UNKNOWN } = supply;
  const state = STATES[supply.health_after] ?? "unknown";
  // A removed element carries no load of interest.
  if (load_w.after === undefined) return [];
  const name = getRefName(supply.ref);
  const withShare = (load: FigureChange, share: FigureChange) => (side: "before" | "after") =>
    share[side] === undefined
      ? knownFigure(load[side], formatWatts)
      : `${knownFigure(load[side], formatWatts)}, ${knownFigure(share[side], formatPercent)}`;
  return [
    rowOfBoth(`${name}: load`, state, withShare(load_w, load_pct)),
    rowOfBoth(`${name}: after one failure`, state, withShare(failover_w, failover_pct)),
    rowOfBoth(`${name}: capacity`, state, (side) => knownFigure(capacity_w[side], formatWatts)),
  ];
}

/** State of a figure by its share of the limit. */
function stateOf({ after: value }: FigureChange, { after: limit }: FigureChange): State {
  const share = value === undefined || limit === undefined || limit === 0 ? undefined : (value / limit) * 100;
  return judgeVisibleShare(share) ?? "ok";
}

function rackRows(rack: RackPreview): readonly PreviewRow[] {
  const { draw_w = UNKNOWN, power_capacity_w = UNKNOWN, free_u = UNKNOWN } = rack;
  const { weight_kg = UNKNOWN, max_load_kg = UNKNOWN } = rack;
  if (draw_w.after === undefined) return [];
  const name = rack.rack_code;
  return [
    rowOfBoth(`${name}: power`, stateOf(draw_w, power_capacity_w), (side) =>
      ofLimit(draw_w[side], power_capacity_w[side], formatWatts),
    ),
    rowOfBoth(`${name}: free units`, "ok", (side) => knownFigure(free_u[side], (value) => `${value} U`)),
    rowOfBoth(`${name}: weight`, stateOf(weight_kg, max_load_kg), (side) =>
      ofLimit(weight_kg[side], max_load_kg[side], kilograms),
    ),
  ];
}

function coolingRows({ ref, medium, heat_kw = UNKNOWN, usable_kw = UNKNOWN, health_after }: CoolingPreview) {
  const heat = medium === "COOLING_MEDIUM_LIQUID" ? "liquid heat of usable cooling" : "heat of usable cooling";
  const state = STATES[health_after] ?? "unknown";
  return [
    rowOfBoth(`${nameOf(ref)}: ${heat}`, state, (side) => ofLimit(heat_kw[side], usable_kw[side], formatKilowatts)),
  ];
}

function kilograms(value: number): string {
  return formatDecimal(value, "kg");
}

/** A figure and its unit, which stay on one line. */
function knownFigure(value: number | undefined, words: (value: number) => string): string {
  return value === undefined ? "" : words(value).replaceAll(" ", "\u00a0");
}

function ofLimit(value: number | undefined, limit: number | undefined, words: (value: number) => string): string {
  if (value === undefined) return "";
  return limit === undefined
    ? knownFigure(value, words)
    : `${knownFigure(value, words)} of ${knownFigure(limit, words)}`;
}
