/**
 * An agent for tests: an MCP client that reaches `planner mcp` by the configuration it is given, and works by a plan.
 *
 *     bun tests/support/agent.ts <mcp_config>
 *
 * With `AGENT_PROVIDER`, the name of a row of the agents, it reads the configuration that this agent would read.
 *
 * `AGENT_PLAN` is JSON, a list of steps by spec id or under `*`:
 *
 * - `commit` writes `<spec id>.txt` and commits it; `write` only writes it; `append:<file>` adds a line
 * - `commit_all` commits whatever git shows; `tick` checks every criterion through the tools; `output:<text>` appends to the spec; `finalize` finalizes it
 * - `say:<text>`, `complain:<text>`: a line on standard output, on standard error; `say_prompt` prints the prompt
 * - `flood:<n>` prints n numbered lines; `event:<json>` prints a line as it is
 * - `meet:<n>` waits until n agents stand at this step; `need:<file>` fails unless the file is there
 * - `wait:<file>` waits until the file is there; `child` starts a process that outlives the agent; `deaf` ignores SIGTERM
 * - `family:<n>` starts n generations of processes that ignore SIGTERM, each child in a session of its own
 * - `hang` never ends; `exit:<status>` ends at once
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse as parseJson } from "jsonc-parser";
import { McpLines } from "./mcp_lines.ts";

const id = process.env["PLANNER_SPEC_ID"] ?? "";
const notes = process.env["AGENT_NOTES"] ?? "";
const plan = JSON.parse(process.env["AGENT_PLAN"] ?? "{}") as Record<string, readonly string[]>;
const children: ChildProcess[] = [];
let connected: McpLines | undefined;

/** A client of one line each: the official ones take most of an agent's time, and `mcp_clients.test.ts` drives every tool by them. */
async function tools(): Promise<McpLines> {
  if (connected !== undefined) return connected;
  const { command, args } = mcpServer(process.env["AGENT_PROVIDER"]);
  connected = new McpLines(process.cwd(), args, [command]);
  const clientInfo = { name: "test-agent", version: "1.0.0" };
  await connected.request("initialize", { protocolVersion: "2024-11-05", capabilities: {}, clientInfo });
  connected.send(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return connected;
}

interface Server {
  readonly command: string;
  readonly args: readonly string[];
}

/** How the agent that this one stands in for learns of the server: from its own file in the project, or its arguments. */
function mcpServer(provider = ""): { command: string; args: string[] } {
  if (provider === "codex") {
    const settings = process.argv.filter((_, index, all) => all[index - 1] === "-c");
    const value = (key: string) =>
      JSON.parse(settings.find((one) => one.startsWith(`mcp_servers.planner.${key}=`))?.replace(/^[^=]*=/, "") ?? "");
    return { command: value("command"), args: value("args") };
  }
  const own = provider === "opencode" ? process.env["OPENCODE_CONFIG"] : CONFIG_FILES[provider];
  const config = parseJson(readFileSync(own ?? process.argv[2] ?? "", "utf8"));
  const [command = "", ...args] =
    provider === "opencode" ? config.mcp.planner.command : words(config.mcpServers.planner);
  return { command, args };
}

const CONFIG_FILES: Readonly<Record<string, string>> = {
  "cursor-agent": ".cursor/mcp.json",
  gemini: ".gemini/settings.json",
  kiro: ".kiro/settings/mcp.json",
};

function words({ command, args }: Server): string[] {
  return [command, ...args];
}

async function call(name: string, args: Record<string, unknown>): Promise<string> {
  const { text, refused } = await (await tools()).tool(name, args);
  if (refused) throw new Error(`${name}: ${text}`);
  return text;
}

async function tick(): Promise<void> {
  const { body } = JSON.parse(await call("planner_spec_get", { id }));
  await call("planner_spec_update", { id, output: body.replaceAll("- [ ]", "- [x]"), replace_body: true });
}

function commit(): void {
  writeFileSync(`${id}.txt`, `the work of ${id}\n`);
  execFileSync("git", ["add", `${id}.txt`]);
  execFileSync("git", ["commit", "--quiet", "--allow-empty", "-m", `planner(${id}): do the work`]);
}

async function meet(count: number): Promise<void> {
  mkdirSync(join(notes, "meeting"), { recursive: true });
  writeFileSync(join(notes, "meeting", id), "");
  while (readdirSync(join(notes, "meeting")).length < count) await sleep(20);
}

async function waitFor(file: string): Promise<void> {
  while (!existsSync(join(notes, file))) await sleep(20);
}

async function flood(count: number): Promise<void> {
  for (let line = 0; line < count; line++) {
    const taken = process.stdout.write(`line ${line}\n`);
    if (!taken) await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
}

function child(): void {
  const started = spawn(process.execPath, ["-e", "setTimeout(() => {}, 600_000)"], { stdio: "ignore", detached: true });
  started.unref();
  children.push(started);
  if (notes !== "") appendFileSync(join(notes, "pids"), `${started.pid}\n`);
}

/** Resolves when the last of them has said its number. */
async function family(generations: number): Promise<void> {
  const script = `
    process.on("SIGTERM", () => {});
    require("node:fs").appendFileSync(process.env.AGENT_NOTES + "/pids", process.pid + "\\n");
    const left = Number(process.argv[1]) - 1;
    const args = ["-e", process.env.FAMILY, String(left)];
    if (left > 0) require("node:child_process").spawn(process.execPath, args, { stdio: "inherit", detached: true });
    else require("node:fs").writeFileSync(process.env.AGENT_NOTES + "/family", "");
    setInterval(() => {}, 60_000);`;
  const env = { ...process.env, FAMILY: script };
  spawn(process.execPath, ["-e", script, String(generations)], { env, stdio: "inherit", detached: true });
  await waitFor("family");
}

async function prompt(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin) text += chunk;
  return text;
}

const STEPS: Readonly<Record<string, (word: string) => unknown>> = {
  commit,
  commit_all: () => {
    writeFileSync(`${id}.txt`, `the work of ${id}\n`);
    execFileSync("git", ["add", "--all"]);
    execFileSync("git", ["commit", "--quiet", "--all", "-m", `planner(${id}): do the work`]);
  },
  append: (file) => appendFileSync(file, "// appended\n"),
  write: () => writeFileSync(`${id}.txt`, `the work of ${id}\n`),
  tick,
  output: (text) => call("planner_spec_update", { id, output: text }),
  finalize: () => call("planner_finalize", { id }),
  cancel: () => call("planner_cancel", { id }),
  say: (text) => process.stdout.write(`${text}\n`),
  say_prompt: async () => process.stdout.write(await prompt()),
  complain: (text) => process.stderr.write(`${text}\n`),
  flood: (count) => flood(Number(count)),
  event: (json) => process.stdout.write(`${json}\n`),
  meet: (count) => meet(Number(count)),
  need: (file) => {
    if (!existsSync(file.replace("$PLANNER_PROJECT", process.env["PLANNER_PROJECT"] ?? ""))) process.exit(9);
  },
  wait: waitFor,
  child,
  family: (generations) => family(Number(generations)),
  deaf: () => process.on("SIGTERM", () => {}),
  hang: () => new Promise(() => setInterval(() => {}, 60_000)),
  exit: (status) => process.exit(Number(status)),
};

if (notes !== "") {
  mkdirSync(notes, { recursive: true });
  appendFileSync(join(notes, "pids"), `${process.pid}\n`);
  writeFileSync(join(notes, "arguments"), `${process.argv.slice(2).join("\n")}\n`);
}
for (const step of plan[id] ?? plan["*"] ?? []) {
  const [name = "", ...rest] = step.split(":");
  const act = STEPS[name];
  if (act === undefined) throw new Error(`No such step: ${step}`);
  await act(rest.join(":"));
  if (notes !== "") appendFileSync(join(notes, "steps"), `${id} ${name}\n`);
}
await connected?.end();
process.exit(0);
