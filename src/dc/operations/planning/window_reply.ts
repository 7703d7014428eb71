import { selectItDevices } from "#dc/analysis/power/power_nodes.ts";
import { getElementName } from "#dc/analysis/rehearsal/elements.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import type { AffectedContact } from "#dc/analysis/window/contacts.ts";
import type { JudgementInput, VerdictReason, WindowJudgement } from "#dc/analysis/window/judgement.ts";
import type { NextFailure } from "#dc/analysis/window/next_failures.ts";
import { formatDecimal, formatDuration } from "#words/figures.ts";
import { getRefName } from "#words/names.ts";
import { limitListFields } from "../messages/messages.ts";
import { listFailedDeviceCodes, listRackCodes } from "./rehearsal_reply.ts";
import { formatNounCount } from "./rehearsal_words.ts";

/** Builds the reply about a window; each list holds at most `limit` items. */
export function createWindowReply(
  judged: JudgementInput,
  { verdict, impact, reasons }: WindowJudgement,
  { contacts, limit }: { readonly contacts: readonly AffectedContact[]; readonly limit: number },
) {
  const { ground, outage, next } = judged;
  const messages = reasons.map((reason) => createReasonMessage(reason, next, ground.topology));
  return {
    verdict,
    impact,
    summary: summarizeVerdict(judged, { verdict, impact, reasons }),
    ...limitListFields("reasons", messages, limit),
    nextFailures: next.slice(0, limit).map((failure) => createFailureMessage(ground.topology, failure, limit)),
    omittedNextFailures: Math.max(0, next.length - limit),
    exposedRacks: next[0]?.racks.size ?? 0,
    contacts: contacts.slice(0, limit).map(({ lost, reserve, ...who }) => ({
      ...who,
      lostCount: lost.length,
      reserveCount: reserve.length,
      lost: lost.slice(0, limit),
      reserve: reserve.slice(0, limit),
    })),
    omittedContacts: Math.max(0, contacts.length - limit),
    counts: outage.blast.impact,
  };
}

/** Summarizes a verdict with its first reason: "No go: rack A01 goes dark". */
export function summarizeVerdict({ ground, next }: JudgementInput, { verdict, reasons }: WindowJudgement): string {
  const first = verdict === "GO" ? undefined : reasons.find((reason) => reason.verdict === verdict);
  if (first === undefined) return VERDICT_TEXTS[verdict];
  return `${VERDICT_TEXTS[verdict]}: ${createReasonMessage(first, next, ground.topology).summary}`;
}

const VERDICT_TEXTS = { GO: "Go", GO_WITH_RISK: "Go with risk", UNKNOWN: "Unknown", NO_GO: "No go" } as const;

function createReasonMessage(reason: VerdictReason, next: readonly NextFailure[], topology: Topology) {
  const { kind, ref, accepted } = reason;
  const failure = kind === "NEXT_FAILURE" ? next.find(({ index }) => findNodeRef(topology, index) === ref) : undefined;
  const summary = failure === undefined ? SUMMARIES_BY_REASON[kind](reason) : describeNextFailure(topology, failure);
  return { ...reason, summary: accepted ? `${summary} (accepted)` : summary };
}

