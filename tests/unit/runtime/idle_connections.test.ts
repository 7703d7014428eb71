import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { type RequestHandler, SharedPort } from "#runtime/one_port.ts";
import { endAfterTest } from "../../support/end_after_test.ts";
import { Http2Client } from "../../support/http_client.ts";
import { FRAME, frame, PREFACE } from "../../support/http2_frames.ts";

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
    frames.push({ type: bytes[at + 3] ?? -1, flags: bytes[at + 4] ?? 0, payload: bytes.subarray(at + 9, end) });
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
