import { expect, test } from "bun:test";
import { once } from "node:events";
import { emptyFolder, sampleDatabase } from "../support/dc_server.ts";
import { FUZZ_LIMIT_MS, FUZZ_SEED, fuzzRounds } from "../support/fuzz_input.ts";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { PLANNER } from "../support/planner_command.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { tempProject } from "../support/temp_project.ts";

/** Lines in the gate; PLANNER_FUZZ_MINUTES for longer runs. Those of the datacenter draw pictures and read tables. */
const LINES = 10_000;
const DC_LINES = 300;

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
  "device:UPS-A1",
  "floor:AMS1/1",
  "RENDER_FORMAT_PNG",
];
const METHODS = WORDS.slice(2, 9);
const SPEC_TOOLS = "status spec_get spec_list search log verify".split(" ").map((name) => `planner_${name}`);
const DC_TOOLS = (
  "power_blast_radius trace_cable_path get_rack thermal_headroom fabric_topology floor_plan search_devices " +
  "get_device get_port render"
).split(" ");
const KEYS = (
  "jsonrpc id method params name arguments _meta cursor requestId result error limit query lines offset since " +
  "status __proto__ io.modelcontextprotocol/protocolVersion notifications code source_ref port_ref scope_ref " +
  "floor_ref subject_ref format"
).split(" ");

/** A line of bytes without a newline: noise, broken JSON, odd JSON or a message with odd members. */
function line(random: SeededRandom, tools: readonly string[]): Uint8Array {
  const value = (depth: number): unknown => {
    const kind = random.next();
    if (depth === 0 || kind < 0.6) return random.pick(WORDS);
    const size = random.below(4);
    if (kind < 0.7) return Array.from({ length: size }, () => value(depth - 1));
    return Object.fromEntries(Array.from({ length: size }, () => [random.pick(KEYS), value(depth - 1)]));
  };
  const message = () => {
    const odd = Object.fromEntries(Array.from({ length: 3 }, () => [random.pick(KEYS), value(3)]));
    const params = { name: random.pick(tools), arguments: value(2), ...(random.next() < 0.3 ? odd : {}) };
    const usual = { jsonrpc: "2.0", id: random.pick(WORDS), method: random.pick(METHODS), params };
    return random.next() < 0.5 ? { ...usual, ...odd } : usual;
  };
  const kind = random.next();
  if (kind < 0.2) {
    const noise = Uint8Array.from({ length: random.below(80) }, () => random.below(256));
    return noise.filter((byte) => byte !== 10);
  }
  const text = JSON.stringify(kind < 0.9 ? message() : [message(), value(2), message()]);
  if (kind < 0.4) return Buffer.from(text.slice(0, random.below(text.length)));
  return Buffer.from(text);
}

/** Sends random lines as fast as they are read, and last a call whose answer shows that all were read. */
async function send(
  server: LinesOfProcess,
  tools: readonly string[],
  count: number,
  [tool, args]: readonly [string, object],
) {
  const random = new SeededRandom(FUZZ_SEED);
  for (const _ of fuzzRounds(count)) {
    server.send(Buffer.concat([line(random, tools), Buffer.from("\n")]));
    if (server.child.stdin.writableNeedDrain) await once(server.child.stdin, "drain");
  }
  server.call("good", tool, args);
  const { lines, code, stderr } = await server.end();
  const answers = lines.map((each) => JSON.parse(each));
  // Odd input is refused; a defect would be -32603 and a stack on stderr.
  expect({ seed: FUZZ_SEED, defects: answers.flat().filter(({ error }) => error?.code === -32603) }).toEqual({
    seed: FUZZ_SEED,
    defects: [],
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return answers;
}

test(
  "random lines leave planner mcp running and in step",
  async () => {
    using project = tempProject();
    project.spec("2026-11-01-001-aaa", "---\nstatus: pending\n---\n\n# First\n\n- [ ] One\n");
    const server = new LinesOfProcess([...PLANNER, "mcp"], project.root);

    const answers = await send(server, SPEC_TOOLS, LINES, ["planner_spec_get", { id: "aaa" }]);

    const good = answers.filter(({ id }) => id === "good");
    expect(good).toMatchObject([{ result: { content: [{ text: expect.stringContaining("# First") }] } }]);
    expect(answers.length).toBeGreaterThan(LINES / 3);
  },
  FUZZ_LIMIT_MS,
);

test(
  "random lines leave planner dc mcp running and in step",
  async () => {
    const cwd = emptyFolder();
    await sampleDatabase(cwd);
    const server = new LinesOfProcess([...PLANNER, "dc", "mcp"], cwd);

    const answers = await send(server, DC_TOOLS, DC_LINES, ["get_rack", { code: "A08" }]);

    const good = answers.filter(({ id }) => id === "good");
    expect(good).toMatchObject([{ result: { content: [{ text: expect.stringContaining("A08") }] } }]);
    expect(answers.length).toBeGreaterThan(DC_LINES / 3);
  },
  FUZZ_LIMIT_MS,
);
