import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../support/planner_command.ts";

/** How a place starts the program, and where it may write. */
export interface Installed {
  /** The program and what starts it; words of the command follow. */
  readonly command: readonly string[];
  /** Working directory on this machine. */
  readonly folder: string;
  /** True if the command starts the program in a sandbox that does not pass signals on. */
  readonly sandboxed?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** Folder of its own for one check. */
export function emptyFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "planner-release-")));
}

/** Runs one command in a place and returns its standard output. @throws Error with its words when it fails */
export async function succeed(
  { command, folder, env = {} }: Installed,
  words: readonly string[],
  input = "",
): Promise<string> {
  const { code, stdout, stderr } = await runCommand([...command, ...words], { cwd: folder, input, env });
  if (code !== 0) throw new Error(`planner ${words.join(" ")} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

/** @throws Error unless it holds */
export function demand(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** init, add, list and lint in a new project. Returns what was run. */
export async function specCommands(installed: Installed): Promise<string> {
  const run = (words: readonly string[]) => succeed(installed, words);
  await run(["init", "--agent", "claude"]);
  await run(["add", "Refuse addresses that are not web pages"]);
  const { specs } = JSON.parse(await run(["list", "--json"]));
  demand(specs.length === 1, `list shows ${specs.length} specs: expected 1`);
  await run(["lint"]);
  return "init, add, list, lint";
}

/** The same and an MCP conversation. Returns what was run. */
export async function specJobs(installed: Installed, server: readonly string[] = ["mcp"]): Promise<string> {
  const commands = await specCommands(installed);
  const messages = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {} } },
    { jsonrpc: "2.0", id: 2, method: "tools/list" },
  ];
  const input = messages.map((message) => `${JSON.stringify(message)}\n`).join("");
  const lines = await succeed(installed, server, input);
  const tools = JSON.parse(lines.trim().split("\n")[1] ?? "{}").result.tools;
  demand(tools.length === 23, `mcp lists ${tools.length} tools: expected 23`);
  return `${commands}, mcp`;
}

/** A sample inventory, a picture, and a server asked by JSON, gRPC and a browser's first request. Returns what was run. */
export async function datacenterJobs(installed: Installed): Promise<string> {
  await succeed(installed, ["dc", "sample", "--db", "site.sqlite"]);
  await succeed(installed, ["dc", "render", "rack", "rack:A01", "--db", "site.sqlite", "-o", "a01.png"]);
  const png = readFileSync(join(installed.folder, "a01.png"));
  demand(png.subarray(1, 4).toString() === "PNG", "a01.png is not a PNG file");
  await withServer(installed, askServer);
  return "dc sample, render, serve, JSON, gRPC, console, SIGTERM";
}

/** Serves the inventory of `dc sample --db site.sqlite`. */
export const SERVE_SAMPLE = ["dc", "serve", "--port", "0", "--db", "site.sqlite"];

/** How a server is ended: by SIGTERM, after which it must end with status 0, or by SIGKILL. */
export type ServerEnd = "TERMINATED" | "KILLED";

/** Starts `dc serve` on a free port, asks it and ends it. */
export async function withServer(
  { command, folder, env = {}, sandboxed = false }: Installed,
  ask: (url: string) => Promise<void>,
  words: readonly string[] = SERVE_SAMPLE,
  end: ServerEnd = "TERMINATED",
): Promise<void> {
  const [program = "", ...args] = [...command, ...words];
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let line = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        line += text;
        const found = /Serving (\S+) from .*\n/.exec(line)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.on("error", reject);
      void ended.then((code) => reject(new Error(`the server ended with ${code}: ${stderr}`)));
    });
    await ask(url);
  } finally {
    if (end === "KILLED") child.kill("SIGKILL");
    else if (sandboxed && child.pid !== undefined) process.kill(innermost(child.pid), "SIGTERM");
    else child.kill("SIGTERM");
  }
  const code = await ended;
  demand(end === "KILLED" || code === 0, `the server ended with ${code} after SIGTERM: ${stderr}`);
}

/** The last of a chain of processes that have one child each. */
function innermost(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return child === undefined || child === "" ? pid : innermost(Number(child));
}

/** Asks for readiness, the console, a rack over Connect JSON, and the health service over gRPC. */
export async function askServer(url: string): Promise<void> {
  const base = url.replace("0.0.0.0", "127.0.0.1");
  demand((await fetch(new URL("/readyz", base))).status === 200, "/readyz is not 200");
  const page = await (await fetch(new URL("/", base), { headers: { accept: "text/html" } })).text();
  demand(page.includes("<title>"), "the console is no page");
  const reply = await fetch(new URL("/datacenter.v1.DatacenterService/GetRack", base), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: "A01" }),
  });
  const text = await reply.text();
  demand(reply.status === 200 && text.includes("A01"), `GetRack answered ${reply.status}: ${text.slice(0, 200)}`);
  demand((await grpcHealth(base)) === "0", "the health service over gRPC did not answer with status 0");
}

// One unary call by hand: an empty message in gRPC's frame of five bytes.
function grpcHealth(url: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const session = connect(url);
    session.on("error", reject);
    const stream = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      te: "trailers",
    });
    let status: string | undefined;
    stream.on("trailers", (trailers) => {
      status = String(trailers["grpc-status"]);
    });
    stream.on("error", reject);
    stream.on("end", () => {
      session.close();
      resolve(status);
    });
    stream.resume();
    stream.end(Buffer.alloc(5));
  });
}

/** A folder for a project that the installed program sees. */
export function projectFolder(home: string): string {
  const folder = join(home, "project");
  mkdirSync(folder);
  return folder;
}
