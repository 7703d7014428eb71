import { codeKey } from "#dc/model/code.ts";
import type { Device, FabricLink } from "#dc/model/resources.ts";

/** Tiers of the roles that a fabric is built of. */
const RANKS: Readonly<Record<string, number>> = { leaf: 0, "border-leaf": 0, tor: 0, spine: 1, "super-spine": 2 };
const NAMES = ["leaf", "spine", "super-spine"];

/** The tier of every switch by the key of its code: 0 is the leaves'. */
export type Tiers = ReadonlyMap<string, number>;

export type DeviceOf = (key: string) => Device | undefined;

/** Rounds in which tiers spread along links. Ours: no fabric has more tiers. */
const MOST_TIERS = 16;

/**
 * Ranks switches by their roles. A switch of another role is one tier above the highest switch that names it as its upper
 * end, else one below the lowest switch above it.
 */
export function tiersOf(links: readonly FabricLink[], deviceOf: DeviceOf): Tiers {
  const tiers = new Map<string, number>();
  const unknown = new Set<string>();
  const pairs = links.map(({ a, b }) => ({ low: codeKey(a.deviceCode), high: codeKey(b.deviceCode) }));
  for (const key of pairs.flatMap(({ low, high }) => [low, high])) {
    const rank = RANKS[deviceOf(key)?.role ?? ""];
    if (rank === undefined) unknown.add(key);
    else tiers.set(key, rank);
  }
  if (unknown.size === 0) return tiers;
  const above = new Set(pairs.map(({ high }) => high));
  const lowest = [...unknown].filter((key) => !above.has(key));
  if (tiers.size === 0) for (const key of lowest) tiers.set(key, 0);
  for (let round = 0; round < MOST_TIERS && spread(pairs, unknown, tiers); round += 1);
  for (const key of unknown) tiers.set(key, tiers.get(key) ?? Number(above.has(key)));
  return tiers;
}

/** Ranks the switches next to ranked ones; whether anything changed. */
function spread(
  pairs: readonly { readonly low: string; readonly high: string }[],
  unknown: ReadonlySet<string>,
  tiers: Map<string, number>,
): boolean {
  let changed = false;
  const set = (key: string, rank: number, isBetter: (known: number) => boolean) => {
    const known = tiers.get(key);
    if (!unknown.has(key) || (known !== undefined && !isBetter(known))) return;
    tiers.set(key, rank);
    changed = true;
  };
  const hasLower = new Set(pairs.filter(({ low }) => tiers.has(low)).map(({ high }) => high));
  for (const { low, high } of pairs) {
    const [lower, upper] = [tiers.get(low), tiers.get(high)];
    if (lower !== undefined) set(high, lower + 1, (known) => known < lower + 1);
    if (upper !== undefined && !hasLower.has(low)) set(low, upper - 1, (known) => known > upper - 1);
  }
  return changed;
}

/** The name of a tier in words. */
export function tierName(rank: number): string {
  return NAMES[rank] ?? `tier ${rank}`;
}

/** A pair of neighbouring tiers' switches that should be joined. */
export interface MeshPair {
  readonly low: string;
  readonly high: string;
}

/** The labels by which switches of two tiers belong together, the likelier one of the two tiers first. */
function labelKeys(lowRank: number): readonly string[] {
  return lowRank <= 0 ? ["pod", "plane"] : ["plane", "pod"];
}

/**
 * The pairs that a full mesh of one fabric joins: between neighbouring tiers, every two switches of one pod or plane. A pod
 * or plane is its label; switches without one belong to the connected component of their links.
 * Cost: O(links + pairs).
 */
export function expectedMesh(links: readonly FabricLink[], tiers: Tiers, deviceOf: DeviceOf): readonly MeshPair[] {
  const members = new Set(links.flatMap(({ a, b }) => [codeKey(a.deviceCode), codeKey(b.deviceCode)]));
  const ranks = [...new Set([...members].map((key) => tiers.get(key) ?? 0))].sort((a, b) => a - b);
  return ranks.slice(1).flatMap((high, at) => {
    const low = ranks[at] ?? 0;
    const lows = [...members].filter((key) => tiers.get(key) === low);
    const highs = [...members].filter((key) => tiers.get(key) === high);
    return meshBetween(links, { lows, highs }, labelOf(lows, highs, { low, deviceOf }));
  });
}

/** Reads the label that switches of both tiers carry; none if no label is on both. */
function labelOf(
  lows: readonly string[],
  highs: readonly string[],
  { low, deviceOf }: { readonly low: number; readonly deviceOf: DeviceOf },
): (key: string) => string | undefined {
  const has = (label: string) => (key: string) => deviceOf(key)?.labels?.[label] !== undefined;
  const label = labelKeys(low).find((one) => lows.some(has(one)) && highs.some(has(one)));
  return (key) => (label === undefined ? undefined : deviceOf(key)?.labels?.[label]);
}

function meshBetween(
  links: readonly FabricLink[],
  { lows, highs }: { readonly lows: readonly string[]; readonly highs: readonly string[] },
  label: (key: string) => string | undefined,
): readonly MeshPair[] {
  const components = new Components();
  const tier = new Set([...lows, ...highs]);
  const isLow = new Set(lows);
  for (const { a, b } of links) {
    const ends = [codeKey(a.deviceCode), codeKey(b.deviceCode)] as const;
    if (!ends.every((key) => tier.has(key)) || isLow.has(ends[0]) === isLow.has(ends[1])) continue;
    if (ends.some((key) => label(key) === undefined)) components.join(...ends);
  }
  return lows.flatMap((low) => {
    const own = label(low);
    return highs
      .filter((high) => {
        const other = label(high);
        return own !== undefined && other !== undefined ? own === other : components.of(low) === components.of(high);
      })
      .map((high) => ({ low, high }));
  });
}

/** Sets of switches that links join. */
class Components {
  private readonly parents = new Map<string, string>();

  of(key: string): string {
    let root = key;
    for (let next = this.parents.get(root); next !== undefined; next = this.parents.get(root)) root = next;
    if (root !== key) this.parents.set(key, root);
    return root;
  }

  join(one: string, other: string): void {
    const [a, b] = [this.of(one), this.of(other)];
    if (a !== b) this.parents.set(a, b);
  }
}
