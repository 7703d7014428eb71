import type { Capacity, Conflict, Hotspot, HealthReason as ReasonReply, UnitRow } from "#gen/datacenter/v1/messages.ts";
import { isSumUnknown } from "#words/figures.ts";
import { POWER_NOT_RECORDED } from "#words/names.ts";
import { isPowerKind } from "../../model/draw.ts";
import type { Face, Health, LoadBasis } from "../../model/enum_values.ts";
import {
  doSpacesOverlap,
  getRackSpace,
  getUnitRange,
  isReservationInForce,
  lacksDraw,
  listCoveredUnits,
  type RackSpace,
  sumDrawW,
} from "../../model/rack_space.ts";
import { codeKey, compareText } from "../../model/ref.ts";
import type { Device, DeviceBody, Rack } from "../../model/resources.ts";
import type { LiveSet } from "../power/power_live.ts";
import { getNodeOwner, isConsumer, isUndocumented, type PowerGraph } from "../power/power_nodes.ts";

/** Used and available capacity of a rack. Units are whole units; a half-used unit counts as used. */
export type RackCapacity = Omit<Capacity, "failoverWByPath" | "heatW" | "airHeatW">;

export interface Elevation {
  /** Devices from top to bottom. Devices without a position are last, sorted by code. */
  readonly occupants: readonly DeviceBody[];
  /** Units from top to bottom. */
  readonly units: readonly UnitRow[];
  readonly capacity: RackCapacity;
  readonly conflicts: readonly Conflict[];
}

type PositionedDevice = readonly [DeviceBody, RackSpace];

/**
 * Computes the layout of a rack: its devices, units, capacity and conflicts.
 *
 * @param now ISO 8601 in UTC; reservations that ended before are ignored
 *
 * Cost: O(units + devices), and the pairs that share a unit. Source:
 * docs/contract/datacenter-analyses.md#rack-elevation.
 */
export function computeElevation(
  rack: Rack,
  devices: readonly DeviceBody[],
  { now, basis }: { readonly now: string; readonly basis: LoadBasis },
): Elevation {
  const positioned = devices.flatMap((device): PositionedDevice[] => {
    const space = getRackSpace(device);
    return space === undefined ? [] : [[device, space]];
  });
  const reserved = mapReservedUnits(rack, now);
  const units = createUnitRows(rack, positioned, reserved);
  return {
    occupants: sortDevicesTopDown(rack, devices),
    units,
    capacity: computeRackCapacity(rack, devices, units, basis),
    conflicts: listPositionConflicts(rack, positioned, reserved),
  };
}

/** Owner shown for a reservation without an owner, so that the unit is still displayed as reserved. */
const DEFAULT_OWNER = "reserved";

function mapReservedUnits({ reservations = [] }: Rack, now: string): ReadonlyMap<number, string> {
  return new Map(
    reservations
      .filter((reservation) => isReservationInForce(reservation, now))
      .flatMap(({ units, owner = DEFAULT_OWNER }) => units.map((unit) => [unit, owner] as const)),
  );
}

function createUnitRows(
  rack: Rack,
  positioned: readonly PositionedDevice[],
  reserved: ReadonlyMap<number, string>,
): UnitRow[] {
  const { from, to } = getUnitRange(rack);
  const sharing = mapUnitOccupants(positioned);
  const rows = Array.from({ length: to - from }, (_, index): UnitRow => {
    const u = from + index;
    const here = (sharing.get(u) ?? []).flatMap((at) => positioned.slice(at, at + 1));
    const listCodesOnFace = (face: Face) =>
      here.filter(([, { faces }]) => faces.includes(face)).map(([{ code }]) => code);
    return { u, front: listCodesOnFace("FRONT"), rear: listCodesOnFace("REAR"), reserved: reserved.get(u) ?? "" };
  });
  // Units are numbered from the bottom unless the rack is numbered from the top; rows are returned from the top.
  return rack.descUnits === true ? rows : rows.toReversed();
}

function sortDevicesTopDown(rack: Rack, devices: readonly DeviceBody[]): readonly DeviceBody[] {
  const turn = rack.descUnits === true ? 1 : -1;
  return devices.toSorted((a, b) => {
    if (a.positionU === undefined || b.positionU === undefined) {
      return Number(a.positionU === undefined) - Number(b.positionU === undefined) || compareText(a.code, b.code);
    }
    return turn * (a.positionU - b.positionU) || compareText(a.code, b.code);
  });
}

