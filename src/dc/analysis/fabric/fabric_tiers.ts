import type { Health } from "../../model/enum_values.ts";
import { codeKey, formatFabricLinkRef, getResourceKey } from "../../model/ref.ts";
import { type Device, type FabricLink, isInService } from "../../model/resources.ts";

/** Tier rank of each switch role. */
const RANK_BY_ROLE: Readonly<Record<string, number>> = {
  leaf: 0,
  "border-leaf": 0,
  tor: 0,
  spine: 1,
  "super-spine": 2,
};
const TIER_NAMES = ["leaf", "spine", "super-spine"];

/** Tier of every switch by the key of its code; 0 is the tier of leaves. */
export type TierByKey = ReadonlyMap<string, number>;

export type FindDeviceByKey = (key: string) => Device | undefined;

/** Maximum number of rounds in which tiers spread along links. Our choice: no fabric has more tiers. */
const MAX_TIER_ROUNDS = 16;

interface TierPair {
  readonly low: string;
  readonly high: string;
}

/**
 * Ranks switches by their roles. A switch with another role is one tier above the highest switch that names it as its
 * upper end. If none names it, it is one tier below the lowest switch above it. If no role determines a rank, the
 * lowest switches are tier 0.
 */
export function rankTiers(links: readonly FabricLink[], deviceOf: FindDeviceByKey): TierByKey {
  const tiers = new Map<string, number>();
  const unknown = new Set<string>();
  const pairs = links.map(({ a, b }) => ({ low: codeKey(a.deviceCode), high: codeKey(b.deviceCode) }));
  for (const key of pairs.flatMap(({ low, high }) => [low, high])) {
    const rank = RANK_BY_ROLE[deviceOf(key)?.role ?? ""];
    if (rank === undefined) unknown.add(key);
    else tiers.set(key, rank);
  }
  if (unknown.size === 0) return tiers;
  rankSwitchesAbove(pairs, unknown, tiers);
  rankSwitchesBelow(pairs, new Set([...unknown].filter((key) => !tiers.has(key))), tiers);
  const unranked = new Set([...unknown].filter((key) => !tiers.has(key)));
  const above = new Set(pairs.map(({ high }) => high));
  for (const key of unranked) if (!above.has(key)) tiers.set(key, 0);
  rankSwitchesAbove(pairs, unranked, tiers);
  // The remaining switches form cycles.
  for (const key of unranked) tiers.set(key, tiers.get(key) ?? 1);
  return tiers;
}

/** Ranks switches one tier above the highest ranked switch below them. */
function rankSwitchesAbove(pairs: readonly TierPair[], open: ReadonlySet<string>, tiers: Map<string, number>): void {
  repeatRounds(() =>
    pairs.filter(({ low, high }) => {
      const lower = tiers.get(low);
      if (lower === undefined || !open.has(high) || (tiers.get(high) ?? -Infinity) > lower) return false;
      tiers.set(high, lower + 1);
      return true;
    }),
  );
}

/** Ranks switches one tier below the lowest ranked switch above them. */
function rankSwitchesBelow(pairs: readonly TierPair[], open: ReadonlySet<string>, tiers: Map<string, number>): void {
  repeatRounds(() =>
    pairs.filter(({ low, high }) => {
      const upper = tiers.get(high);
      if (upper === undefined || !open.has(low) || (tiers.get(low) ?? Infinity) < upper) return false;
      tiers.set(low, upper - 1);
      return true;
    }),
  );
}

/** Repeats a round until it changes nothing, at most `MAX_TIER_ROUNDS` times. */
function repeatRounds(round: () => readonly unknown[]): void {
  for (let count = 0; count < MAX_TIER_ROUNDS && round().length > 0; count += 1);
}

export function getTierName(rank: number): string {
  return TIER_NAMES[rank] ?? `tier ${rank}`;
}

/** Returns the label keys that group switches of two neighbouring tiers, the more usual key first. */
function listLabelKeys(lowRank: number): readonly string[] {
  return lowRank <= 0 ? ["pod", "plane"] : ["plane", "pod"];
}

/**
 * Returns the pairs that a full mesh of one fabric connects: between neighbouring tiers, every two switches of one pod
 * or plane. A pod or plane is given by its label; switches without a label belong to the connected component of their
 * links, and to the pods of the labelled switches in it. Cost: O(links + pairs).
 */
