import { statSync } from "node:fs";
import { resolve } from "node:path";
import { McpServer } from "#interfaces/mcp/server.ts";
import type { ToolSet } from "#interfaces/mcp/tool_set.ts";
import { standardInput, standardOutput } from "#runtime/standard_streams.ts";
import { EXIT_STATUS, type ExitStatus, endProcess } from "./exit_status.ts";

/** Who the server says it is. Source: contract, Versioning; the tools' contract has its own version. */
const SERVER_INFO = { name: "planner", version: "0.1.0" } as const;

const STATUS_OF_SIGNAL = { SIGINT: EXIT_STATUS.interrupted, SIGTERM: EXIT_STATUS.terminated } as const;

type StopSignal = keyof typeof STATUS_OF_SIGNAL;

export interface ServeMcpOptions {
  /** The project's folder as it was given, or undefined when it is to be looked for around the working directory. */
  readonly root: string | undefined;
}

/** What the words behind `planner mcp` ask for, or undefined when they are anything but none or one `--root`. */
export function plainMcpWords(words: readonly string[]): ServeMcpOptions | undefined {
  const [first, second] = words;
  if (first === undefined) return { root: undefined };
  if (words.length === 1 && /^--root=./.test(first)) return { root: first.slice("--root=".length) };
  const plain = words.length === 2 && first === "--root" && second !== undefined && /^[^-]/.test(second);
  return plain ? { root: second } : undefined;
}

/**
 * Serves the planner's tools on standard input and output, then ends the process: with status 0 when every request was
 * answered or nobody reads any more, with the signal's status when SIGTERM or SIGINT cut calls off.
 */
export async function serveMcp({ root }: ServeMcpOptions): Promise<never> {
  const stop = new AbortController();
  const stopped: { by?: StopSignal } = {};
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      stopped.by ??= name;
      stop.abort();
    });
  }
  const output = standardOutput();
  const server = new McpServer({
    info: SERVER_INFO,
    input: standardInput(),
    output,
    loadTools: () => loadTools(root, () => output.hold()),
    log,
  });
  process.on("uncaughtException", (error) => server.blame(error));
  process.on("unhandledRejection", (reason) => server.blame(reason));
  const ending = await server.serve(stop.signal);
  const status: ExitStatus =
    ending === "cut_off" && stopped.by !== undefined ? STATUS_OF_SIGNAL[stopped.by] : EXIT_STATUS.ok;
  return endProcess(status);
}

// The greeting needs none of this, so it is loaded behind it.
async function loadTools(root: string | undefined, holdOutput: () => void): Promise<ToolSet> {
  const { guardStandardOutput } = await import("#interfaces/mcp/stdout_guard.ts");
  holdOutput();
  guardStandardOutput();
  const [{ plannerTools }, { openPlanner }] = await Promise.all([
    import("#interfaces/mcp/planner_tools.ts"),
    import("./compose.ts"),
  ]);
  const cwd = process.cwd();
  if (root !== undefined && statSync(resolve(cwd, root), { throwIfNoEntry: false })?.isDirectory() !== true) {
    log(`Cannot find the project's folder "${root}" yet`);
  }
  return plannerTools(() => openPlanner({ cwd, watch: true, ...(root === undefined ? {} : { root }) }));
}

let stderrIsSafe = false;

// Not the waiting writer of the commands: a client that never reads standard error must not stop the server.
function log(text: string): void {
  const { stderr } = process;
  if (!stderrIsSafe) stderr.on("error", () => {});
  stderrIsSafe = true;
  stderr.write(`planner mcp: ${text}\n`);
}
