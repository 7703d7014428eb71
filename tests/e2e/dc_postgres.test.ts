import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { Client, credentials } from "@grpc/grpc-js";
import { type Call, overGrpcJs, overRest, SERVICE_NAME } from "../support/dc_calls.ts";
import { emptyFolder } from "../support/dc_server.ts";
import { endAfterTest, serveDc } from "../support/end_after_test.ts";
import { openHttp1 } from "../support/event_stream.ts";
import { type Answer, http1, postJson } from "../support/http_client.ts";
import { runPlanner } from "../support/planner_command.ts";
import { PostgresServer } from "../support/postgres.ts";
import { until } from "../support/until.ts";

const LOCATION = { site_id: "S1", floor_number: 1 };

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await PostgresServer.start();
});
afterAll(() => postgres.end());

const serve = (database: string) => serveDc(emptyFolder(), ["--db", database]);

const json = { "content-type": "application/json" };

const graphql = async (url: string, query: string, variables: object = {}) =>
  JSON.parse((await postJson(`${url}/graphql`, { query, variables })).text);

async function history(url: string, words: string) {
  return JSON.parse((await http1(`${url}/audit/history?${words}`)).text);
}

function grpc(url: string): Call {
  const client = new Client(url.replace("http://", ""), credentials.createInsecure());
  endAfterTest(() => client.close());
  return overGrpcJs(client);
}

const device = (code: string, parts: object = {}) => ({
  code,
  kind: "DEVICE_KIND_SERVER",
  location: LOCATION,
  ...parts,
});

describe("two servers on one PostgreSQL", () => {
  test("that start at the same moment on an empty database both serve it", async () => {
    const database = await postgres.database();

    const servers = await Promise.all([serve(database), serve(database), serve(database)]);

    const { outcome } = await overRest(servers[0]?.url ?? "")("UpsertDevice", { device: device("D1") });
    const found = await Promise.all(servers.map(({ url }) => overRest(url)("SearchDevices", {})));
    expect(outcome).toBe("OUTCOME_CREATED");
    expect(found.map(({ total_count }) => total_count)).toEqual([1, 1, 1]);
  });

  test("show a write through one to the very next read through the other, on every interface", async () => {
    const database = await postgres.database();
    const [one, other] = await Promise.all([serve(database), serve(database)]);
    const panel = {
      ...device("PDU", { kind: "DEVICE_KIND_RACK_PDU" }),
      ports: [{ name: "out", kind: "PORT_KIND_POWER_OUT" }],
    };
    await overRest(one.url)("UpsertDevice", { device: panel });
    const calls = { one: [overRest(one.url), grpc(one.url)], other: [overRest(other.url), grpc(other.url)] };

    for (let round = 1; round <= 20; round += 1) {
      const [from, to] = round % 2 === 0 ? (["one", "other"] as const) : (["other", "one"] as const);
      const writer = calls[from][round % 3 === 0 ? 1 : 0];
      const target = to === "one" ? one.url : other.url;
      const fed = [{ name: "in", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: "port:PDU/out" } }];
      await writer?.("BulkUpsertDevices", {
        items: [device("SRV", { name: `name ${round}` }), device(`LOAD-${round}`, { ports: fed })],
      });

      const query =
        '{ device(code: "SRV") { device { name } } powerBlastRadius(sourceRef: "device:PDU") { impact { devicesOffline } } }';
      const asked = await graphql(target, query);
      expect(asked.data).toEqual({
        device: { device: { name: `name ${round}` } },
        powerBlastRadius: { impact: { devicesOffline: round } },
      });
      const entries = await history(target, "entity=device:SRV&page_size=1");
      expect(entries.entries[0].after.name).toBe(`name ${round}`);
      for (const call of calls[to]) {
        const { device: read } = await call("GetDevice", { code: "SRV" });
        const { total_count } = await call("SearchDevices", {});
        const { impact } = await call("PowerBlastRadius", { source_ref: "device:PDU" });
        expect([read.name, total_count, impact.devices_offline]).toEqual([`name ${round}`, round + 2, round]);
      }
    }
  }, 240_000);

  test("send the changes of one on the streams of the other", async () => {
    const database = await postgres.database();
    const [one, other] = await Promise.all([serve(database), serve(database)]);
    const { reader, close } = await openHttp1(one.url);
    endAfterTest(close);
    await reader.until(([first]) => first);

    const codes = Array.from({ length: 30 }, (_, index) => `D${index}`);
    for (const [index, code] of codes.entries()) {
      await overRest((index % 2 === 0 ? one : other).url)("UpsertDevice", { device: device(code) });
    }

    // Verdicts of windows come between changes, whenever two looks find the same revision.
    const changes = await reader.until((events) => {
      const found = events.slice(1).filter(({ data }) => data.entity !== undefined);
      return found.length >= codes.length ? found : undefined;
    });
    expect(changes.map(({ id, data }) => [Number(id), data.entity])).toEqual(
      codes.map((code, index) => [index + 1, `device:${code}`]),
    );
  });

  test("continue each other's pages and remember each other's requests", async () => {
    const database = await postgres.database();
    const [one, other] = await Promise.all([serve(database), serve(database)]);
    const request = { request_id: randomUUID(), items: ["a", "B", "c", "D", "e"].map((code) => device(code)) };

    const first = await overRest(one.url)("BulkUpsertDevices", request);
    const again = await overRest(other.url)("BulkUpsertDevices", request);
    const reused = await overRest(other.url)("UpsertDevice", { request_id: request.request_id, device: device("f") });
    const page = await overRest(one.url)("SearchDevices", { page_size: 2 });
    const next = await overRest(other.url)("SearchDevices", { page_size: 2, page_token: page.next_page_token });

    expect(again).toEqual(first);
    expect(reused).toMatchObject({ code: "invalid_argument" });
    expect(next.devices.map(({ code }: { readonly code: string }) => code)).toEqual(["c", "D"]);
    expect((await history(other.url, "")).entries).toHaveLength(5);
  });
});

