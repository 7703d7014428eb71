import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { emptyFolder } from "../support/dc_server.ts";
import { endAfterTest, serveDc } from "../support/end_after_test.ts";
import { EventReader, Http2Streams, type OpenStream, openHttp1, type ServerEvent } from "../support/event_stream.ts";
import { callRpc, http1 } from "../support/http_client.ts";
import { PLANNER, runCommand, runPlanner } from "../support/planner_command.ts";

const start = (folder = emptyFolder(), flags: readonly string[] = []) => serveDc(folder, flags);

async function follow(url: string, headers: Readonly<Record<string, string>> = {}): Promise<OpenStream> {
  const stream = await openHttp1(url, headers);
  endAfterTest(() => stream.close());
  return stream;
}

const rack = (code: string) => ({ code, location: { site_id: "S1", floor_number: 1 } });

async function call(url: string, rpc: string, body: object, token = ""): Promise<void> {
  const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
  const answer = await callRpc(url, rpc, body, headers);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer));
}

const put = (url: string, code: string, token = "") => call(url, "UpsertRack", { rack: rack(code) }, token);
const changes = (events: readonly ServerEvent[]) => events.filter(({ event }) => event === "change");
const entities = (events: readonly ServerEvent[]) => changes(events).map(({ data }) => data.entity);

