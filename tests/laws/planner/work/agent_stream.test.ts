import { expect } from "bun:test";
import fc from "fast-check";
import { STREAM_KINDS } from "#planner/config/config.ts";
import { openAgentStream } from "#planner/work/agent_stream.ts";
import { law } from "../../../support/law.ts";

const LIMIT_BYTES = 64;

const text = fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "\n", "\r", "{", '"', " "), maxLength: 40 });
const type = fc.constantFrom(
  ...["assistant", "user", "system", "result", "message", "tool_use", "tool_call", "text", "error"],
  ...["item.started", "item.completed", "turn.failed", "turn.completed", "tool_result"],
);
const part = fc.record({ type: fc.constantFrom("text", "tool_use", "agent_message"), text, tool: text, name: text });
const event = fc.record({
  type,
  role: fc.constantFrom("assistant", "user"),
  content: text,
  delta: fc.boolean(),
  message: fc.record({ content: fc.array(part, { maxLength: 2 }) }),
  item: part,
  part,
  result: text,
  is_error: fc.boolean(),
});
const line = fc.oneof(
  event.map((value) => Buffer.from(JSON.stringify(value))),
  fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
  text.map((value) => Buffer.from(value)),
  fc.uint8Array({ maxLength: 100 }).map((value) => Buffer.from(value)),
);
const bytes = fc
  .array(line, { maxLength: 12 })
  .map((lines) => new Uint8Array(Buffer.concat(lines.flatMap((each) => [each, Buffer.from("\n")]))));

function readWhole(kind: (typeof STREAM_KINDS)[number], chunks: readonly Uint8Array[], limitBytes: number) {
  const stream = openAgentStream(kind, [], limitBytes);
  const lines = chunks.flatMap((chunk) => stream.push(chunk));
  const answer = stream.end();
  return { ...answer, lines: [...lines, ...answer.lines] };
}

function cut(whole: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [0, ...places.map((place) => place % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  // The reader may not keep a chunk: whoever reads reuses the memory.
  return at.slice(1).map((end, index) => whole.slice(at[index], end));
}

law(
  "openAgentStream answers the same however the bytes are cut",
  [
    fc.constantFrom(...STREAM_KINDS),
    bytes,
    fc.array(fc.nat(), { maxLength: 30 }),
    fc.constantFrom(LIMIT_BYTES, 10_000),
  ],
  (kind, whole, places, limit) => {
    expect(readWhole(kind, cut(whole, places), limit)).toEqual(readWhole(kind, [whole], limit));
  },
);

law("openAgentStream gives lines without line ends", [fc.constantFrom(...STREAM_KINDS), bytes], (kind, whole) => {
  for (const each of readWhole(kind, [whole], 10_000).lines) expect(each).not.toContain("\n");
});

law(
  "openAgentStream loses no text of an agent that prints plainly",
  [fc.array(text, { maxLength: 20 }), fc.constantFrom(LIMIT_BYTES, 10_000)],
  (lines, limit) => {
    const whole = lines.map((each) => `${each}\n`).join("");

    const { output } = readWhole("text", [new TextEncoder().encode(whole)], limit);

    expect(output).toBe(whole.replaceAll("\r\n", "\n"));
  },
);
