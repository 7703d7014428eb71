import { FAILURE_SEVERITIES, type FailureKind, type FailureSeverity, type LoadBasis } from "#dc/model/enum_values.ts";
import type { Impact } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import { itDevices } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";
import type { Charged, Effects } from "./charge.ts";
import { addedImpact, impactOf, type Loss, severityOf, shortestOf } from "./loss.ts";
import type { Element, Failure } from "./outcome.ts";
import { includesLoss, ownLoss, unionOf } from "./own_loss.ts";

/** Failures that do the same, in one line. */
export interface Line {
  readonly severity: FailureSeverity;
  readonly kind: FailureKind;
  /** Kind of the failing devices, such as RACK_PDU; CRAC, OUTLET or FEED for others. */
  readonly elementKind: string;
  readonly failures: readonly Failure[];
  /** Larger failures that include the loss and add nothing. */
  readonly alsoBy: readonly Failure[];
  /** Larger failures that include a part of the loss and add nothing. */
  readonly partlyBy: readonly Failure[];
  /** With pairs, single failures that have a part of the loss alone. */
  readonly nearer: readonly Failure[];
  /** The union of the losses charged to the failures. */
  readonly loss: Loss;
  readonly impact: Impact;
}

interface Draft {
  readonly severity: FailureSeverity;
  readonly elementKind: string;
  readonly failures: Failure[];
  readonly losses: Loss[];
  /** Larger failures that include losses. */
  readonly larger: Set<Failure>;
  readonly nearer: Set<Failure>;
}

/** Lines of a part of a site, by the properties that similar failures share: severity, kind and shape of the loss. */
export type LinesByShape = ReadonlyMap<string, Line>;

/**
 * Groups failures with similar charged losses. Failures without any are added to the lines of the smaller failures that
 * they include.
 */
export function* groupIntoLines(
  topology: Topology,
  charged: readonly Charged[],
  basis: LoadBasis,
): Steps<LinesByShape> {
  const graph = topology.power;
  const drafts = new Map<string, Draft>();
  const draftOf = new Map<Failure, Draft>();
  for (const one of charged) {
    yield;
    const draft = one.own && draftFor({ graph, drafts, basis }, one, one.own);
    if (draft !== undefined) draftOf.set(one.failure, draft);
  }
  for (const { failure, own, smaller } of charged) {
    if (own !== undefined) continue;
    for (const other of smaller) draftOf.get(other)?.larger.add(failure);
  }
  yield;
  const lines = new Map<string, Line>();
  for (const [key, draft] of drafts) {
    lines.set(key, finishLine(topology, draft, basis));
    yield;
  }
  return lines;
}

/** Adds a failure to the draft of those that are like it; undefined for a failure that loses nothing. */
function draftFor(
  {
    graph,
    drafts,
    basis,
  }: { readonly graph: PowerGraph; readonly drafts: Map<string, Draft>; readonly basis: LoadBasis },
  { failure, all, nearer }: Charged,
  own: Effects,
): Draft | undefined {
  const loss = ownLoss(graph, failure, own);
  const severity = severityOf(graph, own === all ? loss : ownLoss(graph, failure, all), basis);
  if (severity === undefined) return undefined;
  const elementKind = kindsOf(graph, failure);
  const key = `${elementKind}|${severity}|${shapeOf(graph, loss)}`;
  const draft = drafts.get(key) ?? {
    severity,
    elementKind,
    failures: [],
    losses: [],
    larger: new Set<Failure>(),
    nearer: new Set<Failure>(),
  };
  draft.failures.push(failure);
  draft.losses.push(loss);
  for (const one of nearer) draft.nearer.add(one);
  drafts.set(key, draft);
  return draft;
}

/**
 * Joins the lines of the parts of a site that no failure joins, the worst first: by severity, racks dark, IT load and
 * number of failures.
 */
export function* joinedLines(parts: Iterable<LinesByShape>): Steps<readonly Line[]> {
  const byShape = new Map<string, Line[]>();
  for (const part of parts) {
    for (const [key, line] of part) {
      const list = byShape.get(key);
      if (list === undefined) byShape.set(key, [line]);
      else list.push(line);
    }
  }
  const lines: Line[] = [];
  for (const list of byShape.values()) {
    lines.push(joinLines(list));
    yield;
  }
  return lines.sort(worstFirst);
}