interface Outcome {
  readonly code: string;
  readonly answer: Answer | undefined;
}

/** Writes devices one after the other until it is told to stop; a connection that breaks is an answer too. */
async function writeUntil(stopped: () => boolean, url: string, prefix: string): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let number = 0; !stopped(); number += 1) {
    const code = `${prefix}-${number}`;
    const body = JSON.stringify({ device: device(code), request_id: randomUUID() });
    const path = `${url}/${SERVICE_NAME}/UpsertDevice`;
    const answer = await http1(path, { method: "POST", headers: json, body }).catch(() => undefined);
    outcomes.push({ code, answer });
  }
  return outcomes;
}

const isReady = async (url: string) => (await http1(`${url}/readyz`)).status === 200;

describe("PostgreSQL restarted under load", () => {
  let own: PostgresServer;
  beforeAll(async () => {
    own = await PostgresServer.start();
  });
  afterAll(() => own.end());

  test("is UNAVAILABLE meanwhile on every interface, loses nothing acknowledged, and work goes on", async () => {
    const database = await own.database();
    const servers = await Promise.all([serve(database), serve(database)]);
    const urls = servers.map(({ url }) => url);
    const [first = "", second = ""] = urls;
    let done = false;
    const loads = ["a", "b", "c", "d"].map((prefix, index) => writeUntil(() => done, urls[index % 2] ?? "", prefix));
    const total = async () => (await overRest(first)("SearchDevices", { page_size: 1 })).total_count;
    await until(async () => (await total()) > 20);

    await own.stop();
    const whileAway = {
      ready: (await http1(`${first}/readyz`)).status,
      healthy: (await http1(`${first}/healthz`)).status,
      rest: await http1(`${first}/${SERVICE_NAME}/SearchDevices`, { method: "POST", headers: json, body: "{}" }),
      grpc: await grpc(second)("SearchDevices", {}).catch((error) => error.code),
      graphql: (await graphql(second, '{ device(code: "a-0") { device { name } } }')).errors[0].extensions.code,
      history: (await http1(`${second}/audit/history`)).status,
      metrics: /\nplanner_dc_database_up (\d)\n/.exec((await http1(`${second}/metrics`)).text)?.[1],
    };
    await own.start();
    await until(async () => (await isReady(first)) && (await isReady(second)));
    const back = await total();
    await until(async () => (await total()) > back + 20);
    done = true;
    const outcomes = (await Promise.all(loads)).flat();

    expect({ ...whileAway, rest: whileAway.rest.status }).toEqual({
      ready: 503,
      healthy: 200,
      rest: 503,
      grpc: 14,
      graphql: "UNAVAILABLE",
      history: 503,
      metrics: "0",
    });
    expect(JSON.parse(whileAway.rest.text)).toMatchObject({ code: "unavailable" });
    expect(whileAway.rest.text).not.toContain(String(own.port));
    const statuses = new Set(outcomes.map(({ answer }) => answer?.status));
    expect([...statuses].toSorted()).toEqual([200, 503]);
    const acknowledged = outcomes.filter(({ answer }) => answer?.status === 200).map(({ code }) => code);
    const codes = await allCodes(second);
    expect(acknowledged.filter((code) => !codes.has(code))).toEqual([]);
    for (const { stderr } of servers) {
      expect(stderr).not.toContain("Error:");
      const told = stderr.split("\n").filter((line) => line.includes(" database: "));
      expect(told.map((line) => line.replace(/^\S+ database: |: .*;/g, ""))).toEqual([
        "The database cannot be used calls are refused as unavailable",
        "The database can be used again",
      ]);
    }
  }, 240_000);
});

async function allCodes(url: string): Promise<ReadonlySet<string>> {
  const codes = new Set<string>();
  for (let token = "", more = true; more; more = token !== "") {
    const page = await overRest(url)("SearchDevices", { page_size: 1000, page_token: token });
    for (const { code } of page.devices) codes.add(code);
    token = page.next_page_token;
  }
  return codes;
}

describe("planner dc serve with an address that does not work", () => {
  for (const [what, address, told] of [
    ["a server that is not there", "postgres://anna:s3cret@127.0.0.1:1/x", "ECONNREFUSED"],
    ["a mode of TLS that is none", "postgres://anna:s3cret@127.0.0.1/x?sslmode=maybe", "sslmode"],
    ["a port that is none", "postgres://anna:s3cret@127.0.0.1:port/x", "Cannot read the database address"],
  ] as const) {
    test(`tells of ${what} and never the password`, async () => {
      const { code, stdout, stderr } = await runPlanner(
        ["dc", "serve", "--port", "0", "--db-wait", "0", "--db", address],
        {
          cwd: emptyFolder(),
        },
      );

      expect(code).not.toBe(0);
      expect(stderr).toContain(told);
      expect(stderr).toContain("anna@127.0.0.1");
      expect(stdout + stderr).not.toContain("s3cret");
    });
  }

  test("tells of a database that is not there", async () => {
    const { code, stderr } = await runPlanner(["dc", "serve", "--port", "0", "--db", postgres.url("nowhere")], {
      cwd: emptyFolder(),
    });

    expect(code).toBe(1);
    expect(stderr).toContain('database "nowhere" does not exist');
  });
});
