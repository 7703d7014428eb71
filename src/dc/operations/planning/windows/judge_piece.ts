import type { ListedWindow } from "#gen/datacenter/v1/messages.ts";
import { selectBatteryOptions } from "../../../analysis/power/power_figures.ts";
import type { Topology } from "../../../analysis/topology.ts";
import {
  type AffectedContact,
  findNeededBatteries,
  type JudgementInput,
  judgeWindow,
  listContacts,
  type WindowJudgement,
  type WindowLimits,
} from "../../../analysis/window/judgement.ts";
import {
  AcceptedLosses,
  collectOutageLosses,
  findNextFailures,
  type NextFailures,
  WindowSite,
} from "../../../analysis/window/outage.ts";
import type { LoadBasis } from "../../../model/enum_values.ts";
import { codeKey, formatEdgeKey, formatRef, parseRef, type Ref, toRefKey } from "../../../model/ref.ts";
import { Refusal, refuse } from "../../../model/refusal.ts";
import type { Location } from "../../../model/resources.ts";
import type { DcReader, DeviceFilter } from "../../../ports.ts";
import {
  FAILING_REF_KINDS,
  type FailingSources,
  type RequestedRef,
  resolveFailingSources,
} from "../../answers/failing_sources.ts";
import { NetworkTracer } from "../../answers/network_tracer.ts";
import { readRef } from "../../answers/parameters.ts";
import type { ReadSession } from "../../rpc.ts";
import { findNearFailures } from "../rehearsals.ts";

/** Kinds of references that accept the loss of an element, and the prefix that accepts the loss of a role. */
export const ACCEPTED_KINDS = ["device", "rack", "crac", "row", "room", "zone", "floor", "site"] as const;
export const ROLE_PREFIX = "role:";

/** Checks the references of a window. @throws Refusal for the first with an unsupported kind or a missing element */
export async function requireStoredElements(reader: DcReader, refs: readonly RequestedRef[]): Promise<void> {
  for (const { field, text } of refs)
    if (!(await isRefStored(reader, readRef(field, text, FAILING_REF_KINDS))))
      throw createMissingRefRefusal(field, text);
}

/** Checks accepted losses. @throws Refusal for the first with an unsupported kind or a missing element */
export async function requireStoredLosses(reader: DcReader, refs: readonly RequestedRef[]): Promise<void> {
  for (const { field, text } of refs) {
    const isThere = text.startsWith(ROLE_PREFIX)
      ? await hasDevice(reader, { roles: [text.slice(ROLE_PREFIX.length)] })
      : await isRefStored(reader, readRef(field, text, ACCEPTED_KINDS));
    if (!isThere) throw createMissingRefRefusal(field, text);
  }
}

export function createMissingRefRefusal(field: string, text: string) {
  return refuse("NOT_FOUND", `Cannot find ${field} "${text}"`, { field, value: text, ref: text });
}

async function isRefStored(reader: DcReader, ref: Ref): Promise<boolean> {
  switch (ref.kind) {
    case "device":
    case "rack":
    case "crac":
      return (await reader.stored(ref.kind, codeKey(ref.code))) !== undefined;
    case "fabric_link":
    case "cable":
      return (await reader.stored(ref.kind, formatEdgeKey(ref.a, ref.b))) !== undefined;
    case "feed":
      // A feed whose source is outside of the inventory has only consumers.
      return (
        (await reader.feedDeclarer(ref.code)) !== undefined ||
        (await reader.consumersOf([`feed:${ref.code}`])).length > 0
      );
    case "port": {
      const device = await reader.device(ref.end.deviceCode);
      return device?.ports?.some(({ name }) => name === ref.end.portName) === true;
    }
    case "site":
      return hasDevice(reader, { siteIds: [ref.site] }, async () => {
        const { floors } = await reader.inventoryCounts();
        return floors.some(({ siteId }) => codeKey(siteId) === codeKey(ref.site));
      });
    case "floor":
    case "room":
    case "row":
    case "zone":
      return isLocationStored(reader, ref);
    default:
      return false;
  }
}

type LocationRef = Extract<Ref, { readonly kind: "floor" | "room" | "row" | "zone" }>;

