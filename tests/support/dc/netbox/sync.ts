import { randomUUID } from "node:crypto";
import { readKnownResources, runSync, type SyncResult } from "#cli/dc/exchange/run_sync.ts";
import type { Caller } from "#dc/context.ts";
import { mapNetbox } from "#dc/exchange/netbox/map_netbox.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { DcStore } from "#dc/ports.ts";
import { openService } from "#dc/service.ts";
import { datasetOf } from "./forms.ts";
import type { Lists } from "./lists.ts";
import { netboxOptions } from "./options.ts";

const CALLER: Caller = { interface: "SYSTEM", principal: { name: "test", roles: ["admin"], authMethod: "none" } };

export interface SyncWishes {
  readonly prune?: boolean;
  readonly dryRun?: boolean;
  readonly batchSize?: number;
  readonly stopped?: () => boolean;
  readonly origin?: string;
}

/** Brings a database to what the lists say, as the command does. */
export async function syncLists(
  store: DcStore,
  lists: Lists,
  { prune = false, dryRun = false, batchSize = 50, stopped = () => false, origin = "netbox" }: SyncWishes = {},
): Promise<SyncResult> {
  const known = await readKnownResources(store, origin);
  const mapped = mapNetbox(datasetOf(lists), {
    ...netboxOptions(),
    origin,
    known: known.codes,
    foreign: known.foreign,
  });
  const service = await openService(store, {
    clock: { now: () => new Date("2026-11-22T12:00:00Z") },
    authRequired: false,
  });
  const options = { origin, prune, pruneLimit: 100, unreadable: 0, size: batchSize, progress: () => {}, stopped };
  const told = { requestId: randomUUID(), message: "" };
  if (dryRun) {
    return service.exchange((session) => runSync(mapped, known.records, (work) => work(session), options), CALLER, {
      ...told,
      validateOnly: true,
    });
  }
  return runSync(
    mapped,
    known.records,
    (work) => service.exchange(work, CALLER, { ...told, validateOnly: false }),
    options,
  );
}

/** Everything of a database that came from a source, by its id there, with codes replaced by these ids. */
export async function importedState(store: DcStore, origin = "netbox"): Promise<Readonly<Record<string, unknown>>> {
  const { records } = await readKnownResources(store, origin);
  const ids = new Map([...records].flatMap(([id, { named }]) => ("code" in named ? [[named.code, id] as const] : [])));
  return store.read(async (reader) => {
    const state: Record<string, unknown> = {};
    for (const kind of ["rack", "device", "crac", "cable"] as const) {
      for (const resource of await reader.page(kind, "", 100_000)) {
        const label = (resource as { labels?: Readonly<Record<string, string>> }).labels?.["origin"] ?? "";
        const suffix = kind === "cable" ? lane(resource as ResourceByKind["cable"], records) : "";
        state[`${label}${suffix}`] = renamed(resource, ids);
      }
    }
    return state;
  });
}

function lane(
  cable: ResourceByKind["cable"],
  records: Awaited<ReturnType<typeof readKnownResources>>["records"],
): string {
  for (const [id, { named }] of records) {
    if (
      "a" in named &&
      JSON.stringify(named.a) === JSON.stringify(cable.a) &&
      JSON.stringify(named.b) === JSON.stringify(cable.b)
    )
      return ` ${id}`;
  }
  return "";
}

/** Feeds are named after their panel's code, and a cable's ends are in the order of codes. */
function renamed(resource: ResourceByKind[ResourceKind], ids: ReadonlyMap<string, string>): unknown {
  const plain = JSON.parse(JSON.stringify(resource), (key, value) => {
    if (key === "feedId") return "feed";
    // A port's label tells the code of its rack.
    if (key === "label") return typeof value === "string" && value.startsWith("rack ") ? "rack" : value;
    if (["code", "rackCode", "parentDeviceCode", "deviceCode"].includes(key)) return ids.get(value) ?? value;
    return value;
  });
  if (!("a" in plain)) return plain;
  const { a, b, ...rest } = plain;
  return { ...rest, ends: [a, b].map((end) => JSON.stringify(end)).toSorted() };
}
