import { expect, spyOn, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { served } from "../../../support/dc/served.ts";
import { endAfterTest } from "../../../support/end_after_test.ts";
import { END_HEADERS, END_STREAM, FRAME, fields, frame, PREFACE } from "../../../support/http2_frames.ts";

const REQUESTS = 240;

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** HPACK's one byte for ":status 200". Source: RFC 7541, appendix A. */
const STATUS_200 = 0x88;

/** A request as HTTP/2 frames. */
function requestFrames(stream: number, path: string): Buffer {
  const isRpc = path.includes(".");
  const head = fields([
    [":method", isRpc ? "POST" : "GET"],
    [":scheme", "http"],
    [":authority", "localhost"],
    [":path", path],
    ["content-type", "application/json"],
  ]);
  if (!isRpc) return frame(FRAME.HEADERS, head, { stream, flags: END_HEADERS | END_STREAM });
  const body = frame(FRAME.DATA, Buffer.from("{}"), { stream, flags: END_STREAM });
  return Buffer.concat([frame(FRAME.HEADERS, head, { stream, flags: END_HEADERS }), body]);
}

/** Calls `answered` with each stream that a response begins on, and the first byte of its headers. */
function readResponses(socket: Socket, answered: (stream: number, first: number | undefined) => void): void {
  let bytes = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 9 && bytes.length >= 9 + bytes.readUIntBE(0, 3)) {
      const end = 9 + bytes.readUIntBE(0, 3);
      // The headers behind a body are trailers, which gRPC alone has.
      if (bytes[3] === FRAME.HEADERS) answered(bytes.readUInt32BE(5), bytes[9]);
      bytes = bytes.subarray(end);
    }
  });
}

/**
 * Sends requests with a probe behind them as one piece of bytes, so that they arrive together. Returns how many the server had
 * begun when the probe was answered.
 */
async function begunBeforeProbe(url: string, path: string, begins: Begins): Promise<number> {
  // The kernel can split the bytes, and then the probe arrives behind requests that have begun.
  for (let tries = 1; ; tries++) {
    begins.mockClear();
    const count = await begunInOneTry(url, path, () => begins.mock.calls.length);
    if (count < REQUESTS || tries === 3) return count;
  }
}

/** A spy on what each request calls when it begins. */
interface Begins {
  readonly mock: { readonly calls: { readonly length: number } };
  mockClear(): unknown;
}

async function begunInOneTry(url: string, path: string, begun: () => number): Promise<number> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  endAfterTest(() => socket.destroy());
  const streams = Array.from({ length: REQUESTS }, (_, index) => 2 * index + 1);
  const probe = 2 * REQUESTS + 1;
  const statuses = new Map<number, number | undefined>();
  let count: number | undefined;
  const isAnswered = new Promise<void>((resolve) => {
    readResponses(socket, (stream, first) => {
      statuses.set(stream, first);
      if (stream === probe) count = begun();
      if (statuses.size > REQUESTS) resolve();
    });
  });
  const requests = streams.map((stream) => requestFrames(stream, path));
  socket.write(Buffer.concat([PREFACE, frame(FRAME.SETTINGS), ...requests, requestFrames(probe, "/healthz")]));
  await isAnswered;
  expect(new Set(statuses.values())).toEqual(new Set([STATUS_200]));
  return count ?? REQUESTS;
}

test("a probe does not wait for all RPCs that arrived together before it", async () => {
  const { url, site } = await served();
  const { demandRole } = site.service;
  const begins = spyOn(site.service, "demandRole").mockImplementation((...given) => {
    spin(1);
    demandRole.apply(site.service, given);
  });

  const count = await begunBeforeProbe(url, "/datacenter.v1.DatacenterService/SearchDevices", begins);

  expect(count).toBeLessThan(REQUESTS);
});

test("a probe does not wait for all requests of other routes that arrived together before it", async () => {
  const { url, site } = await served();
  const { session } = site.service;
  const begins = spyOn(site.service, "session").mockImplementation((...given) => {
    spin(1);
    return session.apply(site.service, given);
  });

  const count = await begunBeforeProbe(url, "/session", begins);

  expect(count).toBeLessThan(REQUESTS);
});
