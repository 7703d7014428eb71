import { selectBatteryOptions } from "#dc/analysis/power/battery.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { AcceptedLosses } from "#dc/analysis/window/acceptance.ts";
import { findNeededBatteries } from "#dc/analysis/window/batteries.ts";
import { type AffectedContact, listContacts } from "#dc/analysis/window/contacts.ts";
import { collectOutageLosses } from "#dc/analysis/window/harm.ts";
import {
  type JudgementInput,
  judgeWindow,
  type WindowJudgement,
  type WindowLimits,
} from "#dc/analysis/window/judgement.ts";
import { findNextFailures, type NextFailures } from "#dc/analysis/window/next_failures.ts";
import { addContainedBlades, WindowSite } from "#dc/analysis/window/outage.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import { formatRef, parseRef, type Ref } from "#dc/model/ref.ts";
import { Refusal } from "#dc/model/refusal.ts";
import { toRefKey } from "#dc/model/resource_key.ts";
import { type FailingSources, resolveFailingSources } from "../../answers/failing_sources.ts";
import { NetworkTracer } from "../../answers/network_tracer.ts";
import type { ReadSession } from "../../rpc.ts";
import { findNearFailures } from "../rehearsals.ts";
import type { PieceDependencies } from "./kept_verdicts.ts";
import { ROLE_PREFIX } from "./window_elements.ts";

/** Session, inventory and options for judging windows. */
export interface WindowJudgingOptions {
  readonly session: ReadSession;
  readonly topology: Topology;
  readonly basis: LoadBasis;
  readonly limits: WindowLimits;
}

/** Elements that are out of service during a piece of time. */
export interface OutElements {
  readonly refs: readonly string[];
  readonly accepted: readonly string[];
  /** Seconds for which a battery must supply its load without a break. */
  readonly durationS: number;
  /** References of the window's elements that no longer exist. */
  readonly missing: readonly string[];
}

/** Effects of a piece's outages, before they are judged. */
export interface PieceOutage {
  readonly network: { readonly tracer: NetworkTracer; readonly ports: FailingSources["networkPorts"] };
  readonly window: WindowSite;
  readonly judged: JudgementInput;
  readonly depends: PieceDependencies | undefined;
}

export interface JudgedPiece extends PieceOutage {
  readonly judgement: WindowJudgement;
  readonly contacts: readonly AffectedContact[];
  /** Number of single failures that were tried in addition to the work. */
  readonly triedFailureCount: number;
}

const NO_NODES: ReadonlySet<number> = new Set();

/** Simulates the outage of a whole piece. Cost: one simulated failure, and the cables behind elements that are off. */
export async function simulateOutage(question: WindowJudgingOptions, out: OutElements): Promise<PieceOutage> {
  const { session, topology, basis, limits } = question;
  const { reader, scheduler } = session;
  const { sources: failing } = await resolvePresentSources(question, out.refs);
  const { site, nodes } = failing;
  const { durationS, missing } = out;
  const options = { basis, cascade: true, ...selectBatteryOptions(topology.power, durationS) };
  const near = await findNearFailures(session, topology, options);
  const tracer = await NetworkTracer.create({ topology, reader, scheduler });
  const cut = await tracer.findCutLinks(near.effects.fabrics, failing);
  const ground = { topology, site, sources: nodes, near, cutLinks: cut, basis, durationS };
  const window = new WindowSite(ground);
  const outage = await scheduler.run(window.computeOutage());
  const network = { off: outage.offNodes, cutOff: outage.fabric.cutOff, ports: failing.networkPorts };
  const withoutDataPath = await tracer.findIsolatedDevices(network);
  // The effects on cables and links depend on more than the power domains of the elements that are out.
  const isPower = site === topology && failing.networkPorts.length + failing.links.size + cut.length === 0;
  const depends = isPower ? { covered: [...outage.coveredNodes], met: [...tracer.followedDeviceKeys] } : undefined;
  const accepted = parseAcceptedLosses(topology, out.accepted);
  const harm = collectOutageLosses(topology, outage);
  const judged = { ground, outage, harm, withoutDataPath, accepted, next: [], needed: NO_NODES, limits, missing };
  return { network: { tracer, ports: failing.networkPorts }, window, judged, depends };
}

