import type { Coloring } from "#dc/model/enum_values.ts";
import { formatBandwidth, formatDuration, formatPercent, formatWatts } from "#words/figures.ts";
import { formatCountWithNoun, getRefName, LOAD_BASIS_ADJECTIVES } from "#words/names.ts";
import { createCountFigure, createLineEntry, type Figure, type LegendLine, listNoteIf, type Note } from "../frame.ts";
import { formatRefInTitle } from "../places.ts";
import { createScaleLegend } from "../scale_legend.ts";
import type { CollapsedFailure } from "./collapse.ts";
import { IMPACT_STATES, type PowerFailure } from "./failure.ts";
import { type DrawnState, drawBadge, IMPACT_STYLES } from "./impact_styles.ts";
import type { DrawnPowerNode } from "./nodes.ts";

/** Returns title, subtitle, description, figures, notes and legend of the picture of a power failure. */
export function createPowerHeader(
  failure: PowerFailure,
  collapsed: CollapsedFailure,
  { parts, coloring }: { readonly parts: readonly DrawnPowerNode[]; readonly coloring: Coloring },
) {
  const refs = failure.sources.map(({ ref }) => formatRefInTitle(ref));
  const [first = "nothing", ...others] = refs;
  const names =
    others.length === 0 ? first : others.length < 4 ? refs.join(", ") : `${first} and ${others.length} more`;
  const figures = createImpactFigures(failure);
  const title = `What if ${names} ${refs.length > 1 ? "fail" : "fails"}`;
  return {
    title,
    subtitle: `What goes off, by ${LOAD_BASIS_ADJECTIVES[failure.basis]} draw`,
    description: `${title}: ${figures.map(({ label, value }) => `${label} ${value}`).join(", ")}.`,
    figures,
    notes: createFailureNotes(failure, collapsed),
    legend: parts.length === 0 ? [] : createImpactLegend(parts, coloring),
  };
}

function createImpactFigures({ blast: { impact, overloads } }: PowerFailure): readonly Figure[] {
  const createLossFigure = (label: string, count: number) => createCountFigure(label, count, "fault");
  const tripping = overloads.some(({ severity }) => severity === "WOULD_TRIP");
  return [
    createLossFigure("racks dark", impact.racksDark),
    createLossFigure("racks partly dark", impact.racksPartial),
    createCountFigure("racks protected", impact.racksProtected, "ok"),
    createLossFigure("devices offline", impact.itDevicesOffline),
    createLossFigure("power equipment offline", impact.devicesOffline - impact.itDevicesOffline),
    createLossFigure("cooling units offline", impact.cracsOffline),
    createCountFigure("devices with less supply", impact.devicesDegraded, "watch"),
    { label: "IT load lost", value: formatWatts(impact.itLoadLostW), ...(impact.itLoadLostW > 0 && { tone: "fault" }) },
    ...(impact.coolingLostKw > 0
      ? [{ label: "cooling lost", value: formatWatts(impact.coolingLostKw * 1000), tone: "fault" as const }]
      : []),
    ...(overloads.length > 0 ? [createCountFigure("overloaded", overloads.length, tripping ? "fault" : "watch")] : []),
    ...(impact.minRideThroughS === undefined
      ? []
      : [{ label: "shortest battery", value: formatDuration(impact.minRideThroughS), tone: "info" as const }]),
    ...(impact.devicesUndocumented > 0
      ? [createCountFigure("without recorded inlets", impact.devicesUndocumented, "watch")]
      : []),
  ];
}

/** Maximum number of notes about overloads, and about cascade steps; further notes are counted. */
const MAX_NOTES_PER_TOPIC = 6;

