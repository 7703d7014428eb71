import { FAILURE_SEVERITIES, type FailureKind, type FailureSeverity, type LoadBasis } from "#dc/model/enum_values.ts";
import type { Impact } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { type PowerGraph, selectItDevices } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";
import type { ChargedFailure, FailureEffects } from "./charge.ts";
import type { FailingElement, Failure } from "./elements.ts";
import {
  addImpacts,
  collectChargedLoss,
  countLoss,
  includesWholeLoss,
  type Loss,
  rateLoss,
  selectMinBatteryTimes,
  uniteLosses,
} from "./loss.ts";

/** A line of a rehearsal: failures with the same kind of effects. */
export interface RehearsalLine {
  readonly severity: FailureSeverity;
  readonly kind: FailureKind;
  /** Kind of the failing devices, such as RACK_PDU; CRAC, OUTLET or FEED for other elements. */
  readonly elementKind: string;
  readonly failures: readonly Failure[];
  /** Larger failures that include this loss and add nothing to it. */
  readonly includingFailures: readonly Failure[];
  /** Larger failures that include a part of this loss and add nothing to it. */
  readonly overlappingFailures: readonly Failure[];
  /** For pairs, single failures that cause a part of the loss alone. */
  readonly nearerFailures: readonly Failure[];
  /** The union of the losses charged to the failures. */
  readonly loss: Loss;
  readonly impact: Impact;
}

interface LineDraft {
  readonly severity: FailureSeverity;
  readonly elementKind: string;
  readonly failures: Failure[];
  readonly losses: Loss[];
  /** Larger failures that include losses of this line. */
  readonly larger: Set<Failure>;
  readonly nearer: Set<Failure>;
}

/** Lines of a part of a site, by the properties that similar failures share: severity, kinds and shape of the loss. */
export type LineByShape = ReadonlyMap<string, RehearsalLine>;

/** Groups failures by similar charged losses. A failure without any joins the lines of smaller failures in it. */
export function* groupFailuresIntoLines(
  topology: Topology,
  charged: readonly ChargedFailure[],
  basis: LoadBasis,
): Steps<LineByShape> {
  const graph = topology.power;
  const drafts = new Map<string, LineDraft>();
  const draftByFailure = new Map<Failure, LineDraft>();
  for (const one of charged) {
    yield;
    const draft = one.own && addFailureToDraft({ graph, drafts, basis }, one, one.own);
    if (draft !== undefined) draftByFailure.set(one.failure, draft);
  }
  for (const { failure, own, smallerFailures } of charged) {
    if (own !== undefined) continue;
    for (const other of smallerFailures) draftByFailure.get(other)?.larger.add(failure);
  }
  yield;
  const lines = new Map<string, RehearsalLine>();
  for (const [key, draft] of drafts) {
    lines.set(key, finishRehearsalLine(topology, draft, basis));
    yield;
  }
  return lines;
}

/** Adds a failure to the draft line of similar failures and returns the line; undefined without charged losses. */
function addFailureToDraft(
  {
    graph,
    drafts,
    basis,
  }: { readonly graph: PowerGraph; readonly drafts: Map<string, LineDraft>; readonly basis: LoadBasis },
  { failure, all, nearerFailures }: ChargedFailure,
  own: FailureEffects,
): LineDraft | undefined {
  const loss = collectChargedLoss(graph, failure, own);
  const severity = rateLoss(graph, own === all ? loss : collectChargedLoss(graph, failure, all), basis);
  if (severity === undefined) return undefined;
  const elementKind = formatElementKinds(graph, failure);
  const key = `${elementKind}|${severity}|${formatShapeKey(graph, loss)}`;
  const draft = drafts.getOrInsertComputed(key, () => {
    return { severity, elementKind, failures: [], losses: [], larger: new Set(), nearer: new Set() };
  });
  draft.failures.push(failure);
  draft.losses.push(loss);
  for (const one of nearerFailures) draft.nearer.add(one);
  return draft;
}

/** Joins lines of unconnected parts of a site, worst first: by severity, dark racks, IT load and number of failures. */
export function* joinPartLines(parts: Iterable<LineByShape>): Steps<readonly RehearsalLine[]> {
  const byShape = new Map<string, RehearsalLine[]>();
  for (const part of parts) for (const [key, line] of part) byShape.getOrInsert(key, []).push(line);
  const lines: RehearsalLine[] = [];
  for (const list of byShape.values()) {
    lines.push(joinRehearsalLines(list));
    yield;
  }
  return lines.sort(compareRehearsalLines);
}