function computeRackCapacity(
  rack: Rack,
  devices: readonly DeviceBody[],
  units: readonly UnitRow[],
  basis: LoadBasis,
): RackCapacity {
  const used = units.filter(isUnitUsed).length;
  const reserved = units.filter((row) => !isUnitUsed(row) && row.reserved !== "").length;
  const allocatedW = sumDrawW(devices, basis);
  const { powerCapacityW, maxLoadKg, coolingCapacityW } = rack;
  const devicesWithoutDraw = devices.filter(lacksDraw).length;
  return {
    totalU: units.length,
    usedU: used,
    reservedU: reserved,
    freeU: units.length - used - reserved,
    largestFreeBlockU: measureLargestFreeBlock(units.map((row) => !isUnitUsed(row) && row.reserved === "")),
    spacePct: ((used + reserved) / units.length) * 100,
    allocatedW,
    ...(powerCapacityW !== undefined && { powerCapacityW }),
    ...(powerCapacityW !== undefined &&
      powerCapacityW > 0 &&
      !isSumUnknown(allocatedW, devicesWithoutDraw) && { powerPct: (allocatedW / powerCapacityW) * 100 }),
    weightKg: devices.reduce((sum, { weightKg = 0 }) => sum + weightKg, 0),
    devices: devices.length,
    devicesWithoutWeight: devices.filter(({ weightKg }) => weightKg === undefined).length,
    devicesWithoutDraw,
    ...(maxLoadKg !== undefined && { maxLoadKg }),
    ...(coolingCapacityW !== undefined && { coolingCapacityW }),
  };
}

function isUnitUsed({ front, rear }: UnitRow): boolean {
  return front.length > 0 || rear.length > 0;
}

/** Returns the length of the longest run of free units. */
export function measureLargestFreeBlock(areFree: Iterable<boolean>): number {
  let [longest, run] = [0, 0];
  for (const isFree of areFree) {
    run = isFree ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

function listPositionConflicts(
  rack: Rack,
  positioned: readonly PositionedDevice[],
  reserved: ReadonlyMap<number, string>,
): readonly Conflict[] {
  const { from, to } = getUnitRange(rack);
  const sharing = mapUnitOccupants(positioned);
  return positioned.flatMap(([device, space], index): Conflict[] => {
    const place = { deviceCode: device.code, face: space.faces[0] ?? ("FRONT" as const) };
    const near = new Set(listCoveredUnits(space).flatMap((unit) => sharing.get(unit) ?? []));
    const rivals = [...near]
      .filter((at) => at > index)
      .sort((a, b) => a - b)
      .flatMap((at) => positioned.slice(at, at + 1))
      .filter(([, other]) => doSpacesOverlap(space, other));
    const owners = listCoveredUnits(space).filter(
      (unit) => reserved.has(unit) && reserved.get(unit) !== (device.tenant ?? ""),
    );
    return [
      ...(space.from < from || space.to > to
        ? [{ ...place, otherCode: rack.code, positionU: space.from, code: "OUTSIDE_RACK" as const }]
        : []),
      ...rivals.map(([other, taken]) => ({
        ...place,
        otherCode: other.code,
        positionU: Math.max(space.from, taken.from),
        code: "U_SPACE_OCCUPIED" as const,
      })),
      ...owners.map((unit) => ({
        ...place,
        otherCode: reserved.get(unit) ?? "",
        positionU: unit,
        code: "UNIT_RESERVED" as const,
      })),
    ];
  });
}

/** Maps each unit to the indexes of the devices in it. */
function mapUnitOccupants(positioned: readonly PositionedDevice[]): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const [at, [, space]] of positioned.entries()) {
    for (const unit of listCoveredUnits(space)) found.getOrInsert(unit, []).push(at);
  }
  return found;
}

/** One reason for a rack's health; a reason without `health` is only information. */
export type HealthReason = Omit<ReasonReply, "health"> & Partial<Pick<ReasonReply, "health">>;