function joinLines(lines: readonly Line[]): Line {
  const [first, ...more] = lines as [Line, ...Line[]];
  if (more.length === 0) return first;
  return {
    ...first,
    failures: lines.flatMap(({ failures }) => failures).sort(worseFailure),
    // A failure in one part of the site does not include the losses in others.
    alsoBy: [],
    partlyBy: lines.flatMap(({ alsoBy, partlyBy }) => [...alsoBy, ...partlyBy]).sort(worseFailure),
    nearer: lines.flatMap(({ nearer }) => nearer).sort(worseFailure),
    loss: unionOf(lines.map(({ loss }) => loss)),
    impact: lines.map(({ impact }) => impact).reduce(addedImpact),
  };
}

function finishLine(
  topology: Topology,
  { severity, elementKind, failures, losses, larger, nearer }: Draft,
  basis: LoadBasis,
): Line {
  const loss = unionOf(losses);
  const times = shortestOf(failures.map(({ impact }) => impact));
  const [alsoBy, partlyBy] = partition([...larger].sort(worseFailure), (one) => includesLoss(one, loss));
  return {
    severity,
    kind: failures[0]?.elements[0]?.kind ?? "POWER",
    elementKind,
    failures: failures.toSorted(worseFailure),
    alsoBy,
    partlyBy,
    nearer: [...nearer].sort(worseFailure),
    loss,
    impact: impactOf(topology, loss, { basis, times }),
  };
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean) {
  const [yes, no]: [Item[], Item[]] = [[], []];
  for (const item of items) (isFirst(item) ? yes : no).push(item);
  return [yes, no] as const;
}

function worstFirst(a: Line, b: Line): number {
  return (
    FAILURE_SEVERITIES.indexOf(b.severity) - FAILURE_SEVERITIES.indexOf(a.severity) ||
    b.impact.racksDark - a.impact.racksDark ||
    b.impact.itLoadLostW - a.impact.itLoadLostW ||
    b.failures.length - a.failures.length
  );
}

function worseFailure({ impact: a }: Failure, { impact: b }: Failure): number {
  return b.racksDark - a.racksDark || b.itLoadLostW - a.itLoadLostW || b.coolingLostKw - a.coolingLostKw;
}

/** Properties that are equal in the losses of one line. */
function shapeOf(graph: PowerGraph, loss: Loss): string {
  const { racksDark, racksPartial, offline, trips, overloads, cutOff, isolated } = loss;
  const parts = [racksDark, racksPartial, offline, trips, overloads, loss.zones, cutOff, isolated];
  if (parts.every(({ size }) => size === 0)) return "";
  const zones = [...loss.zones.values()];
  return [
    loss.racksDark.size,
    loss.racksPartial.size,
    rolesOf(graph, loss).join(","),
    loss.trips.size > 0 ? "trip" : "",
    loss.overloads.size > 0 ? "overload" : "",
    zones.some(({ short }) => short) ? "short" : zones.length > 0 ? "reserve" : "",
    loss.cutOff.size > 0 ? "cut" : "",
    loss.isolated.size > 0 ? "isolated" : "",
  ].join("|");
}

/** Roles of the IT devices that go offline, in order; a device without a role counts by its kind. */
export function rolesOf(graph: PowerGraph, { offline }: Loss): readonly string[] {
  const roles = new Set(itDevices(graph, offline).map((index) => roleOf(graph, index)));
  return [...roles].sort();
}

function roleOf({ nodes }: PowerGraph, index: number): string {
  const node = nodes[index];
  return node?.kind === "DEVICE" ? (node.device.role ?? node.device.kind.toLowerCase()) : "";
}

/** Kinds of the failing elements, in order. */
function kindsOf(graph: PowerGraph, { elements }: Failure): string {
  return elements
    .map((element) => kindName(graph, element))
    .sort()
    .join("+");
}

function kindName({ nodes }: PowerGraph, { index, kind, ref }: Element): string {
  const node = nodes[index];
  if (ref !== undefined) return NAMED_KINDS[kind] ?? kind;
  return node?.kind === "DEVICE" ? node.device.kind : (node?.kind ?? "");
}

/** Kinds whose name says less than that of their resources. */
const NAMED_KINDS: Partial<Readonly<Record<FailureKind, string>>> = { INLET: "POWER_INLET", LINK: "FABRIC_LINK" };