function joinRehearsalLines(lines: readonly RehearsalLine[]): RehearsalLine {
  const [first, ...more] = lines as [RehearsalLine, ...RehearsalLine[]];
  if (more.length === 0) return first;
  return {
    ...first,
    failures: lines.flatMap(({ failures }) => failures).sort(compareFailures),
    // A failure in one part of the site does not include the losses in others.
    includingFailures: [],
    overlappingFailures: lines
      .flatMap(({ includingFailures, overlappingFailures }) => [...includingFailures, ...overlappingFailures])
      .sort(compareFailures),
    nearerFailures: lines.flatMap(({ nearerFailures }) => nearerFailures).sort(compareFailures),
    loss: uniteLosses(lines.map(({ loss }) => loss)),
    impact: lines.map(({ impact }) => impact).reduce(addImpacts),
  };
}

function finishRehearsalLine(
  topology: Topology,
  { severity, elementKind, failures, losses, larger, nearer }: LineDraft,
  basis: LoadBasis,
): RehearsalLine {
  const loss = uniteLosses(losses);
  const times = selectMinBatteryTimes(failures.map(({ impact }) => impact));
  const [alsoBy, partlyBy] = partitionItems([...larger].sort(compareFailures), (one) => includesWholeLoss(one, loss));
  return {
    severity,
    kind: failures[0]?.elements[0]?.kind ?? "POWER",
    elementKind,
    failures: failures.toSorted(compareFailures),
    includingFailures: alsoBy,
    overlappingFailures: partlyBy,
    nearerFailures: [...nearer].sort(compareFailures),
    loss,
    impact: countLoss(topology, loss, { basis, times }),
  };
}

function partitionItems<Item>(items: readonly Item[], isFirst: (item: Item) => boolean) {
  const [yes, no]: [Item[], Item[]] = [[], []];
  for (const item of items) (isFirst(item) ? yes : no).push(item);
  return [yes, no] as const;
}

function compareRehearsalLines(a: RehearsalLine, b: RehearsalLine): number {
  return (
    FAILURE_SEVERITIES.indexOf(b.severity) - FAILURE_SEVERITIES.indexOf(a.severity) ||
    b.impact.racksDark - a.impact.racksDark ||
    b.impact.itLoadLostW - a.impact.itLoadLostW ||
    b.failures.length - a.failures.length
  );
}

function compareFailures({ impact: a, isolated }: Failure, { impact: b, isolated: others }: Failure): number {
  return (
    b.racksDark - a.racksDark ||
    b.itDevicesOffline + others.length - a.itDevicesOffline - isolated.length ||
    b.itLoadLostW - a.itLoadLostW ||
    b.coolingLostKw - a.coolingLostKw
  );
}

/** Returns a key of the properties that are equal in all losses of one line. */
function formatShapeKey(graph: PowerGraph, loss: Loss): string {
  const { racksDark, racksPartial, offline, trips, overloads, cutOff, isolated } = loss;
  const parts = [racksDark, racksPartial, offline, trips, overloads, loss.zones, cutOff, isolated];
  if (parts.every(({ size }) => size === 0)) return "";
  const zones = [...loss.zones.values()];
  return [
    loss.racksDark.size,
    loss.racksPartial.size,
    listOfflineRoles(graph, loss).join(","),
    loss.trips.size > 0 ? "trip" : "",
    loss.overloads.size > 0 ? "overload" : "",
    zones.some(({ short }) => short) ? "short" : zones.length > 0 ? "reserve" : "",
    loss.cutOff.size > 0 ? "cut" : "",
    loss.isolated.size > 0 ? "isolated" : "",
  ].join("|");
}

/** Lists the roles of the IT devices that go offline, sorted; a device without a role is listed by its kind. */
export function listOfflineRoles(graph: PowerGraph, { offline }: Loss): readonly string[] {
  const roles = new Set(selectItDevices(graph, offline).map((index) => getDeviceRole(graph, index)));
  return [...roles].sort();
}

function getDeviceRole({ nodes }: PowerGraph, index: number): string {
  const node = nodes[index];
  return node?.kind === "DEVICE" ? (node.device.role ?? node.device.kind.toLowerCase()) : "";
}

/** Returns the kinds of the failing elements as one text, sorted. */
function formatElementKinds(graph: PowerGraph, { elements }: Failure): string {
  return elements
    .map((element) => getKindName(graph, element))
    .sort()
    .join("+");
}

function getKindName({ nodes }: PowerGraph, { index, kind, ref }: FailingElement): string {
  const node = nodes[index];
  if (ref !== undefined) return ELEMENT_KIND_NAMES[kind] ?? kind;
  return node?.kind === "DEVICE" ? node.device.kind : (node?.kind ?? "");
}

/** Names of failing elements by kind of failure, if these are clearer than the kinds of their nodes. */
const ELEMENT_KIND_NAMES: Partial<Readonly<Record<FailureKind, string>>> = {
  INLET: "POWER_INLET",
  LINK: "FABRIC_LINK",
};
