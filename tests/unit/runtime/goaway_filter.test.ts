import { expect } from "bun:test";
import fc from "fast-check";
import { GoawayFilter } from "#runtime/one_port.ts";
import { law } from "../../support/law.ts";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

function frame(type: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  return Buffer.concat([header, payload]);
}

const frames = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.uint8Array({ maxLength: 40 })));

law(
  "GoawayFilter leaves out exactly the GOAWAY frames, however the bytes are cut",
  [frames, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 })],
  (sent, cuts) => {
    const bytes = Buffer.concat([PREFACE, ...sent.map(([type, payload]) => frame(type, payload))]);
    const filter = new GoawayFilter();

    const kept: Buffer[] = [];
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const length = cuts[turn % cuts.length] ?? 1;
      kept.push(...filter.filterChunk(bytes.subarray(at, at + length)));
      at += length;
    }

    const others = sent.filter(([type]) => type !== 7).map(([type, payload]) => frame(type, payload));
    expect(Buffer.concat(kept)).toEqual(Buffer.concat([PREFACE, ...others]));
  },
);
