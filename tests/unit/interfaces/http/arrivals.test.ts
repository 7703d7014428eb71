import { expect, spyOn, test } from "bun:test";
import { connect } from "node:http2";
import { endAfterTest, served } from "../../../support/dc/served.ts";

const REQUESTS = 240;

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Sends requests in one piece with a probe behind them. Returns how many the server had begun when the probe was answered. */
async function begunBeforeProbe(url: string, path: string, begun: () => number): Promise<number> {
  const session = connect(url);
  endAfterTest(() => session.destroy());
  await new Promise((resolve) => session.once("connect", resolve));
  const calls = Array.from({ length: REQUESTS }, () => {
    const isRpc = path.includes(".");
    const method = isRpc ? "POST" : "GET";
    const call = session.request({ ":method": method, ":path": path, "content-type": "application/json" });
    const status = new Promise((resolve) => call.once("response", (headers) => resolve(headers[":status"])));
    call.resume().end(isRpc ? "{}" : undefined);
    return status;
  });
  const probe = session.request({ ":path": "/healthz" });
  const answered = new Promise<number>((resolve) => probe.once("response", () => resolve(begun())));
  probe.resume().end();
  const count = await answered;
  expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
  return count;
}

test("a probe does not wait for all RPCs that arrived together before it", async () => {
  const { url, site } = await served();
  const { demandRole } = site.service;
  const begins = spyOn(site.service, "demandRole").mockImplementation((...given) => {
    spin(1);
    demandRole.apply(site.service, given);
  });

  const count = await begunBeforeProbe(
    url,
    "/datacenter.v1.DatacenterService/SearchDevices",
    () => begins.mock.calls.length,
  );

  expect(count).toBeLessThan(REQUESTS);
});

test("a probe does not wait for all requests of other routes that arrived together before it", async () => {
  const { url, site } = await served();
  const { session } = site.service;
  const begins = spyOn(site.service, "session").mockImplementation((...given) => {
    spin(1);
    return session.apply(site.service, given);
  });

  const count = await begunBeforeProbe(url, "/session", () => begins.mock.calls.length);

  expect(count).toBeLessThan(REQUESTS);
});
