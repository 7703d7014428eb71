import { fromJson, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import type { Caller, FinishedCall } from "#dc/context.ts";
import { allRpcs } from "#dc/operations/index.ts";
import { detailRegistry } from "#dc/operations/messages/status.ts";
import type { DcStore } from "#dc/ports.ts";
import { type DcService, openService } from "#dc/service.ts";
import { loadPage } from "#runtime/pages.ts";
import { ams1 } from "./ams1.ts";
import { openTemporarySqlite } from "./stores.ts";

export const START = "2026-01-02T03:04:05.000Z";

const ANYONE: Caller = { interface: "REST", principal: { name: "anna", roles: ["writer"], authMethod: "token" } };

/** A clock that stands still until it is moved. */
export interface TestClock {
  readonly now: () => Date;
  readonly uptime: () => number;
  /** Lets time pass. */
  moveS(seconds: number): void;
  /** Sets the clock without letting time pass. */
  stepS(seconds: number): void;
}

function createTestClock(): TestClock {
  let time = Date.parse(START);
  let [wrongMs, uptime] = [0, 0];
  return {
    now: () => new Date(time + wrongMs),
    uptime: () => uptime,
    moveS: (seconds: number) => {
      time += seconds * 1000;
      uptime += seconds * 1000;
    },
    stepS: (seconds: number) => {
      wrongMs += seconds * 1000;
    },
  };
}

/** A service on a store, called by RPC name with proto JSON in and out. The clock stands still until it is moved. */
export interface TestService {
  readonly store: DcStore;
  readonly service: DcService;
  readonly clock: TestClock;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  call(rpc: string, request?: JsonObject, caller?: Caller): Promise<any>;
}

export async function testService({
  store: given,
  clock: givenClock,
  authRequired = false,
  observe = () => {},
}: {
  /** A new SQLite database unless one is given. */
  readonly store?: DcStore;
  /** That of another service, which goes on. */
  readonly clock?: TestClock;
  readonly authRequired?: boolean;
  readonly observe?: (call: FinishedCall) => void;
} = {}): Promise<TestService> {
  const clock = givenClock ?? createTestClock();
  const store = given ?? (await openTemporarySqlite());
  const service = await openService(store, {
    clock,
    authRequired,
    observe,
    loadViewer: () => loadPage("picture_file"),
  });
  const call = async (name: string, request: JsonObject = {}, caller: Caller = ANYONE): Promise<JsonValue> => {
    const rpc = allRpcs.find(({ method }) => method.name === name);
    if (rpc === undefined) throw new Error(`There is no RPC "${name}"`);
    const reply = await service.call(rpc, fromJson(rpc.method.input, request), caller);
    return toJson(rpc.method.output, reply, { useProtoFieldName: true, registry: detailRegistry });
  };
  return { store, service, clock, call };
}

/** Loads the sample site through the bulk calls, edges one by one; answers what the calls said. */
export async function loadAms1({ call }: TestService) {
  const replies = {
    racks: await call("BulkUpsertRacks", { items: [...ams1.racks] }),
    devices: await call("BulkUpsertDevices", { items: [...ams1.devices] }),
    cracs: await call("BulkUpsertCracs", { items: [...ams1.cracs] }),
  };
  const cables = [];
  for (const cable of ams1.cables) cables.push(await call("UpsertCable", { cable }));
  const fabricLinks = [];
  for (const fabricLink of ams1.fabric_links) fabricLinks.push(await call("UpsertFabricLink", { fabricLink }));
  return { ...replies, cables, fabricLinks };
}
