import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import type { Caller } from "#dc/context.ts";
import { openService, type ServiceOptions } from "#dc/open_service.ts";
import type { DcStore } from "#dc/ports.ts";
import type { DcService } from "#dc/service.ts";
import type { InspectedStore } from "#dc/store/inspected_store.ts";
import { printJson } from "../output/print.ts";
import { type Database, demandDatabase, namingDatabase } from "./database.ts";

/** Opens a database that must exist for as long as `work` takes. */
export async function withStore<Result>(
  database: Database,
  work: (store: DcStore) => Promise<Result>,
): Promise<Result> {
  // Opening would make an empty one, whose log is unbroken.
  demandDatabase(database);
  return namingDatabase(database, async () => closing(await database.open(), work));
}

/** Opens an existing database read-only for as long as `work` takes, without changes to its schema. */
export async function withInspected<Result>(
  database: Database,
  work: (store: InspectedStore) => Promise<Result>,
): Promise<Result> {
  demandDatabase(database);
  return namingDatabase(database, async () => closing(await database.inspect(), work));
}

async function closing<Store extends DcStore, Result>(
  store: Store,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Opens the service on a database that must exist, for as long as `work` takes. */
export async function withService<Result>(
  database: Database,
  work: (service: DcService) => Promise<Result>,
  options: Pick<ServiceOptions, "rasterize" | "loadViewer"> = {},
): Promise<Result> {
  return withStore(database, async (store) => work(await openOwnService(store, options)));
}

/** The caller of a command that writes to a database by itself: an administrator, named in the change log. */
export function commandCaller(command: string): Caller {
  return { interface: "SYSTEM", principal: { name: `planner ${command}`, roles: ["admin"], authMethod: "none" } };
}

/** Opens the service for this process alone, which asks for no token. */
export function openOwnService(
  store: DcStore,
  options: Pick<ServiceOptions, "rasterize" | "loadViewer"> = {},
): Promise<DcService> {
  return openService(store, { clock: { now: () => new Date() }, authRequired: false, ...options });
}

/** Prints a reply of the service as one JSON document with the names of the proto. */
export function printReplyJson<Desc extends DescMessage>(schema: Desc, reply: MessageShape<Desc>): void {
  printJson(toJson(schema, reply, { useProtoFieldName: true }));
}