export function listExpectedMesh(
  links: readonly FabricLink[],
  tiers: TierByKey,
  deviceOf: FindDeviceByKey,
): readonly TierPair[] {
  const members = new Set(links.flatMap(({ a, b }) => [codeKey(a.deviceCode), codeKey(b.deviceCode)]));
  const ranks = [...new Set([...members].map((key) => tiers.get(key) ?? 0))].sort((a, b) => a - b);
  return ranks.slice(1).flatMap((high, at) => {
    const low = ranks[at] ?? 0;
    const lows = [...members].filter((key) => tiers.get(key) === low);
    const highs = [...members].filter((key) => tiers.get(key) === high);
    return listMeshPairs(links, { lows, highs }, createCommonLabelReader(lows, highs, { low, deviceOf }));
  });
}

/** Creates a reader of the label that switches of both tiers have. It returns undefined without a common label. */
function createCommonLabelReader(
  lows: readonly string[],
  highs: readonly string[],
  { low, deviceOf }: { readonly low: number; readonly deviceOf: FindDeviceByKey },
): (key: string) => string | undefined {
  const createLabelTest = (label: string) => (key: string) => deviceOf(key)?.labels?.[label] !== undefined;
  const label = listLabelKeys(low).find((one) => lows.some(createLabelTest(one)) && highs.some(createLabelTest(one)));
  return (key) => (label === undefined ? undefined : deviceOf(key)?.labels?.[label]);
}

function listMeshPairs(
  links: readonly FabricLink[],
  { lows, highs }: { readonly lows: readonly string[]; readonly highs: readonly string[] },
  label: (key: string) => string | undefined,
): readonly TierPair[] {
  const components = new LinkComponents();
  const tier = new Set([...lows, ...highs]);
  const isLow = new Set(lows);
  for (const { a, b } of links) {
    const ends = [codeKey(a.deviceCode), codeKey(b.deviceCode)] as const;
    if (!ends.every((key) => tier.has(key)) || isLow.has(ends[0]) === isLow.has(ends[1])) continue;
    if (ends.some((key) => label(key) === undefined)) components.joinSwitches(...ends);
  }
  const podsIn = new Map<string, Set<string>>();
  for (const key of tier) {
    const own = label(key);
    if (own !== undefined)
      podsIn.set(components.findRoot(key), (podsIn.get(components.findRoot(key)) ?? new Set()).add(own));
  }
  const listPods = (key: string): ReadonlySet<string> | undefined => {
    const own = label(key);
    return own === undefined ? podsIn.get(components.findRoot(key)) : new Set([own]);
  };
  const pods = new Map([...tier].map((key) => [key, listPods(key)]));
  return lows.flatMap((low) =>
    highs
      .filter((high) => {
        const [own, other] = [pods.get(low), pods.get(high)];
        if (own !== undefined && other !== undefined && !own.isDisjointFrom(other)) return true;
        const isLabelled = label(low) !== undefined && label(high) !== undefined;
        return !isLabelled && components.findRoot(low) === components.findRoot(high);
      })
      .map((high) => ({ low, high })),
  );
}

/** Connected components of switches, joined by links. */
class LinkComponents {
  readonly #parents = new Map<string, string>();

