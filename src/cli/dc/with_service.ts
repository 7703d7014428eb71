import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import type { Caller } from "#dc/context.ts";
import type { DcStore } from "#dc/ports.ts";
import { type DcService, openService, type ServiceOptions } from "#dc/service.ts";
import type { InspectedStore } from "#dc/store/migrations.ts";
import { SYSTEM_CLOCK } from "#kernel/clock.ts";
import { printJson } from "../output/print.ts";
import { type DatabaseLocation, nameDatabaseInErrors, requireDatabase } from "./database.ts";

/** Opens a database that must exist, runs `work` and closes it. */
export async function withStore<Result>(
  database: DatabaseLocation,
  work: (store: DcStore) => Promise<Result>,
): Promise<Result> {
  return withOpened(database, () => database.open(), work);
}

/** Opens an existing database read-only with any schema version, runs `work` and closes it. */
export async function withInspectedStore<Result>(
  database: DatabaseLocation,
  work: (store: InspectedStore) => Promise<Result>,
): Promise<Result> {
  return withOpened(database, () => database.openReadOnly(), work);
}

async function withOpened<Store extends DcStore, Result>(
  database: DatabaseLocation,
  open: () => Promise<Store>,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  requireDatabase(database);
  return nameDatabaseInErrors(database, async () => {
    const store = await open();
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  });
}

/** Opens the service on a database that must exist, runs `work` and closes it. */
export async function withService<Result>(
  database: DatabaseLocation,
  work: (service: DcService) => Promise<Result>,
  options: Pick<ServiceOptions, "rasterize" | "loadViewer"> = {},
): Promise<Result> {
  return withStore(database, async (store) => work(await openLocalService(store, options)));
}

/** Caller for reads of a database without a server. */
export const SYSTEM_CALLER = { interface: "SYSTEM" } as const;

/** Creates the caller for direct writes to a database: an administrator with the command's name in the change log. */
export function createCommandCaller(command: string): Caller {
  return { interface: "SYSTEM", principal: { name: `planner ${command}`, roles: ["admin"], authMethod: "none" } };
}

/** Opens the service for this process only, without tokens. */
export function openLocalService(
  store: DcStore,
  options: Pick<ServiceOptions, "rasterize" | "loadViewer"> = {},
): Promise<DcService> {
  return openService(store, { clock: SYSTEM_CLOCK, authRequired: false, ...options });
}

/** Prints a reply of the service as one JSON document with the names of the proto. */
export function printReplyJson<Desc extends DescMessage>(schema: Desc, reply: MessageShape<Desc>): void {
  printJson(toJson(schema, reply, { useProtoFieldName: true }));
}