describe("GET /changes/stream", () => {
  test("sends the changes of other clients as the change log has them, over HTTP/1.1 and HTTP/2", async () => {
    const server = await start();
    await put(server.url, "BEFORE");
    const http2 = new Http2Streams(server.url);
    endAfterTest(() => http2.close());
    const streams = [await follow(server.url), await http2.open()];
    for (const { reader } of streams) await reader.until(([first]) => first?.event === "head");

    await call(server.url, "BulkUpsertRacks", { items: [rack("R1"), rack("R2")], change_message: "Two racks" });
    await call(server.url, "DeleteRack", { code: "R1" });

    const log = JSON.parse((await http1(`${server.url}/audit/history?order=ASC`)).text).entries.slice(1);
    for (const { reader, headers } of streams) {
      await reader.until((events) => changes(events).length === 3);
      expect(headers["content-type"]).toBe("text/event-stream; charset=utf-8");
      expect(reader.events[0]).toMatchObject({ event: "head", id: "1", data: { head_seq: 1 } });
      for (const [index, { id, data }] of changes(reader.events).entries()) {
        const entry = log[index];
        expect(id).toBe(String(entry.seq));
        expect(data).toEqual({
          seq: entry.seq,
          occurred_at: entry.occurred_at,
          action: entry.action,
          entity: entry.entity,
          related: entry.related,
          changed_fields: entry.changed_fields,
          principal: entry.actor.principal,
          request_id: entry.request.id,
          interface: entry.request.interface,
          method: entry.request.method,
          message: entry.message,
          source: entry.source,
        });
      }
    }
  });

  test("loses nothing and repeats nothing for a reader that leaves and resumes while others write", async () => {
    const server = await start();
    const total = 240;
    const writing = (async () => {
      for (let index = 0; index < total; index++) await put(server.url, `R${index}`);
    })();

    const seen: number[] = [];
    while (seen.length < total) {
      const { reader, close } = await follow(server.url, { "last-event-id": String(seen.at(-1) ?? 0) });
      const most = 1 + ((seen.length * 7) % 40);
      await reader.until((events) => changes(events).length >= Math.min(most, total - seen.length));
      close();
      seen.push(...changes(reader.events).map(({ id }) => Number(id)));
    }
    await writing;

    expect(seen).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  });

  test("sends what another process writes into the same database", async () => {
    const folder = emptyFolder();
    const server = await start(folder, ["--db", "site.sqlite"]);
    const { reader } = await follow(server.url);
    await reader.until(([first]) => first);

    const { code } = await runCommand([...PLANNER, "dc", "import", "-", "--db", "site.sqlite"], {
      cwd: folder,
      input: `${JSON.stringify({ rack: rack("FROM-CLI") })}\n`,
    });

    expect(code).toBe(0);
    await reader.until((events) => entities(events).includes("rack:FROM-CLI"));
  });

  test("says that a position is gone when its entries are archived, or were never in this log", async () => {
    const folder = emptyFolder();
    const first = await start(folder, ["--db", "site.sqlite"]);
    for (const code of ["R1", "R2", "R3"]) await put(first.url, code);
    first.child.kill("SIGTERM");
    await first.ended;
    const archived = await runPlanner(
      ["dc", "audit", "archive", "--before", "2100-01-01", "-o", "a.jsonl", "--db", "site.sqlite"],
      { cwd: folder },
    );
    const server = await start(folder, ["--db", "site.sqlite"]);

    const starts = [];
    for (const id of ["1", "3", "99"]) {
      const { reader } = await follow(server.url, { "last-event-id": id });
      starts.push(await reader.until(([event]) => event));
    }

    expect(archived.code).toBe(0);
    expect(starts.map(({ event, id }) => [event, id])).toEqual([
      ["reset", "3"],
      ["head", "3"],
      ["reset", "3"],
    ]);
  });

  test("refuses what other reads refuse, and what it cannot read, before it streams", async () => {
    const server = await start();
    const ask = (headers: Record<string, string>, query = "", method = "GET") =>
      http1(`${server.url}/changes/stream${query}`, { method, headers });

    const answers = [
      await ask({ host: "rebound.example" }),
      await ask({ origin: "https://elsewhere.example" }),
      await ask({}, "", "POST"),
      await ask({ "last-event-id": "R2" }),
      await ask({ "last-event-id": "-1" }),
      await ask({}, "?entity=rack:R1"),
    ];
    const head = await ask({}, "", "HEAD");
    const { text } = await http1(`${server.url}/metrics`);

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 405, 400, 400, 400]);
    expect(JSON.parse(answers[3]?.text ?? "").message).toBe(
      'Cannot read Last-Event-ID "R2": expected the id of an event, a number from 0',
    );
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(text).toContain("planner_dc_change_streams 0\n");
  });

  test("requires a token where reads do, and ends within seconds of the token's end", async () => {
    const folder = emptyFolder();
    const create = (...words: string[]) =>
      runCommand([...PLANNER, "dc", "token", "create", ...words, "--tokens", "t.json"], { cwd: folder });
    const [, reading = ""] = /(\S+)\s*$/.exec((await create("anna", "--role", "reader")).stdout) ?? [];
    const [, writing = ""] = /(\S+)\s*$/.exec((await create("bert", "--role", "writer")).stdout) ?? [];
    const server = await start(folder, ["--tokens", "t.json"]);
    const none = await http1(`${server.url}/changes/stream`);
    const wrong = await http1(`${server.url}/changes/stream`, { headers: { authorization: "Bearer x" } });
    const { reader } = await follow(server.url, { authorization: `Bearer ${reading}` });

    await put(server.url, "R1", writing);
    await reader.until((events) => entities(events).includes("rack:R1"));
    await runCommand([...PLANNER, "dc", "token", "revoke", "anna", "--tokens", "t.json"], { cwd: folder });
    const events = await reader.untilEnded();

    expect([none.status, wrong.status]).toEqual([401, 401]);
    expect(changes(events)[0]?.data.principal).toBe("bert");
    expect(events.at(-1)).toMatchObject({ event: "end", data: { code: "unauthenticated" } });
  });

  test("ends at SIGTERM with the reason, and the server with status 0", async () => {
    const server = await start();
    const http2 = new Http2Streams(server.url);
    endAfterTest(() => http2.close());
    const streams = [await follow(server.url), await http2.open()];
    for (const { reader } of streams) await reader.until(([first]) => first);

    server.child.kill("SIGTERM");

    for (const { reader } of streams) {
      const last = (await reader.untilEnded()).at(-1);
      expect(last).toMatchObject({ event: "end", data: { code: "unavailable" } });
    }
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });

  test("limits the streams of a connection, and counts those that are open", async () => {
    const server = await start();
    const http2 = new Http2Streams(server.url);
    const open = [];
    for (let index = 0; index < 200; index++) open.push(await http2.open());
    const metrics = async () => (await http1(`${server.url}/metrics`)).text;

    const refused = await http2.open();
    const other = await follow(server.url);

    expect(open.every(({ status }) => status === 200)).toBe(true);
    expect([refused.status, refused.headers["retry-after"], other.status]).toEqual([429, "2", 200]);
    expect(await metrics()).toContain("planner_dc_change_streams 201\n");
    http2.close();
    while (!(await metrics()).includes("planner_dc_change_streams 1\n")) await Bun.sleep(50);
  });

  test("keeps everything for a reader that stops reading for a while", async () => {
    const server = await start();
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    endAfterTest(() => socket.destroy());
    socket.write("GET /changes/stream HTTP/1.1\r\nhost: localhost\r\nlast-event-id: 0\r\n\r\n");
    await once(socket, "readable");

    // Read again below: meanwhile the kernel's buffers fill, and the server must hold the rest back.
    const total = 3000;
    for (let page = 0; page < 6; page++) {
      const items = Array.from({ length: 500 }, (_, index) => rack(`R-${page}-${index}`));
      await call(server.url, "BulkUpsertRacks", { items, change_message: "m".repeat(200) });
    }
    const reader = new EventReader();
    const chunks = dechunked((text) => reader.take(text));
    socket
      .setEncoding("utf8")
      .on("data", chunks)
      .on("close", () => reader.end());
    await reader.until((events) => changes(events).length === total);

    expect(changes(reader.events).map(({ id }) => Number(id))).toEqual(
      Array.from({ length: total }, (_, index) => index + 1),
    );
  });

  test("ends when the database is lost, so that no reader takes silence for peace", async () => {
    const folder = emptyFolder();
    const server = await start(folder, ["--db", "site.sqlite"]);
    await put(server.url, "R1");
    const { reader } = await follow(server.url);
    await reader.until(([first]) => first);

    for (const name of ["site.sqlite", "site.sqlite-wal", "site.sqlite-shm"]) rmSync(join(folder, name));

    expect((await reader.untilEnded()).at(-1)).toMatchObject({ event: "end" });
  });
});

/** Takes HTTP/1.1's head and chunk sizes off; the texts here are ASCII, so characters are bytes. */
function dechunked(take: (text: string) => void): (text: string) => void {
  let text = "";
  let isBody = false;
  return (more) => {
    text += more;
    if (!isBody) {
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      isBody = true;
      text = text.slice(end + 4);
    }
    for (;;) {
      const line = text.indexOf("\r\n");
      const size = Number.parseInt(text.slice(0, line), 16);
      if (line < 0 || text.length < line + 2 + size + 2) return;
      take(text.slice(line + 2, line + 2 + size));
      text = text.slice(line + 2 + size + 2);
    }
  };
}