  findRoot(key: string): string {
    let root = key;
    for (let next = this.#parents.get(root); next !== undefined; next = this.#parents.get(root)) root = next;
    if (root !== key) this.#parents.set(key, root);
    return root;
  }

  joinSwitches(one: string, other: string): void {
    const [a, b] = [this.findRoot(one), this.findRoot(other)];
    if (a !== b) this.#parents.set(a, b);
  }
}

export interface FabricLinkView {
  readonly link: FabricLink;
  readonly ref: string;
  readonly utilizationPct: number;
  readonly health: Health;
  /** Whether the status is UP or DEGRADED, both ports are enabled and both devices are in service. */
  readonly live: boolean;
  /** Why a port or device keeps the link down; absent if none does. */
  readonly cause?: DownCause;
}

interface DownCause {
  readonly message: string;
  readonly value: string;
  readonly expected: string;
  /** Whether the link is down intentionally: a disabled port, or a device that is not installed yet. */
  readonly isIntended: boolean;
}

export interface LinkLimits {
  /** Utilisation in percent from which a link is congested. */
  readonly congestionPct: number;
  /** Utilisation in percent from which a link is watched. */
  readonly watchPct: number;
}

/** Percentage of a limit from which a load is a fault. Source: docs/contract/datacenter-analyses.md#fabric. */
export const FAULT_LOAD_PCT = 100;

const CARRYING_STATUSES: readonly FabricLink["status"][] = ["UP", "DEGRADED", undefined];
const INTENDED_DOWN_STATUSES: readonly FabricLink["status"][] = ["PLANNED", "ADMIN_DOWN"];
const NOT_INSTALLED_STATUSES = ["PLANNED", "STAGED", "INVENTORY"];

/** Devices that decide whether fabric links work. */
export interface LinkDevices {
  /** Finds the device at an end of a link by its key. */
  readonly deviceOf: FindDeviceByKey;
  /** A device that is out of service, and that the path of a link passes between its ends, by the key of the link. */
  readonly blocked?: ReadonlyMap<string, Device>;
  /** Keys of devices assumed failed. */
  readonly failed?: ReadonlySet<string>;
}

/** Determines a link's state from its status, its ports and the devices along it. */
export function createLinkView(
  link: FabricLink,
  devices: LinkDevices,
  { congestionPct, watchPct }: LinkLimits,
): FabricLinkView {
  const { a, b, status, capacityMbps = 0, aToBMbps = 0, bToAMbps = 0 } = link;
  // Multiply before dividing, so that 57 of 100 is exactly 57 % and meets a limit of 57.
  const utilizationPct = capacityMbps === 0 ? 0 : (Math.max(aToBMbps, bToAMbps) * 100) / capacityMbps;
  const cause = findDownCause(link, devices);
  const view = { link, ref: formatFabricLinkRef(a, b), utilizationPct };
  if (!CARRYING_STATUSES.includes(status) || cause !== undefined) {
    const isMeant = CARRYING_STATUSES.includes(status)
      ? cause?.isIntended === true
      : INTENDED_DOWN_STATUSES.includes(status);
    return { ...view, live: false, health: isMeant ? "WATCH" : "FAULT", ...(cause !== undefined && { cause }) };
  }
  if (utilizationPct >= FAULT_LOAD_PCT) return { ...view, live: true, health: "FAULT" };
  const isTense = utilizationPct >= Math.min(watchPct, congestionPct) || status === "DEGRADED";
  return { ...view, live: true, health: isTense ? "WATCH" : "OK" };
}

/** Whether a link can carry traffic according to its state, its ports and the devices along it. */
export function canCarryTraffic(link: FabricLink, devices: LinkDevices): boolean {
  return CARRYING_STATUSES.includes(link.status) && findDownCause(link, devices) === undefined;
}

/** What a path passes between its ends is passive, such as a patch panel: it needs no power, only to be in service. */
function findDownCause(link: FabricLink, { deviceOf, blocked, failed }: LinkDevices): DownCause | undefined {
  const ends = [link.a, link.b];
  const gone = ends.map(({ deviceCode }) => deviceCode).filter((code) => failed?.has(codeKey(code)));
  if (gone.length > 0) {
    const names = gone.map((code) => `"${code}"`).join(" and ");
    const message = `The link carries no traffic: ${names} ${gone.length === 1 ? "is" : "are"} taken as failed`;
    return { message, value: `failed: ${gone.join(", ")}`, expected: "both ends working", isIntended: false };
  }
  const passed = blocked?.get(getResourceKey(link));
  for (const { deviceCode, portName } of [...ends, { deviceCode: passed?.code ?? "", portName: "" }]) {
    const device = deviceCode === passed?.code ? passed : deviceOf(codeKey(deviceCode));
    if (device === undefined) continue;
    const { status = "ACTIVE", ports = [] } = device;
    if (!isInService(device)) {
      const message = `The link carries no traffic: "${deviceCode}" is not in service`;
      return { message, value: status, expected: "ACTIVE", isIntended: NOT_INSTALLED_STATUSES.includes(status) };
    }
    if (ports.find(({ name }) => name === portName)?.enabled === false) {
      const message = `The link carries no traffic: port "${deviceCode}/${portName}" is disabled`;
      return { message, value: "disabled", expected: "enabled", isIntended: true };
    }
  }
  return undefined;
}
