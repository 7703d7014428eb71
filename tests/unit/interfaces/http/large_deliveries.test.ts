import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { readDelivery } from "#dc/operations/feed/delivery.ts";
import { served } from "../../../support/dc/served.ts";
import { http1 } from "../../../support/http_client.ts";

const SECRET = "a-secret-of-the-feed";
const event = {
  after: { of: Array(100_000).fill({}) },
  key: ["r1"],
  topic: "other",
  updated: "1767323050000000000.0000000000",
};

test("The webhook takes a large delivery and refuses a larger one, whether it is compressed or not", async () => {
  const at = await served({ webhookSecret: SECRET });
  const post = async (sent: string | Uint8Array, headers: Record<string, string>) => {
    const all = { authorization: `Bearer ${SECRET}`, "content-type": "application/json", ...headers };
    return (await http1(`${at.url}/audit/webhook`, { method: "POST", headers: all, body: sent })).status;
  };
  for (const [events, status] of [
    [3, 200],
    // A feed that tried it again would stand still.
    [4, 400],
  ] as const) {
    const body = JSON.stringify({ payload: Array(events).fill(event) });

    expect(await post(body, {})).toBe(status);
    expect(await post(gzipSync(body), { "content-encoding": "gzip" })).toBe(status);
  }
});

test("readDelivery lets other work run between events", () => {
  const steps = readDelivery({ payload: Array(1000).fill({ ...event, after: null }) });
  let count = 0;
  while (steps.next().done !== true) count++;

  expect(count).toBe(1000);
});
