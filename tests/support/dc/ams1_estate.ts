import type { Estate } from "#dc/model/estate.ts";
import { loadAms1, testService } from "./service.ts";
import { openTemporarySqlite } from "./stores.ts";

let loaded: Promise<Estate> | undefined;

/** The sample site as the service stores it; loaded once per test process. */
export function ams1Estate(): Promise<Estate> {
  loaded ??= (async () => {
    const service = await testService({ store: await openTemporarySqlite() });
    await loadAms1(service);
    return service.store.read((reader) => reader.estate());
  })();
  return loaded;
}
