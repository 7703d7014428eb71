import { isatty } from "node:tty";
import type { ServerDescription } from "#interfaces/mcp/messages.ts";
import { McpServer } from "#interfaces/mcp/server.ts";
import type { StderrWriter } from "#interfaces/mcp/stdout_guard.ts";
import type { ToolSet } from "#interfaces/mcp/tool_set.ts";
import { setNoticeListener } from "#kernel/notices.ts";
import { getStandardOutput, openStandardInput } from "#runtime/standard_streams.ts";
import { EXIT_STATUS, type ExitStatus, endProcess } from "./exit_status.ts";

const EXIT_STATUS_BY_SIGNAL = { SIGINT: EXIT_STATUS.interrupted, SIGTERM: EXIT_STATUS.terminated } as const;

interface ServeStdioOptions extends ServerDescription {
  /** Loads the tools and their modules. The server calls it after its first reply, to send that without delay. */
  readonly loadTools: (log: (text: string) => void) => Promise<ToolSet>;
}

/**
 * Serves tools as MCP on standard input and output, then ends the process: with status 0 if every request was answered
 * or the output was closed, with the signal's status if SIGTERM or SIGINT ended calls early.
 */
export async function serveStdio({ loadTools, ...words }: ServeStdioOptions): Promise<never> {
  const stop = new AbortController();
  let stoppedBy: keyof typeof EXIT_STATUS_BY_SIGNAL | undefined;
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      stoppedBy ??= name;
      stop.abort();
    });
  }
  if (isatty(0)) writeLog("an agent starts this server and writes its requests; Ctrl-D ends it");
  const output = getStandardOutput();
  const server = new McpServer({
    ...words,
    input: openStandardInput(),
    output,
    log: writeLog,
    loadTools: async () => {
      await guardStdoutOnce(() => output.holdStream());
      setNoticeListener(writeLog);
      return loadTools(writeLog);
    },
  });
  process.on("uncaughtException", (error) => server.reportStrayFailure(error));
  process.on("unhandledRejection", (reason) => server.reportStrayFailure(reason));
  const ending = await server.serve(stop.signal);
  await (await stderrWriter)?.drain();
  const status: ExitStatus = ending === "cut_off" ? EXIT_STATUS_BY_SIGNAL[stoppedBy ?? "SIGTERM"] : EXIT_STATUS.ok;
  return endProcess(status);
}

let stderrWriter: Promise<StderrWriter> | undefined;
let isStdoutGuarded = false;

// Standard error is opened on demand, because most servers write nothing to it.
function openStderrWriter(): Promise<StderrWriter> {
  stderrWriter ??= import("#interfaces/mcp/stdout_guard.ts").then((module) => new module.StderrWriter());
  return stderrWriter;
}

async function guardStdoutOnce(holdOutput: () => void): Promise<void> {
  if (isStdoutGuarded) return;
  isStdoutGuarded = true;
  const [{ guardStandardOutput }, opened] = await Promise.all([
    import("#interfaces/mcp/stdout_guard.ts"),
    openStderrWriter(),
  ]);
  holdOutput();
  guardStandardOutput(opened);
}

/** Writes a message to the log, outside the protocol. */
function writeLog(text: string): void {
  void openStderrWriter().then((opened) => opened.writeUnlessFull(`planner mcp: ${text}\n`));
}
