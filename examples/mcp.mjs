/**
 * The main job on real input: an MCP client starts `dist/planner mcp` in a copy of `examples/shortener` and works a
 * spec from "what is ready?" to "completed", as a coding agent does. Run it with `npm run example:mcp`.
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
const planner = resolve(here, "..", "dist", process.platform === "win32" ? "planner.exe" : "planner");
const root = mkdtempSync(join(tmpdir(), "planner-example-"));
cpSync(join(here, "shortener"), root, { recursive: true });

const server = spawn(planner, ["mcp"], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
let lastId = 0;

async function request(method, params) {
  lastId += 1;
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: lastId, method, params })}\n`);
  const { value, done } = await answers.next();
  if (done) throw new Error(`The server ended before it answered ${method}`);
  const { result, error } = JSON.parse(value);
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

async function tool(name, args = {}) {
  const { content, isError } = await request("tools/call", { name, arguments: args });
  const text = content[0].text;
  console.log(`\n${isError ? "refused " : ""}${name} ${JSON.stringify(args)}\n  ${text.replaceAll("\n", "\n  ")}`);
  return { text, refused: isError === true };
}

function expect(condition, what) {
  if (!condition) throw new Error(`The example did not go as told: ${what}`);
}

try {
  const { serverInfo } = await request("initialize", { protocolVersion: "2024-11-05", capabilities: {} });
  const { tools } = await request("tools/list");
  console.log(`${serverInfo.name} ${serverInfo.version} answers with ${tools.length} tools`);

  await tool("planner_status", { brief: true });
  const ready = JSON.parse((await tool("planner_ready")).text);
  const { id } = ready.specs[0];
  await tool("planner_spec_get", { id });
  await tool("planner_spec_update", { id, status: "in_progress" });
  expect((await tool("planner_finalize", { id })).refused, "open criteria must keep a spec from being finalized");

  // The agent's own part: it does the work and ticks what it has proven.
  const { body } = JSON.parse((await tool("planner_spec_get", { id })).text);
  const done = body.replaceAll("- [ ]", "- [x]");
  await tool("planner_spec_update", { id, output: done, replace_body: true });
  await tool("planner_verify", { id });
  await tool("planner_finalize", { id });
  await tool("planner_add", { description: "Count how often each code is used" });
  await tool("planner_search", { query: "address" });
  await tool("planner_archive", { id });
  await tool("planner_lint");
  const after = JSON.parse((await tool("planner_status")).text);
  expect(after.total === 4, "one spec was added to four and one was archived");

  const archived = readFileSync(join(root, ".planner", "archive", id.slice(0, 10), `${id}.md`), "utf8");
  console.log(`\nThe archived file, its comments as they were:\n${archived.replace(/^/gm, "  ")}`);
  const lint = spawnSync(planner, ["lint"], { cwd: root, encoding: "utf8" });
  console.log(`planner lint ended with status ${lint.status}:\n${lint.stdout.replace(/^/gm, "  ")}`);
  console.log("Every call ended as expected.");
} finally {
  server.stdin.end();
  rmSync(root, { recursive: true, force: true });
}