/** Judges a piece. Cost: that of `findNextFailures`. */
export async function judgePiece({ session }: WindowJudgingOptions, piece: PieceOutage): Promise<JudgedPiece> {
  const { network, window, judged: alone } = piece;
  const next: NextFailures = await session.scheduler.run(findNextFailures(window, alone));
  const needed = await findBatteriesInUse(session, piece);
  const depends = piece.depends && { ...piece.depends, met: [...network.tracer.followedDeviceKeys] };
  const judged = { ...alone, next: next.failures, needed };
  const { ground, outage, harm, withoutDataPath } = judged;
  const lost = [...harm.offlineNodes, ...harm.cutOff, ...withoutDataPath];
  const contacts = listContacts(ground, outage, lost);
  return {
    network,
    window,
    judged,
    depends,
    judgement: judgeWindow(judged),
    contacts,
    triedFailureCount: next.triedCount,
  };
}

/**
 * Returns the nodes of the UPSes whose batteries are needed. Cost: nothing if no UPS is on battery, else a simulated
 * failure and its data paths.
 */
async function findBatteriesInUse(
  { scheduler }: ReadSession,
  { network: { tracer, ports }, window, judged }: PieceOutage,
) {
  if (judged.outage.onBattery.length === 0) return NO_NODES;
  const empty = await scheduler.run(window.computeDrainedOutage());
  const unreached = await tracer.findIsolatedDevices({ off: empty.offNodes, cutOff: empty.fabric.cutOff, ports });
  return findNeededBatteries(judged, empty, unreached);
}

/** Returns the nodes that a window's references put out of service, with blades of chassis. Inlets have no nodes. */
export async function findOutNodes(
  question: WindowJudgingOptions,
  refs: readonly string[],
): Promise<ReadonlySet<number>> {
  const { sources } = await resolvePresentSources(question, refs);
  return addContainedBlades(question.topology, sources.nodes);
}

/** Resolves references to existing elements, and lists the references to elements that no longer exist. */
export async function resolvePresentSources(
  { session: { reader }, topology }: Pick<WindowJudgingOptions, "session" | "topology">,
  refs: readonly string[],
): Promise<{ readonly sources: FailingSources; readonly missing: readonly string[] }> {
  const resolve = (some: readonly string[]) =>
    resolveFailingSources(
      { topology, reader },
      some.map((text) => ({ field: "element_refs", text })),
    );
  const all = await catchRefusal(resolve(refs));
  if (all !== undefined) return { sources: all, missing: [] };
  const missing: string[] = [];
  for (const ref of refs) if ((await catchRefusal(resolve([ref]))) === undefined) missing.push(ref);
  return { sources: await resolve(refs.filter((ref) => !missing.includes(ref))), missing };
}

async function catchRefusal<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function parseAcceptedLosses(topology: Topology, texts: readonly string[]): AcceptedLosses {
  const roles = texts.flatMap((text) => (text.startsWith(ROLE_PREFIX) ? [text.slice(ROLE_PREFIX.length)] : []));
  const refs = texts.flatMap((text) => (text.startsWith(ROLE_PREFIX) ? [] : (parseRef(text) ?? [])));
  return new AcceptedLosses(topology, refs, roles);
}

/** Whether an element that may be lost is in the inventory. */
export function isInInventory(topology: Topology, ref: Ref): boolean {
  if (ref.kind === "device" || ref.kind === "crac")
    return topology.power.indexOf.get(toRefKey(formatRef(ref))) !== undefined;
  return topology.hasLocation(ref);
}
