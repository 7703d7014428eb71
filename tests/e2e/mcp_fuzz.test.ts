import { expect, test } from "bun:test";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { PLANNER } from "../support/planner_command.ts";
import { tempProject } from "../support/temp_project.ts";

const LINES = 10_000;

/** The same numbers each time, so that a failure can be looked at: mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const WORDS: readonly unknown[] = [
  "2.0",
  "1.0",
  "ping",
  "initialize",
  "tools/list",
  "tools/call",
  "notifications/cancelled",
  "server/discover",
  "subscriptions/listen",
  "planner_status",
  "planner_spec_get",
  "planner_spec_list",
  "planner_search",
  "planner_log",
  "planner_verify",
  "2026-11-01-001-aaa",
  "aaa",
  "",
  "\u0000",
  "\ud800",
  "__proto__",
  "constructor",
  0,
  -1,
  1.5,
  1e308,
  50,
  true,
  false,
  null,
  [],
  {},
  "2026-07-28",
];
const KEYS = [
  "jsonrpc",
  "id",
  "method",
  "params",
  "name",
  "arguments",
  "_meta",
  "cursor",
  "requestId",
  "result",
  "error",
  "limit",
  "query",
  "lines",
  "offset",
  "since",
  "status",
  "__proto__",
  "io.modelcontextprotocol/protocolVersion",
  "notifications",
];

/** A line of bytes without a newline: noise, broken JSON, odd JSON or a message with odd members. */
function line(random: () => number): Uint8Array {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const value = (depth: number): unknown => {
    const kind = random();
    if (depth === 0 || kind < 0.6) return pick(WORDS);
    const size = Math.floor(random() * 4);
    if (kind < 0.7) return Array.from({ length: size }, () => value(depth - 1));
    return Object.fromEntries(Array.from({ length: size }, () => [pick(KEYS), value(depth - 1)]));
  };
  const message = () => {
    const odd = Object.fromEntries(Array.from({ length: 3 }, () => [pick(KEYS), value(3)]));
    const params = { name: pick(WORDS.slice(9, 15)), arguments: value(2), ...(random() < 0.3 ? odd : {}) };
    const usual = { jsonrpc: "2.0", id: pick(WORDS), method: pick(WORDS.slice(2, 9)), params };
    return random() < 0.5 ? { ...usual, ...odd } : usual;
  };
  const kind = random();
  if (kind < 0.2) {
    const noise = Uint8Array.from({ length: Math.floor(random() * 80) }, () => Math.floor(random() * 256));
    return noise.filter((byte) => byte !== 10);
  }
  const text = JSON.stringify(kind < 0.9 ? message() : [message(), value(2), message()]);
  if (kind < 0.4) return Buffer.from(text.slice(0, Math.floor(random() * text.length)));
  return Buffer.from(text);
}

test(`${LINES.toLocaleString("en")} random lines leave the server standing and in step`, async () => {
  using project = tempProject();
  project.spec("2026-11-01-001-aaa", "---\nstatus: pending\n---\n\n# First\n\n- [ ] One\n");
  const server = new LinesOfProcess([...PLANNER, "mcp"], project.root);
  const random = randomOf(20261121);

  for (let count = 0; count < LINES; count += 1) server.send(Buffer.concat([line(random), Buffer.from("\n")]));
  // No random line has this id, so its answer shows that everything before was taken.
  server.call("good", "planner_spec_get", { id: "aaa" });
  const { lines, code, stderr } = await server.end();

  const answers = lines.map((each) => JSON.parse(each));
  const good = answers.filter(({ id }) => id === "good");
  expect(good).toMatchObject([{ result: { content: [{ text: expect.stringContaining("# First") }] } }]);
  expect(answers.length).toBeGreaterThan(LINES / 3);
  // Odd input is refused; a defect would be -32603 and a stack on stderr.
  expect(answers.flat().filter(({ error }) => error?.code === -32603)).toEqual([]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});
