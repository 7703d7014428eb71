import type { MappedSource } from "#dc/exchange/item.ts";
import type { OriginRecord } from "#dc/exchange/merge.ts";
import { codeKey } from "#dc/model/code.ts";
import { getResourceKey } from "#dc/model/resource_key.ts";
import type { ResourceKind } from "#dc/model/resources.ts";

/** Share of a list's objects that one import may delete, in percent. */
export const DEFAULT_PRUNE_LIMIT = 25;

type Records = ReadonlyMap<string, OriginRecord>;

/** Returns the key of a resource among all kinds. */
export function createKey(kind: ResourceKind, named: OriginRecord["named"]): string {
  return `${kind} ${getResourceKey(named)}`;
}

/**
 * Returns the records of resources that the source no longer has. `renamed` has those, by the key of the resource, that it
 * has under another id, such as after a change of a sheet's key.
 */
export function findVanished({ items, kinds }: Pick<MappedSource, "items" | "kinds">, known: Records) {
  const ids = new Set(items.map(({ id }) => id));
  const keys = new Set(items.filter(({ id }) => !known.has(id)).map(({ kind, resource }) => createKey(kind, resource)));
  const vanished = new Map<string, OriginRecord>();
  const renamed = new Map<string, readonly [id: string, record: OriginRecord]>();
  for (const [id, record] of known) {
    if (ids.has(id) || kinds?.includes(record.kind) === false) continue;
    const key = createKey(record.kind, record.named);
    if (keys.has(key)) renamed.set(key, [id, record]);
    else vanished.set(id, record);
  }
  return { vanished, renamed };
}

/**
 * Returns why the vanished resources of a source are not deleted, or undefined if they may be: a list that is empty now, or
 * that lost more than `limit` percent, may be a part of the source. One object of several may always go, and cables
 * of a device that goes are not counted.
 * @param known resources of earlier imports by their id in the source, such as `device/12`
 */
export function findPruneRefusal(known: Records, vanished: Records, limit: number): string | undefined {
  const devices = new Set(
    [...vanished.values()].flatMap(({ named }) => ("code" in named ? [codeKey(named.code)] : [])),
  );
  const isCounted = ({ named }: OriginRecord) =>
    "code" in named || ![named.a, named.b].some(({ deviceCode }) => devices.has(codeKey(deviceCode)));
  const gone = countByList([...vanished].filter(([, record]) => isCounted(record)));
  const lists = [...countByList([...known])].flatMap(([list, total]) => {
    const lost = gone.get(list) ?? 0;
    const share = (100 * lost) / total;
    return lost > 0 && share > limit && (lost > 1 || total === 1) ? [{ list, total, lost, share }] : [];
  });
  const [worst] = lists.toSorted((a, b) => b.share - a.share);
  if (worst === undefined) return undefined;
  const { list, total, lost, share } = worst;
  const least = Math.min(100, Math.ceil(share));
  return `the source lacks ${lost} of ${total} in its list "${list}", more than ${limit} %: --prune-limit ${least} deletes them`;
}

function countByList(records: readonly (readonly [id: string, record: OriginRecord])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [id] of records) {
    const list = id.slice(0, id.indexOf("/"));
    counts.set(list, (counts.get(list) ?? 0) + 1);
  }
  return counts;
}
