import { expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { createChangeStreamResponse } from "#interfaces/http/change_stream.ts";
import { served } from "../../../support/dc/served.ts";
import { endAfterTest } from "../../../support/end_after_test.ts";
import { Http2Streams, openHttp1 } from "../../../support/event_stream.ts";

const rack = (code: string) => ({ rack: { code, location: { site_id: "S1", floor_number: 1 } } });

test("a stream outlives the time that a request may take to arrive", async () => {
  const { url, site } = await served({ limits: { requestMs: 100 } });
  const http2 = new Http2Streams(url);
  endAfterTest(() => http2.close());
  const streams = [await openHttp1(url), await http2.open()];
  for (const { reader, close } of streams) {
    endAfterTest(close);
    await reader.until(([first]) => first);
  }
  const late = connect(Number(new URL(url).port), "127.0.0.1");
  late.on("error", () => {}).resume();
  late.write(
    "POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{",
  );
  // The sweep that ends this request has judged the streams as well.
  await once(late, "close");

  await site.call("UpsertRack", rack("R1"));

  for (const { reader } of streams) await reader.until((events) => events[1]?.data.entity === "rack:R1");
});

test("a stream reads no further than its reader", async () => {
  const { site } = await served();
  const items = Array.from({ length: 1000 }, (_, index) => rack(`R${index}`).rack);
  await site.call("BulkUpsertRacks", { items });
  const stream = await site.service.openChangeStream(0, { interface: "REST" });
  let pages = 0;
  const counted = {
    ...stream,
    readNext: (...given: Parameters<typeof stream.readNext>) => {
      pages++;
      return stream.readNext(...given);
    },
  };
  const shutdown = new AbortController();

  const { body } = createChangeStreamResponse(counted, {
    waitForTurn: async () => {},
    checkCaller: async () => {},
    shutdown: shutdown.signal,
    isHead: false,
  });
  const reader = body?.getReader();
  const taken = [];
  for (let read = 0; read < 4; read++) {
    taken.push(pages);
    await reader?.read();
  }
  await reader?.cancel();

  // The first piece is the head; each further one is a page that was asked for.
  expect(taken).toEqual([0, 0, 1, 2]);
  expect(site.service.openStreamCount).toBe(0);
});

test("a stream says which verdict of a window changed, with the id of the last change", async () => {
  const { url, site } = await served();
  await site.call("UpsertRack", rack("R1"));
  const { reader, close } = await openHttp1(url);
  endAfterTest(close);
  const [, begin] = await reader.until((events) => events.length === 2 && events);
  const times = { starts_at: "2026-02-01T20:00:00Z", ends_at: "2026-02-01T22:00:00Z" };
  await site.call("UpsertWindow", { window: { code: "MW-1", ...times, element_refs: ["rack:R1"] } });

  const verdict = await reader.until((events) => events.find(({ event }) => event === "verdict"));

  expect(begin).toEqual({ event: "verdicts", id: "1", data: { revision: 1 } });
  const is = { verdict: "GO", impact: "NO_IMPACT", overdue: false, summary: "Go" };
  expect(verdict).toEqual({ event: "verdict", id: "2", data: { window: "window:MW-1", revision: 2, was: null, is } });
});
