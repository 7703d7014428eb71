import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { LinesOfProcess } from "../../../support/lines_of_process.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..", "..");
const SERVER = join(ROOT, "tests", "support", "scripts", "mcp_test_server.ts");

// The two engines differ most in their streams and in what they do with stray failures.
const ENGINES: readonly (readonly [string, readonly string[]])[] = [
  ["Bun", [process.execPath, SERVER]],
  ["Deno", [join(ROOT, "node_modules", ".bin", "deno"), "run", "--quiet", "--allow-all", "--no-check", SERVER]],
];

describe.each(ENGINES)("a server on the streams of a %s process", (name, command) => {
  const start = (): LinesOfProcess => new LinesOfProcess(command, ROOT);

  test("lets nothing but protocol lines out, whatever a tool prints", async () => {
    const server = start();

    server.call(1, "print");
    server.call(2, "echo");
    const { lines, stderr, code } = await server.end();

    expect(lines.map((line) => JSON.parse(line).id)).toEqual([1, 2]);
    expect(stderr).toContain("console.log noise");
    expect(stderr).toContain("process.stdout noise");
    expect(stderr).toContain("the end of noise");
    expect(code).toBe(0);
  });

  // Deno writes to standard error and waits; there is no other way there.
  test.skipIf(name === "Deno")("answers although nobody reads what is said on standard error", async () => {
    const server = start();
    server.child.stderr.pause();

    for (let id = 0; id < 8; id += 1) server.call(id, "print_much");
    server.call("last", "echo");
    for (let id = 0; id < 8; id += 1) expect(await server.next()).toMatchObject({ id });
    expect(await server.next()).toMatchObject({ id: "last" });
    server.child.stderr.resume();
    const { stderr } = await server.end();

    // The first print is whole; what came on top of a mebibyte that nobody read is gone.
    expect(stderr.length).toBeGreaterThan(1024 * 1024);
    expect(stderr.length).toBeLessThan(4 * 1024 * 1024);
  });

  test.each(["throw_later", "reject_alone"])("answers -32603 after %s and goes on", async (tool) => {
    const server = start();

    server.call(1, tool);
    server.call(2, "echo", { a: 1 });
    const { lines, stderr, code } = await server.end();

    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { id: 1, error: { code: -32603, message: "Server error" } },
      { id: 2, result: { content: [{ text: '{"a":1}' }] } },
    ]);
    expect(stderr).toContain("thrown where nobody catches");
    expect(code).toBe(0);
  });

  // Deno does not keep the context of a timer that throws, so there every running call is answered.
  test.skipIf(name === "Deno")("blames a stray failure on the call that it came from", async () => {
    const server = start();

    server.call("innocent", "slow_wait");
    server.call("guilty", "slow_throw_later");
    const answers = [await server.next(), await server.next()];
    await server.end();

    expect(answers).toMatchObject([
      { id: "guilty", error: { code: -32603 } },
      { id: "innocent", result: { content: [{ text: "slow_wait done" }] } },
    ]);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("ends on %s with status %i when a call had to be cut off", async (signal, status) => {
    const server = start();

    server.call(1, "slow_hang");
    server.request(2, "ping");
    await server.next();
    server.child.kill(signal);

    expect((await server.ended).code).toBe(status);
  });

  test("ends on SIGTERM while nobody reads a long answer", async () => {
    const server = start();

    server.request(1, "ping");
    await server.next();
    server.child.stdout.pause();
    server.call(2, "big", { size: 5 * 1024 * 1024 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    server.child.kill("SIGTERM");
    const exit = new Promise((resolve) => server.child.on("exit", resolve));

    expect(await exit).toBe(143);
    server.child.stdout.resume();
    await server.ended;
  });
});