interface RackHealthInput {
  readonly rack: Rack;
  readonly capacity: RackCapacity;
  readonly conflicts: readonly Conflict[];
  /** Problems of the supply of the rack's devices. */
  readonly supply: readonly HealthReason[];
  readonly hotspots: readonly Hotspot[];
  /** Number of its devices of which neither supply nor draw is recorded. */
  readonly unrecorded: number;
  /** Time of the request, ISO 8601 in UTC. */
  readonly now: string;
}

/** Milliseconds until a measurement is stale. Our choice: a day without telemetry is an outage of telemetry. */
export const STALE_MS = 24 * 60 * 60 * 1000;

/** Returns a rack's worst health with all reasons. Source: docs/contract/datacenter-analyses.md#rack-health. */
export function computeRackHealth(input: RackHealthInput): {
  readonly health: Health;
  readonly reasons: readonly HealthReason[];
} {
  const ref = `rack:${input.rack.code}`;
  const { capacity } = input;
  const reasons = [
    ...rateUtilizationHealth("POWER_NORMAL", ref, capacity.powerPct, { watch: 80, fault: 100 }),
    ...input.supply,
    ...rateUtilizationHealth("SPACE", ref, capacity.spacePct, { watch: 95, fault: Number.POSITIVE_INFINITY }),
    ...rateUtilizationHealth("WEIGHT", ref, computeWeightPct(capacity), { watch: 90, fault: 100 }),
    ...createHotspotReasons(input.hotspots),
    ...input.conflicts.map(({ code, deviceCode, positionU }) => ({
      code,
      value: positionU,
      ref: `device:${deviceCode}`,
      health: "FAULT" as const,
    })),
    ...listStaleReasons(input, ref),
    ...(input.unrecorded === 0 ? [] : [{ code: POWER_NOT_RECORDED, value: input.unrecorded, limit: undefined, ref }]),
  ];
  return { health: findWorstReason(reasons), reasons };
}

/** Returns the worst health of the reasons; OK if none has a health. */
export function findWorstReason(reasons: readonly HealthReason[]): Health {
  if (reasons.some(({ health }) => health === "FAULT")) return "FAULT";
  return reasons.some(({ health }) => health === "WATCH") ? "WATCH" : "OK";
}

/** Converts hotspots to reasons for the health of a rack or an area. */
export function createHotspotReasons(hotspots: readonly Hotspot[]): readonly HealthReason[] {
  return hotspots.map(({ code, value, limit, severity, ref }) => ({ code, value, limit, ref, health: severity }));
}

/** Whether two lists have the same reasons in the same order. */
export function areReasonsEqual(a: readonly HealthReason[], b: readonly HealthReason[]): boolean {
  if (a === b) return true;
  return (
    a.length === b.length &&
    a.every(({ code, value, limit, ref, health }, at) => {
      const other = b[at];
      return (
        code === other?.code &&
        value === other.value &&
        limit === other.limit &&
        ref === other.ref &&
        health === other.health
      );
    })
  );
}

/** Rates a utilization. At a limit exactly, the more severe health applies: 100 % of a breaker trips it. */
function rateUtilizationHealth(
  code: string,
  ref: string,
  value: number | undefined,
  { watch, fault }: { readonly watch: number; readonly fault: number },
): readonly HealthReason[] {
  if (value === undefined || value < watch) return [];
  return value >= fault
    ? [{ code, value, limit: fault, ref, health: "FAULT" }]
    : [{ code, value, limit: watch, ref, health: "WATCH" }];
}

function computeWeightPct({ weightKg, maxLoadKg }: RackCapacity): number | undefined {
  return maxLoadKg === undefined || maxLoadKg === 0 ? undefined : (weightKg / maxLoadKg) * 100;
}

function listStaleReasons({ rack, now }: RackHealthInput, ref: string): readonly HealthReason[] {
  if (rack.measuredAt === undefined) return [];
  const age = Date.parse(now) - Date.parse(rack.measuredAt);
  // Whole hours, so that requests within an hour get equal replies.
  const value = Math.floor(age / 3_600_000);
  return age < STALE_MS ? [] : [{ code: "STALE_TELEMETRY", value, limit: STALE_MS / 3_600_000, ref }];
}

export type RackState = "DARK" | "PARTIAL" | "PROTECTED";

