import { describe, expect, test } from "bun:test";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { PLANNER } from "../support/planner_command.ts";
import { type TempProject, tempProject } from "../support/temp_project.ts";

const ID = "2026-11-01-001-aaa";

function project(body = ""): TempProject {
  const made = tempProject();
  made.spec(ID, `---\nstatus: pending\n---\n\n# First\n${body}`);
  return made;
}

function start({ root }: TempProject): LinesOfProcess {
  return new LinesOfProcess([...PLANNER, "mcp"], root);
}

function ids(lines: readonly string[]): unknown[] {
  return lines.map((line) => JSON.parse(line).id);
}

describe("standard input", () => {
  test("carries a line of 5 MiB", async () => {
    using folder = project();
    const server = start(folder);
    // The newlines are escaped on the line, so that the text itself stays below the largest spec.
    const output = "x\n".repeat((5 * 1024 * 1024) / 3);

    server.call(1, "planner_spec_update", { id: ID, output });
    server.call(2, "planner_spec_get", { id: ID });
    const { lines, code } = await server.end();

    expect(ids(lines)).toEqual([1, 2]);
    expect(lines.map((line) => JSON.parse(line).result.isError)).toEqual([undefined, undefined]);
    expect((lines[1] ?? "").length).toBeGreaterThan(5 * 1024 * 1024);
    expect(folder.read(`.planner/specs/${ID}.md`)).toEndWith(`\n## Output\n\n${output}`);
    expect(code).toBe(0);
  });

  test("stays in step behind a line of 64 MiB", async () => {
    using folder = project();
    const server = start(folder);
    const piece = Buffer.alloc(1024 * 1024, "x");

    for (let sent = 0; sent < 64; sent += 1) server.send(piece);
    server.send("\n");
    server.request(1, "ping");
    const { lines } = await server.end();

    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { jsonrpc: "2.0", id: null, error: { code: -32700, message: expect.stringMatching(/^Parse error: /) } },
      { jsonrpc: "2.0", id: 1, result: {} },
    ]);
  });

  test("may be cut anywhere, end lines with CRLF and begin with a byte-order mark", async () => {
    using folder = project();
    const server = start(folder);
    const bytes = Buffer.from(
      '\ufeff{"jsonrpc":"2.0","id":"\u20ac\ud83d\ude00","method":"ping"}\r\n\r\n{"jsonrpc":"2.0","id":2,"method":"ping"}\r\n',
    );

    for (const byte of bytes) {
      server.send(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { lines } = await server.end();

    expect(ids(lines)).toEqual(["\u20ac\ud83d\ude00", 2]);
  });

  test("is answered to its end, the last line without a newline included", async () => {
    using folder = project();
    const server = start(folder);

    for (let id = 0; id < 50; id += 1) server.call(id, "planner_lint");
    server.send('{"jsonrpc":"2.0","id":"last","method":"ping"}');
    const { lines, code, stderr } = await server.end();

    expect(new Set(ids(lines))).toEqual(new Set([...Array(50).keys(), "last"]));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});

describe("10,000 pipelined requests", () => {
  test("of every ordinary kind are answered in order", async () => {
    using folder = project();
    const server = start(folder);
    const kinds = [
      { method: "ping" },
      { method: "tools/call", params: { name: "planner_spec_get", arguments: { id: ID } } },
      { method: "nothing" },
      { method: "tools/call", params: { name: "planner_spec_list", arguments: {} } },
      { method: "tools/call", params: { name: "planner_status", arguments: {} } },
    ];

    for (let id = 0; id < 10_000; id += 1) {
      server.send(`${JSON.stringify({ jsonrpc: "2.0", id, ...kinds[id % kinds.length] })}\n`);
    }
    const { lines, code } = await server.end();

    expect(ids(lines)).toEqual([...Array(10_000).keys()]);
    expect(code).toBe(0);
  });

  test("that change one spec take effect in order", async () => {
    using folder = project();
    const server = start(folder);
    const count = 200;

    for (let id = 0; id < count; id += 1) {
      // Three names of one spec, so that its order cannot hang on how it is named.
      const name = [ID, "aaa", "001-aaa"][id % 3];
      server.call(id, "planner_spec_update", { id: name, labels: [`label-${id}`], status: "in_progress" });
      server.call(`get ${id}`, "planner_spec_get", { id: name });
    }
    const { lines } = await server.end();

    const seen = lines.map((line) => JSON.parse(line)).filter(({ id }) => String(id).startsWith("get"));
    const labels = seen.map(({ result }) => JSON.parse(result.content[0].text).labels);
    expect(labels).toEqual(Array.from({ length: count }, (_, id) => [`label-${id}`]));
  });
});

describe("standard output", () => {
  test("is whole when megabytes of answers are read slowly", async () => {
    using folder = project(`${"A line of the body that is repeated.\n".repeat(3000)}`);
    const server = start(folder);
    const { stdout } = server.child;
    stdout.on("data", () => {
      stdout.pause();
      setTimeout(() => stdout.resume(), 1);
    });

    for (let id = 0; id < 100; id += 1) server.call(id, "planner_spec_get", { id: ID });
    const { lines, code } = await server.end();

    expect(ids(lines)).toEqual([...Array(100).keys()]);
    expect(lines.every((line) => line.length > 100_000)).toBe(true);
    expect(code).toBe(0);
  });

  test("that is closed ends the server quietly", async () => {
    using folder = project();
    const server = start(folder);

    server.request(1, "ping");
    await server.next();
    server.child.stdout.destroy();
    for (let id = 0; id < 100; id += 1) server.request(id, "tools/list");

    const { code, signal, stderr } = await server.ended;
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: "" });
  });
});

test.each(["SIGTERM", "SIGINT"] as const)("%s ends the server with status 0 when nothing runs", async (signal) => {
  using folder = project();
  const server = start(folder);

  server.call(1, "planner_status");
  await server.next();
  server.child.kill(signal);

  expect((await server.ended).code).toBe(0);
});
