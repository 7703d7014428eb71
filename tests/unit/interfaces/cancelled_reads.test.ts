import { describe, expect, test } from "bun:test";
import { request } from "node:http";
import { connect } from "node:http2";
import type { FinishedCall } from "#dc/context.ts";
import type { DcReader, DcStore } from "#dc/ports.ts";
import { createRemoteBackend } from "#interfaces/dc_mcp/remote_backend.ts";
import { createServiceBackend } from "#interfaces/dc_mcp/service_backend.ts";
import { createDcTools } from "#interfaces/dc_mcp/tool_set.ts";
import { createHttpHandler } from "#interfaces/http/handler.ts";
import { SharedPort } from "#runtime/one_port.ts";
import { openMemory } from "../../support/dc/memory/store.ts";
import { LOCAL } from "../../support/dc/served.ts";
import { testService } from "../../support/dc/service.ts";
import { endAfterTest } from "../../support/end_after_test.ts";
import { Latch, Served, settle } from "../../support/mcp_served.ts";

const RPC_PATH = "/datacenter.v1.DatacenterService/SearchDevices";
const GRAPHQL = JSON.stringify({ query: "{ searchDevices { totalCount } }" });

/** A store whose reads wait at their first look into the database. */
class HeldStore {
  readonly reached = new Latch();
  readonly go = new Latch();
  /** What was looked up behind that first look. */
  readonly later: string[] = [];
  readonly store: DcStore;

  constructor(store: DcStore) {
    this.store = { ...store, read: (work) => store.read((reader) => work(this.#held(reader))) };
  }

  #held(reader: DcReader): DcReader {
    return new Proxy(reader, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...given: unknown[]) => {
          if (name === "revision") {
            this.reached.open();
            await this.go.opened;
          } else this.later.push(String(name));
          return Reflect.apply(method, target, given);
        };
      },
    });
  }
}

async function site() {
  const held = new HeldStore(openMemory());
  const finished: FinishedCall[] = [];
  const done = new Latch();
  const { service } = await testService({
    store: held.store,
    observe: (call) => {
      finished.push(call);
      done.open();
    },
  });
  // What opening the service has read.
  held.later.length = 0;
  const gone = new Latch();
  const handler = createHttpHandler({
    service,
    findPrincipal: async () => undefined,
    findUnreadyReason: async () => undefined,
    formatMetrics: () => "",
    observeRefusedCall: () => {},
    reportDefect: () => {},
    shutdown: new AbortController().signal,
    admission: LOCAL,
  });
  const server = new SharedPort({
    handler: (asked, answer, account) => {
      answer.once("close", () => gone.open());
      handler(asked, answer, account);
    },
  });
  const url = `http://127.0.0.1:${await server.listen(0, "127.0.0.1")}`;
  endAfterTest(() => server.close(0));
  return { held, service, url, gone, done, finished };
}

type Site = Awaited<ReturnType<typeof site>>;

/** Asks, and answers with how to go away and when the server knows of it. */
type Ask = (site: Site) => { readonly leave: () => void; readonly known: () => Promise<void> };

const http1: (path: string, body: string) => Ask =
  (path, body) =>
  ({ url, gone }) => {
    const call = request(`${url}${path}`, { method: "POST", headers: { "content-type": "application/json" } });
    call.on("error", () => {}).end(body);
    return { leave: () => call.destroy(), known: () => gone.opened };
  };

const http2: (path: string, body: string) => Ask =
  (path, body) =>
  ({ url, gone }) => {
    const session = connect(url);
    session.on("error", () => {});
    endAfterTest(() => session.destroy());
    const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/json" });
    stream.on("error", () => {}).end(body);
    // NGHTTP2_CANCEL: the connection stays.
    return { leave: () => stream.close(8), known: () => gone.opened };
  };

const mcp: (where: "here" | "there") => Ask =
  (where) =>
  ({ service, url, gone }) => {
    const remote = { url, token: undefined, timeoutMs: 60_000 };
    const backend = async () => (where === "here" ? createServiceBackend(service) : createRemoteBackend(remote));
    const served = new Served({ loadTools: async () => createDcTools(backend) });
    endAfterTest(() => served.stop());
    served.call(1, "search_devices", {});
    const leave = () => served.notify("notifications/cancelled", { requestId: 1 });
    return { leave, known: () => (where === "here" ? settle() : gone.opened) };
  };

const WAYS: Readonly<Record<string, Ask>> = {
  "GraphQL over HTTP/1.1": http1("/graphql", GRAPHQL),
  "GraphQL over HTTP/2": http2("/graphql", GRAPHQL),
  "Connect over HTTP/1.1": http1(RPC_PATH, "{}"),
  "Connect over HTTP/2": http2(RPC_PATH, "{}"),
  "a tool of the process itself": mcp("here"),
  "a tool of a server elsewhere": mcp("there"),
};

describe("a read ends when its caller goes, asked by", () => {
  for (const [way, ask] of Object.entries(WAYS)) {
    test(way, async () => {
      const at = await site();
      const { leave, known } = ask(at);
      await at.held.reached.opened;

      leave();
      await known();
      await settle();
      at.held.go.open();
      await at.done.opened;

      expect(at.finished.map(({ method, outcome }) => [method, outcome])).toEqual([["SearchDevices", "cancelled"]]);
      expect(at.held.later).toEqual([]);
    });
  }
});
