import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { type RequestHandler, SharedPort } from "#runtime/one_port.ts";
import { endAfterTest } from "../../support/end_after_test.ts";
import { Http2Client } from "../../support/http_client.ts";
import { END_HEADERS, END_STREAM, FRAME, fields, frame, PREFACE } from "../../support/http2_frames.ts";

const IDLE_MS = 40;
const ACK = 1;

async function serve(handler: RequestHandler = () => {}): Promise<number> {
  const server = new SharedPort({ handler, limits: { idleMs: IDLE_MS } });
  endAfterTest(() => server.close(0));
  return server.listen(0, "127.0.0.1");
}

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Opens an HTTP/2 connection by hand; answers with all frames that came until the server closed it. */
async function framesUntilClosed(port: number, ...sent: readonly Buffer[]): Promise<readonly Frame[]> {
  const socket = connect(port, "127.0.0.1");
  endAfterTest(() => socket.destroy());
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.write(Buffer.concat([PREFACE, frame(FRAME.SETTINGS), ...sent]));
  await once(socket, "close");
  const bytes = Buffer.concat(chunks);
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    const [type = -1, flags = 0] = bytes.subarray(at + 3);
    frames.push({ type, flags, stream: bytes.readUInt32BE(at + 5), payload: bytes.subarray(at + 9, end) });
    at = end;
  }
  return frames;
}

const goaways = (frames: readonly Frame[]) =>
  frames.filter(({ type }) => type === FRAME.GOAWAY).map(({ payload }) => payload.readUInt32BE(4));

describe("OnePort sends idle HTTP/2 connections away", () => {
  test("with GOAWAY and no error", async () => {
    expect(goaways(await framesUntilClosed(await serve()))).toEqual([0]);
  });

  test("also when they only say that they live, which is no offence", async () => {
    const pings = Array.from({ length: 50 }, (_, index) => frame(FRAME.PING, Buffer.alloc(8, index)));

    const frames = await framesUntilClosed(await serve(), ...pings);

    const answered = frames.filter(({ type, flags }) => type === FRAME.PING && flags === ACK);
    expect(answered.map(({ payload }) => payload[0])).toEqual(pings.map((_, index) => index));
    expect(goaways(frames)).toEqual([0]);
  });

  test("but not while a request runs on them, however long, nor the next one", async () => {
    const waiting: (() => void)[] = [];
    const port = await serve((_, response) => {
      waiting.push(() => response.end("done"));
    });
    const client = new Http2Client(`http://127.0.0.1:${port}`);
    endAfterTest(() => client.close());
    const first = client.ask("/a");

    // Each of these comes later and is swept, so that the held request has been passed over.
    for (let turn = 0; turn < 3; turn++) await framesUntilClosed(port);
    for (const answer of waiting.splice(0)) answer();
    expect((await first).text).toBe("done");

    const second = client.ask("/b");
    await framesUntilClosed(port);
    for (const answer of waiting.splice(0)) answer();
    expect((await second).text).toBe("done");
  });
});

describe("OnePort announces how many bytes of headers a call may have, and resets the one with more", () => {
  const MAX_HEADER_LIST_SIZE = 6;
  const ENHANCE_YOUR_CALM = 11;
  const echo: RequestHandler = (asked, answer) => void asked.on("end", () => answer.end("done")).resume();

  /** A call's header block in frames of at most 16 KiB, with `count` more headers of `length` bytes. */
  function headers(stream: number, flags: number, { count = 0, length = 0 } = {}): Buffer {
    const own = [
      [":method", "POST"],
      [":scheme", "http"],
      [":path", "/"],
      [":authority", "x"],
    ] as const;
    const more = Array.from({ length: count }, (_, index) => [`x-${index}`, "a".repeat(length)] as const);
    const block = fields([...own, ...more]);
    const pieces: Buffer[] = [];
    for (let at = 0; at < block.length; at += 16_384) pieces.push(block.subarray(at, at + 16_384));
    const last = pieces.length - 1;
    const parts = pieces.map((piece, index) =>
      frame(index === 0 ? FRAME.HEADERS : FRAME.CONTINUATION, piece, {
        stream,
        flags: (index === 0 ? flags : 0) + (index === last ? END_HEADERS : 0),
      }),
    );
    return Buffer.concat(parts);
  }

  test.each([
    { count: 0, length: 0, isServed: true },
    { count: 1, length: 8_000, isServed: true },
    { count: 1, length: 16_000, isServed: true },
    { count: 100, length: 100, isServed: true },
    { count: 3, length: 5_000, isServed: true },
    { count: 1, length: 16_384, isServed: false },
    { count: 1, length: 20_000, isServed: false },
    { count: 1, length: 60_000, isServed: false },
    { count: 4, length: 4_100, isServed: false },
    { count: 3, length: 20_000, isServed: false },
    { count: 120, length: 200, isServed: false },
    { count: 200, length: 1, isServed: false },
  ])("$count of $length bytes beside two others: served $isServed", async ({ isServed, ...more }) => {
    const frames = await framesUntilClosed(
      await serve(echo),
      headers(1, 0),
      headers(3, END_STREAM, more),
      headers(5, END_STREAM),
      frame(FRAME.DATA, Buffer.from("late"), { stream: 1, flags: END_STREAM }),
    );

    const settings =
      frames.find(({ type, flags }) => type === FRAME.SETTINGS && flags === 0)?.payload ?? Buffer.alloc(0);
    const announced = Array.from({ length: settings.length / 6 }, (_, index) => index * 6).find(
      (at) => settings.readUInt16BE(at) === MAX_HEADER_LIST_SIZE,
    );
    const endOf = (stream: number) =>
      frames.filter((one) => one.stream === stream && (one.type === FRAME.DATA || one.type === FRAME.RST_STREAM));
    expect(settings.readUInt32BE((announced ?? 0) + 2)).toBe(16_384);
    for (const stream of [1, 5]) expect(endOf(stream)[0]?.payload.toString()).toBe("done");
    if (isServed) expect(endOf(3)[0]?.payload.toString()).toBe("done");
    else expect(endOf(3).map(({ payload }) => payload.readUInt32BE(0))).toEqual([ENHANCE_YOUR_CALM]);
    expect(goaways(frames)).toEqual([0]);
  });
});
