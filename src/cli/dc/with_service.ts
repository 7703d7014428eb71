import { openService, type ServiceOptions } from "#dc/open_service.ts";
import type { DcService } from "#dc/service.ts";
import { withStore } from "./audit/audit_store.ts";
import type { Database } from "./database.ts";

/** Opens the service on a database that must exist, for as long as `work` takes. */
export async function withService<Result>(
  database: Database,
  work: (service: DcService) => Promise<Result>,
  options: Pick<ServiceOptions, "rasterize" | "loadViewer"> = {},
): Promise<Result> {
  return withStore(database, async (store) =>
    work(await openService(store, { clock: { now: () => new Date() }, authRequired: false, ...options })),
  );
}
