import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import type { Inventory } from "#dc/model/inventory.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import { convertFromMessage } from "#dc/operations/messages/convert.ts";
import type { WriteSession } from "#dc/operations/rpc.ts";
import { ChangeRecorder, RESOURCE_SCHEMAS } from "#dc/operations/writes/changes.ts";
import { upsertResource } from "#dc/operations/writes/upsert.ts";
import { PassedTime } from "#dc/passed_time.ts";
import type { DcStore, DcWriter } from "#dc/ports.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import { keptDatabase } from "../kept_database.ts";
import { type Ams1, ams1 } from "./ams1.ts";
import { START } from "./service.ts";
import { databaseFile } from "./stores.ts";

/** A database of its own with the sample site, which takes 2 s to fill: all test files of a run copy one. */
export async function ams1Database(): Promise<string> {
  const path = databaseFile();
  await keptDatabase("ams1", path, async (first) => {
    const store = await openSqlite(first);
    await fill(store, ams1);
    await store.close();
  });
  return path;
}

/** A store that holds a site. */
export async function storeOf(site: Ams1): Promise<DcStore> {
  if (site === ams1) return openSqlite(await ams1Database());
  const store = await openSqlite(databaseFile());
  await fill(store, site);
  return store;
}

/** Writes a site in one transaction: one write to the disk instead of thousands. */
export async function fill(store: DcStore, site: Ams1): Promise<void> {
  await store.write(async (writer) => {
    const session = sessionOn(store, writer);
    await load(session, "rack", site.racks);
    await load(session, "device", suppliersFirst(site.devices));
    await load(session, "crac", site.cracs);
    await load(session, "cable", site.cables);
    await load(session, "fabric_link", site.fabric_links);
    await session.changes.flush();
  });
}

let opened: Promise<DcStore> | undefined;

/** The sample site, for reading only; filled once per test process. */
export function ams1Store(): Promise<DcStore> {
  opened ??= storeOf(ams1);
  return opened;
}

/** The sample site as the service stores it. */
export async function ams1Inventory(): Promise<Inventory> {
  return (await ams1Store()).read((reader) => reader.inventory());
}

async function load(session: WriteSession, kind: ResourceKind, items: readonly JsonObject[]): Promise<void> {
  for (const item of items) {
    const resource = convertFromMessage<never>(RESOURCE_SCHEMAS[kind], fromJson(RESOURCE_SCHEMAS[kind], item));
    await upsertResource(session, kind, { resource, at: "", maskPaths: [], etag: "" });
  }
}

/** Devices that supply others come first, as a bulk call would order them. */
function suppliersFirst(devices: readonly JsonObject[]): readonly JsonObject[] {
  const order = ["UTILITY", "GENERATOR", "TRANSFER_SWITCH", "SWITCHGEAR", "UPS", "RPP", "RACK_PDU"];
  const rank = ({ kind }: JsonObject) => {
    const place = order.indexOf(String(kind).slice("DEVICE_KIND_".length));
    return place < 0 ? order.length : place;
  };
  return devices.toSorted((a, b) => rank(a) - rank(b));
}

function sessionOn(store: DcStore, writer: DcWriter): WriteSession {
  const clock = { now: () => new Date(START) };
  const context = {
    store,
    clock,
    passedTime: new PassedTime(clock),
    authRequired: false,
    pageKey: new Uint8Array(32),
    newId: () => crypto.randomUUID(),
    observe: () => {},
  };
  const caller = { interface: "SYSTEM" as const };
  const origin = { context, caller, method: "sample", requestId: "sample", message: "", now: START };
  return { context, caller, writer, changes: new ChangeRecorder(writer, origin), now: START };
}