const SUMMARIES_BY_REASON: Readonly<Record<VerdictReason["kind"], (reason: VerdictReason) => string>> = {
  TRIP: ({ ref, during = 0 }) => `${getRefName(ref)} trips at ${formatDecimal(during)} % of its capacity`,
  RACK_LOST: ({ ref }) => `Rack ${getRefName(ref)} goes dark`,
  DEVICE_LOST: ({ ref }) => `${getRefName(ref)} goes offline`,
  COOLING_UNIT_LOST: ({ ref }) => `Cooling unit ${getRefName(ref)} goes offline`,
  SWITCH_CUT_OFF: ({ ref }) => `${getRefName(ref)} loses its last working uplink`,
  DATA_PATH_LOST: ({ ref }) => `${getRefName(ref)} is on and cannot be reached: all its switches are off or cut off`,
  COOLING_SHORT: ({ ref, during = 0, limit = 0 }) =>
    `${getRefName(ref)} needs ${formatDecimal(during)} kW of cooling and has ${formatDecimal(limit)} kW`,
  ELEMENT_MISSING: ({ ref }) => `${getRefName(ref)} is not in the inventory any more`,
  SUPPLY_UNKNOWN: ({ ref }) => `${getRefName(ref)} has no recorded supply and may go offline`,
  CAPACITY_UNKNOWN: ({ ref, during = 0, limit = 0 }) =>
    `${getRefName(ref)} has no recorded capacity and carries ${formatDecimal(during)} W, at most ${formatDecimal(limit)} W after any one failure today`,
  DRAW_UNKNOWN: ({ ref }) => `The draw of ${getRefName(ref)} is not recorded and can overload what takes over`,
  OVER_LIMIT: ({ ref, during = 0, limit = 0 }) =>
    `${getRefName(ref)} is at ${formatDecimal(during)} % of its capacity, above its limit of ${formatDecimal(limit)} %`,
  UPLINK_OVER_LIMIT: ({ ref, during = 0, limit = 0 }) =>
    `The uplinks left to ${getRefName(ref)} carry ${formatDecimal(during)} %, above ${formatDecimal(limit)} %`,
  ON_BATTERY: ({ ref, verdict, during = 0, limit = 0 }) =>
    `${getRefName(ref)} runs on its battery for ${formatDuration(during)} of ${formatDuration(limit)}${verdict === "GO" ? "; nothing needs it" : ""}`,
  LAST_COOLING_UNIT: ({ ref, during = 0, limit = 0 }) =>
    `${getRefName(ref)} has no cooling reserve: ${formatDecimal(during)} of ${formatDecimal(limit)} kW`,
  NEXT_FAILURE: ({ ref }) => `The failure of ${getRefName(ref)} takes more`,
  RESERVE_USED: ({ ref, during = 0 }) =>
    ref.startsWith("rack:")
      ? `${formatNounCount(during, "device", "devices")} of rack ${getRefName(ref)} with less supply`
      : `${getRefName(ref)} works with less supply or fewer uplinks`,
};

function createFailureMessage(topology: Topology, failure: NextFailure, limit: number) {
  const { power } = topology;
  const { index, harm, racks, spreads } = failure;
  return {
    ref: findNodeRef(topology, index),
    name: getElementName(power, index),
    summary: describeNextFailure(topology, failure),
    racks: racks.size,
    racksDark: listRackCodes(topology, harm.racks, limit),
    devicesLost: listFailedDeviceCodes(topology, harm.offlineNodes, limit),
    trips: [...harm.trips.keys()].slice(0, limit),
    areasShort: [...new Set([...harm.shortages.values()].map(({ ref }) => ref))].slice(0, limit),
    switchesCutOff: listFailedDeviceCodes(topology, harm.cutOff, limit),
    spreads,
  };
}

/** Describes a failure and its effect: "UTIL-A takes 3 racks dark, 1 trip". */
function describeNextFailure(topology: Topology, { index, harm }: NextFailure): string {
  const devices = selectItDevices(topology.power, harm.offlineNodes).length;
  const units = harm.offlineNodes.size - devices;
  const parts = [
    formatNounCount(harm.trips.size, "supply trips", "supplies trip"),
    formatNounCount(harm.racks.size, "rack goes dark", "racks go dark"),
    harm.racks.size === 0 ? formatNounCount(devices, "device goes offline", "devices go offline") : "",
    formatNounCount(units, "cooling unit goes offline", "cooling units go offline"),
    formatNounCount(harm.cutOff.size, "switch is cut off", "switches are cut off"),
    formatNounCount(harm.shortages.size, "area falls short of cooling", "areas fall short of cooling"),
  ].filter((part) => part !== "");
  return `If ${getRefName(findNodeRef(topology, index))} fails as well: ${parts.join(", ")}`;
}

function findNodeRef({ power }: Topology, index: number): string {
  return power.nodes[index]?.ref ?? "";
}
