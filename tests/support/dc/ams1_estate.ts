import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import type { Estate } from "#dc/model/estate.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import { Changes, SCHEMAS } from "#dc/operations/changes.ts";
import { fromMessage } from "#dc/operations/convert.ts";
import type { WriteSession } from "#dc/operations/rpc.ts";
import { upsertResource } from "#dc/operations/upsert.ts";
import type { DcStore, DcWriter } from "#dc/ports.ts";
import { ams1 } from "./ams1.ts";
import { START } from "./service.ts";
import { openTemporarySqlite } from "./stores.ts";

let opened: Promise<DcStore> | undefined;

/** A store that holds the sample site, for reading only; filled once per test process, in one transaction. */
export function ams1Store(): Promise<DcStore> {
  opened ??= (async () => {
    const store = await openTemporarySqlite();
    await store.write(async (writer) => {
      const session = sessionOn(store, writer);
      await load(session, "rack", ams1.racks);
      await load(session, "device", suppliersFirst(ams1.devices));
      await load(session, "crac", ams1.cracs);
      await load(session, "cable", ams1.cables);
      await load(session, "fabric_link", ams1.fabric_links);
      await session.changes.flush();
    });
    return store;
  })();
  return opened;
}

/** The sample site as the service stores it. */
export async function ams1Estate(): Promise<Estate> {
  return (await ams1Store()).read((reader) => reader.estate());
}

async function load(session: WriteSession, kind: ResourceKind, items: readonly JsonObject[]): Promise<void> {
  for (const item of items) {
    const resource = fromMessage<never>(SCHEMAS[kind], fromJson(SCHEMAS[kind], item));
    await upsertResource(session, kind, { resource, maskPaths: [], etag: "" });
  }
}

/** Devices that supply others come before the servers, as a bulk call would order them. */
function suppliersFirst(devices: readonly JsonObject[]): readonly JsonObject[] {
  const supplies = (device: JsonObject) => (device["kind"] === "DEVICE_KIND_SERVER" ? 1 : 0);
  return devices.toSorted((a, b) => supplies(a) - supplies(b));
}

function sessionOn(store: DcStore, writer: DcWriter): WriteSession {
  const context = {
    store,
    clock: { now: () => new Date(START) },
    authRequired: false,
    pageKey: new Uint8Array(32),
    newId: () => crypto.randomUUID(),
    observe: () => {},
  };
  const caller = { interface: "SYSTEM" as const };
  const origin = { context, caller, method: "sample", requestId: "sample", message: "", now: START };
  return { context, caller, writer, changes: new Changes(writer, origin), now: START };
}
