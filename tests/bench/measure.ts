import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Milliseconds of processor time of this process that some work takes. */
export async function usedMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Does some work, and prints wall-clock time and the processor time of this process. */
export async function timed(name: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  const used = await usedMs(work);
  process.stdout.write(`${name}: ${Math.round(performance.now() - began)} ms, processor ${Math.round(used)} ms\n`);
}

/** Milliseconds from spawn to exit, output thrown away. */
export function timeCommand(command: readonly string[], cwd: string): number {
  const [program = "", ...args] = command;
  const started = performance.now();
  const { error } = spawnSync(program, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  if (error !== undefined) throw error;
  return performance.now() - started;
}

/** Runs the commands in turn (A B A B …), so that a change of the machine's speed meets all alike; medians in ms. */
export function timeInTurn(commands: readonly (readonly string[])[], cwd: string, runs: number): number[] {
  const times = commands.map((): number[] => []);
  for (const command of commands) timeCommand(command, cwd);
  for (let run = 0; run < runs; run++) {
    for (const [index, command] of commands.entries()) times[index]?.push(timeCommand(command, cwd));
  }
  return times.map(median);
}

/** Compiles a program of a few lines with the same runtime: the floor that no command can beat. */
export function floorBinary(name: string, source: string): string {
  const folder = mkdtempSync(join(tmpdir(), "planner-floor-"));
  writeFileSync(join(folder, `${name}.ts`), source);
  const out = join(folder, name);
  const { status, stderr } = spawnSync(
    "bun",
    ["build", "--compile", "--minify", "--bytecode", "--format=esm", `${join(folder, `${name}.ts`)}`, "--outfile", out],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
  return out;
}

/** One pass of readFile over every spec of the project in the working directory. */
export const READ_FILES = `
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
let size = 0;
const folder = ".planner/specs/";
for (const name of readdirSync(folder)) size += (await readFile(folder + name, "utf8")).length;
console.log(size);
`;

/** A spawned MCP server and the time from spawn to the answer of \`initialize\`, in ms. */
export class McpSession {
  readonly #child;
  readonly #waiting: ((line: string) => void)[] = [];
  #rest = "";
  #id = 0;

  constructor(command: readonly string[], cwd: string) {
    const [program = "", ...args] = command;
    this.#child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
    this.#child.stdout.setEncoding("utf8");
    this.#child.stdout.on("data", (chunk: string) => {
      const lines = (this.#rest + chunk).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) this.#waiting.shift()?.(line);
    });
  }

  request(method: string, params: unknown): Promise<{ result?: { content?: { text: string }[]; isError?: boolean } }> {
    this.#id += 1;
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: this.#id, method, params })}\n`);
    return new Promise((resolve) => this.#waiting.push((line) => resolve(JSON.parse(line))));
  }

  async timeTool(name: string, args: unknown): Promise<number> {
    const started = performance.now();
    const { result } = await this.request("tools/call", { name, arguments: args });
    if (result === undefined || result.isError === true) throw new Error(`${name}: ${JSON.stringify(result)}`);
    return performance.now() - started;
  }

  /** Resident memory in MiB (Linux). */
  memoryMib(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  end(): Promise<void> {
    return new Promise((resolve) => {
      this.#child.on("close", () => resolve());
      this.#child.stdin.end();
    });
  }
}

export async function timeInitialize(command: readonly string[], cwd: string): Promise<number> {
  const started = performance.now();
  const session = new McpSession(command, cwd);
  await session.request("initialize", { protocolVersion: "2024-11-05", capabilities: {} });
  const time = performance.now() - started;
  await session.end();
  return time;
}