function createFailureNotes(failure: PowerFailure, { omittedElements, drawn }: CollapsedFailure): readonly Note[] {
  const { blast, sources } = failure;
  const { linksDown, isolated } = failure.network;
  if (blast.hits.length === 0 && linksDown.length + isolated.length > 0) return createNetworkNotes(failure.network);
  if (sources.every(({ nodes }) => nodes.size === 0)) {
    const isPlace = sources.every(({ ref }) => !/^(?:port|cable|fabric_link):/.test(ref));
    const empty = "No device and no cooling unit is recorded here: nothing can fail";
    return [{ text: isPlace ? empty : "No supply fails with this", tone: "info" }];
  }
  const overloads = blast.overloads.map(
    ({ ref, loadBeforeW, loadAfterW, capacityW, utilizationPct, severity }): Note => {
      const limit = severity === "WOULD_TRIP" ? "would trip" : "is above its derated limit";
      const rise = `${formatWatts(loadBeforeW)} to ${formatWatts(loadAfterW)} of ${formatWatts(capacityW)}, ${formatPercent(utilizationPct)}`;
      return {
        text: `Overload: ${getRefName(ref)} ${limit}: ${rise}`,
        tone: severity === "WOULD_TRIP" ? "fault" : "watch",
      };
    },
  );
  const steps = blast.steps.map(
    ({ step, trippedRefs, devicesOffline }): Note => ({
      text: `Cascade step ${step}: ${formatFirstRefs(trippedRefs)} trips, ${formatCountWithNoun(devicesOffline, "element")} offline then`,
      tone: "fault",
    }),
  );
  const groups = drawn.filter(({ form }) => form === "GROUP").length;
  const collapsed = `Folded: ${formatCountWithNoun(omittedElements, "element")} ${omittedElements === 1 ? "is" : "are"} counted in ${formatCountWithNoun(groups, "group")}`;
  return [
    ...limitNotes(overloads, "overloads"),
    ...limitNotes(steps, "steps"),
    ...listNoteIf(omittedElements > 0, collapsed, { tone: "info" }),
  ];
}

/** Returns notes about network losses of a failure that leaves every power supply on. */
function createNetworkNotes({ linksDown, lostMbps, cutOff, isolated }: PowerFailure["network"]): readonly Note[] {
  const verb = linksDown.length === 1 ? "goes" : "go";
  const links = `${formatCountWithNoun(linksDown.length, "fabric link")} of ${formatBandwidth(lostMbps)} ${verb} down: ${formatFirstRefs(linksDown)}`;
  const switches = `${formatCountWithNoun(cutOff.length, "switch", "switches")} without an uplink: ${formatFirstRefs(cutOff)}`;
  const devices = `${formatCountWithNoun(isolated.length, "device")} without a data path: ${formatFirstRefs(isolated)}`;
  return [
    { text: "No supply fails with this", tone: "info" },
    ...listNoteIf(linksDown.length > 0, links, { tone: "watch" }),
    ...listNoteIf(cutOff.length > 0, switches, { tone: "fault" }),
    ...listNoteIf(isolated.length > 0, devices, { tone: "fault" }),
  ];
}

function limitNotes(notes: readonly Note[], what: string): readonly Note[] {
  if (notes.length <= MAX_NOTES_PER_TOPIC) return notes;
  return [
    ...notes.slice(0, MAX_NOTES_PER_TOPIC),
    { text: `and ${notes.length - MAX_NOTES_PER_TOPIC} more ${what}`, tone: "fault" },
  ];
}

function formatFirstRefs(refs: readonly string[]): string {
  const names = refs.map(getRefName);
  return names.length <= 4 ? names.join(", ") : `${names.slice(0, 4).join(", ")} and ${names.length - 4} more`;
}

function createImpactLegend(parts: readonly DrawnPowerNode[], coloring: Coloring): readonly LegendLine[] {
  const used = new Set(parts.flatMap(({ tally, drawnState }): DrawnState[] => [...tally.impacts.keys(), drawnState]));
  const hasPartialAreas = parts.some(({ drawnState }) => drawnState === "PARTIAL");
  const shown = IMPACT_STATES.flatMap((impact) => (used.has(impact) ? [impact] : []));
  const lines = [
    ...shown.map((impact) => ({ label: IMPACT_STYLES[impact].label, sample: [drawBadge(impact, 6, 0)] })),
    ...(hasPartialAreas
      ? [{ label: `rack or place ${IMPACT_STYLES.PARTIAL.label}`, sample: [drawBadge("PARTIAL", 6, 0)] }]
      : []),
    createLineEntry("supplies power", { stroke: "okText", strokeWidth: 1.5 }),
    createLineEntry("dead supply", { stroke: "fault", strokeWidth: 1.5, dash: "dashed" }),
  ];
  return coloring === "UTILIZATION" ? [...lines, ...createScaleLegend()] : lines;
}
