import { randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "#kernel/clock.ts";
import type { DcContext, FinishedCall } from "./context.ts";
import { PassedTime } from "./passed_time.ts";
import type { DcStore } from "./ports.ts";
import type { LoadViewer, Rasterize } from "./render/render_screen.ts";
import { DcService } from "./service.ts";

export interface ServiceOptions {
  readonly clock: Clock;
  readonly authRequired: boolean;
  readonly observe?: (call: FinishedCall) => void;
  readonly noteLog?: DcContext["noteLog"];
  readonly rasterize?: Rasterize | undefined;
  readonly loadViewer?: LoadViewer | undefined;
}

const PAGE_KEY_SETTING = "page_token_key";

/** Opens the service on a database. The key of page tokens is stored in the database, so that replicas share it. */
export async function openService(
  store: DcStore,
  { clock, authRequired, observe = () => {}, noteLog, rasterize, loadViewer }: ServiceOptions,
): Promise<DcService> {
  // Reads first, because a database on read-only media already has its key and rejects writes.
  const kept = await store.read((reader) => reader.setting(PAGE_KEY_SETTING));
  const pageKey =
    kept ??
    (await store.write(async (writer) => {
      const known = await writer.setting(PAGE_KEY_SETTING);
      if (known !== undefined) return known;
      const made = randomBytes(32).toString("base64url");
      await writer.setSetting(PAGE_KEY_SETTING, made);
      return made;
    }));
  return new DcService({
    store,
    clock,
    passedTime: new PassedTime(clock),
    authRequired,
    pageKey: Buffer.from(pageKey, "base64url"),
    newId: randomUUID,
    observe,
    noteLog,
    rasterize,
    loadViewer,
  });
}