/** Counts before any failure from which a rack's state is computed. */
export interface RackSupply {
  /** Number of consumers with a recorded supply. */
  readonly judged: number;
  /** Number of judged consumers without power. */
  readonly off: number;
  /** Number of power devices in service, used if the rack has no other devices to judge. */
  readonly pdus: number;
  readonly pdusOff: number;
  /** Codes of the consumers without a recorded supply, which are counted but never assumed offline. */
  readonly undocumented: readonly string[];
  /** Number of devices that draw power, by their kind, of which neither a supply nor a draw is recorded. */
  readonly unrecorded: number;
  /** Number of devices of kind OTHER of which neither is recorded: a shelf, or something that draws power. */
  readonly unclear: number;
}

/** Returns the number of a rack's devices whose supply is unknown. */
export function countDevicesWithoutSupply(supply: RackSupply): number {
  return supply.undocumented.length + countUnrecorded(supply);
}

/**
 * Returns the number of a rack's devices of which neither supply nor draw is recorded. Devices of kind OTHER count only in
 * a rack without any recorded supply, because shelves and blanking panels have this kind.
 */
export function countUnrecorded({ judged, unrecorded, unclear }: RackSupply): number {
  return unrecorded + (judged === 0 ? unclear : 0);
}

/** Counts the devices of one rack by their supply state. */
export function countRackSupply(graph: PowerGraph, live: LiveSet, devices: readonly Device[]): RackSupply {
  const supply = { judged: 0, off: 0, pdus: 0, pdusOff: 0 };
  const undocumented: string[] = [];
  const unrecorded: Device[] = [];
  for (const { code } of devices) {
    const index = graph.indexOf.get(`device:${codeKey(code)}`) ?? -1;
    const node = graph.nodes[index];
    const role = findRackRole(graph, index);
    const off = live[index] === 1 ? 0 : 1;
    if (role === RACK_ROLE.JUDGED) {
      supply.judged += 1;
      supply.off += off;
    } else if (role === RACK_ROLE.PDU) {
      supply.pdus += 1;
      supply.pdusOff += off;
    } else if (role === RACK_ROLE.UNDOCUMENTED) undocumented.push(code);
    else if (node?.kind === "DEVICE" && lacksDraw(node.device)) unrecorded.push(node.device);
  }
  const unclear = unrecorded.filter(({ kind }) => kind === "OTHER").length;
  return { ...supply, undocumented, unrecorded: unrecorded.length - unclear, unclear };
}

/** Role of a node in the state of its rack. */
export const RACK_ROLE = { NONE: 0, JUDGED: 1, PDU: 2, UNDOCUMENTED: 3 } as const;

/** Returns how a device counts in the state of its rack, as a `RACK_ROLE`. */
export function findRackRole(graph: PowerGraph, index: number): number {
  const node = graph.nodes[index];
  if (node?.kind !== "DEVICE" || node.blocked) return RACK_ROLE.NONE;
  if (isPowerKind(node.device.kind)) return RACK_ROLE.PDU;
  if (!isConsumer(node)) return RACK_ROLE.NONE;
  return isUndocumented(graph, index) ? RACK_ROLE.UNDOCUMENTED : RACK_ROLE.JUDGED;
}

/** Effects of a failure on the devices of one rack. */
interface AffectedRack {
  readonly key: string;
  /** Number of consumers that go offline, without failed sources. */
  off: number;
  /** Number of judged consumers that are failed sources; `failedOff` counts those that were off before the failure. */
  failed: number;
  failedOff: number;
  pdusLost: number;
  /** Whether power equipment other than a failed source goes offline. */
  losesPdu: boolean;
  /** Whether a device with a recorded supply goes offline or is degraded. */
  touched: boolean;
  /** Whether the failure affects any node of the rack. */
  isAffected: boolean;
}

interface RackStates {
  /** State of each affected rack by key. */
  readonly states: ReadonlyMap<string, RackState>;
  /** Codes of the undocumented consumers in affected racks. */
  readonly undocumented: readonly string[];
}

/** Nodes of a failure that affect the state of racks. */
interface RackFailure {
  /** Nodes that lost power. */
  readonly dark: readonly number[];
  /** Devices that go offline, are degraded or run on battery, without failed sources. */
  readonly hits: readonly { readonly index: number }[];
  /** Failing equipment that does not count as offline. */
  readonly failed: ReadonlySet<number>;
}

/** Part of a topology that the state of racks depends on. */
interface RackSite {
  readonly power: PowerGraph;
  readonly live: LiveSet;
  rackSupply(key: string): RackSupply;
}