/** Whether a rack, a cooling unit or a device has the location. For a zone, devices do not count. */
async function isLocationStored(reader: DcReader, ref: LocationRef): Promise<boolean> {
  const { site: siteId, floor: floorNumber } = ref;
  const getAreaName = (location: Location) =>
    ref.kind === "room" ? location.room : ref.kind === "row" ? location.row : location.zoneId;
  const holds = ({ location }: { readonly location?: Location }) =>
    location !== undefined && (ref.kind === "floor" || codeKey(getAreaName(location) ?? "") === codeKey(ref.name));
  if ((await reader.racksOnFloor(siteId, floorNumber)).some(holds)) return true;
  if ((await reader.cracsOnFloor(siteId, floorNumber)).some(holds)) return true;
  if (ref.kind === "floor") return hasDevice(reader, { floors: [{ siteId, floorNumber }] });
  if (ref.kind === "zone") return false;
  return hasDevice(reader, { [`${ref.kind}s`]: [{ siteId, floorNumber, name: ref.name }] });
}

async function hasDevice(
  reader: DcReader,
  filter: DeviceFilter,
  otherwise: () => Promise<boolean> = async () => false,
): Promise<boolean> {
  const { total } = await reader.searchDevices({ filter, order: "code", descending: false, limit: 1 });
  return total > 0 || otherwise();
}

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
  readonly window: WindowSite;
  readonly judged: JudgementInput;
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
  const { links: cutLinks, paths: cutPaths } = await tracer.findCut(failing);
  const ground = { topology, site, sources: nodes, near, cutLinks, cutPaths, basis, durationS };
  const window = new WindowSite(ground);
  const outage = await scheduler.run(window.computeOutage());
  const accepted = parseAcceptedLosses(topology, out.accepted);
  const harm = collectOutageLosses(topology, outage);
  const judged = { ground, outage, harm, accepted, next: [], needed: NO_NODES, limits, missing };
  return { window, judged };
}

/** Judges a piece. Cost: that of `findNextFailures`. */
export async function judgePiece({ session }: WindowJudgingOptions, piece: PieceOutage): Promise<JudgedPiece> {
  const { window, judged: alone } = piece;
  const next: NextFailures = await session.scheduler.run(findNextFailures(window, alone));
  const needed = await findBatteriesInUse(session, piece);
  const judged = { ...alone, next: next.failures, needed };
  const { ground, outage, harm } = judged;
  const contacts = listContacts(ground, outage, [...harm.offlineNodes, ...harm.cutOff, ...harm.isolated]);
  return { window, judged, judgement: judgeWindow(judged), contacts, triedFailureCount: next.triedCount };
}

/** Returns the nodes of the UPSes whose batteries are needed. Cost: nothing if no UPS is on battery, else a failure. */
async function findBatteriesInUse({ scheduler }: ReadSession, { window, judged }: PieceOutage) {
  if (judged.outage.onBattery.length === 0) return NO_NODES;
  const { basis, cascade } = window.options;
  const empty = await scheduler.run(window.computeOutage([], { basis, cascade, assumeBattery: false }));
  return findNeededBatteries(judged, empty);
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

/** The verdict on a window or on a piece of it. */
export type ShortVerdict = Pick<ListedWindow, "verdict" | "impact" | "summary">;

/** References of UPSes: those whose batteries supply a load, and all that lost their supply. */
interface BatteryRefs {
  readonly carrying: readonly string[];
  readonly unsupplied: readonly string[];
}

/** Maximum number of results of each kind that a topology keeps. Our choice: beyond it they are dropped. */
const MAX_KEPT_RESULTS = 20_000;

/** Results on pieces of time, by all their inputs other than the inventory. A change of windows alone keeps them. */
export interface PieceResults {
  readonly verdicts: Map<string, ShortVerdict>;
  readonly batteries: Map<string, BatteryRefs>;
}

const RESULTS_BY_TOPOLOGY = new WeakMap<Topology, PieceResults>();

export function getPieceResults(topology: Topology): PieceResults {
  return RESULTS_BY_TOPOLOGY.getOrInsertComputed(topology, () => ({ verdicts: new Map(), batteries: new Map() }));
}

/** Returns the kept result of a key, or makes it. */
export async function findOrMakeResult<Item>(
  results: Map<string, Item>,
  key: string,
  make: () => Promise<Item>,
): Promise<Item> {
  const known = results.get(key);
  if (known !== undefined) return known;
  const made = await make();
  if (results.size >= MAX_KEPT_RESULTS) results.clear();
  results.set(key, made);
  return made;
}