/** Determines the state of each rack that a failure affects. Source: docs/decisions.md#d-08. */
export function computeRackStates(topology: RackSite, { dark, hits, failed }: RackFailure): RackStates {
  const { power, live } = topology;
  // Most devices spell a code alike, so few codes are normalised.
  const byCode = new Map<string, AffectedRack>();
  const byKey = new Map<string, AffectedRack>();
  const struck = new AffectedRacks(
    (index) => {
      const code = getNodeOwner(power.nodes[index])?.rackCode;
      if (code === undefined) return undefined;
      return byCode.getOrInsertComputed(code, () => byKey.getOrInsertComputed(codeKey(code), createUnaffectedRack));
    },
    (index) => findRackRole(power, index),
  );
  for (const index of failed) struck.excludeFailed(index, live[index] === 1);
  for (const index of dark) struck.countDarkNode(index, failed.has(index));
  for (const { index } of hits) struck.markTouched(index);
  const states = new Map<string, RackState>();
  const undocumented: string[] = [];
  for (const rack of struck.affected) {
    const supply = topology.rackSupply(rack.key);
    const state = computeRackState(rack, supply);
    if (state === undefined) continue;
    states.set(rack.key, state);
    undocumented.push(...supply.undocumented);
  }
  return { states, undocumented };
}

/** Returns the state of a rack; undefined if nothing changed in it. */
export function computeRackState(rack: AffectedRack, supply: RackSupply): RackState | undefined {
  const unknown = supply.undocumented.length > 0;
  const judged = supply.judged - rack.failed;
  if (judged === 0 && rack.pdusLost > 0 && supply.pdusOff + rack.pdusLost === supply.pdus) {
    if (unknown) return "PARTIAL";
    if (rack.losesPdu) return "DARK";
  }
  if (!rack.touched) return undefined;
  if (rack.off === 0) return "PROTECTED";
  return !unknown && supply.off - rack.failedOff + rack.off === judged ? "DARK" : "PARTIAL";
}

const NO_EFFECTS = { off: 0, failed: 0, failedOff: 0, pdusLost: 0, losesPdu: false, touched: false, isAffected: false };

export function createUnaffectedRack(key: string): AffectedRack {
  return { key, ...NO_EFFECTS };
}

/** Counts the effects of failures by rack. */
export class AffectedRacks {
  /** Racks that were affected since the last `clear`, in the order of their first affected node. */
  readonly affected: AffectedRack[] = [];
  readonly #findRack: (index: number) => AffectedRack | undefined;
  readonly #findRole: (index: number) => number | undefined;

  /**
   * Creates an empty count.
   * @param findRack returns the record of a node's rack, the same for all nodes in it
   * @param findRole returns the `RACK_ROLE` of a node
   */
  constructor(findRack: (index: number) => AffectedRack | undefined, findRole: (index: number) => number | undefined) {
    this.#findRack = findRack;
    this.#findRole = findRole;
  }

  /** Excludes a failed source from the counts of its rack. */
  excludeFailed(index: number, wasLive: boolean): void {
    const rack = this.#markAffected(index);
    if (rack === undefined || this.#findRole(index) !== RACK_ROLE.JUDGED) return;
    rack.failed += 1;
    if (!wasLive) rack.failedOff += 1;
  }

  /** Counts a node that loses power. */
  countDarkNode(index: number, isFailed: boolean): void {
    const rack = this.#markAffected(index);
    if (rack === undefined) return;
    const role = this.#findRole(index);
    if (role === RACK_ROLE.PDU) {
      rack.pdusLost += 1;
      if (!isFailed) rack.losesPdu = true;
    } else if (role !== RACK_ROLE.NONE && !isFailed) rack.off += 1;
  }

  /** Records a node that goes offline, is degraded or runs on battery. */
  markTouched(index: number): void {
    const rack = this.#markAffected(index);
    if (rack !== undefined) rack.touched = true;
  }

  clear(): void {
    for (const rack of this.affected) Object.assign(rack, NO_EFFECTS);
    this.affected.length = 0;
  }

  #markAffected(index: number): AffectedRack | undefined {
    const rack = this.#findRack(index);
    if (rack === undefined || rack.isAffected) return rack;
    rack.isAffected = true;
    this.affected.push(rack);
    return rack;
  }
}
