import { CHECK_COMMAND } from "#planner/output/checker/check_command.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { print, printError } from "./output/print.ts";
import { buildFacts, versionLine } from "./version.ts";

/** Runs the command line and sets the process's exit status; never rejects. */
export async function main(words: readonly string[]): Promise<void> {
  try {
    await runWords(words);
  } catch (error) {
    // Libraries read the environment as they are loaded, which Deno may refuse.
    if (!(error instanceof Error) || error.name !== "NotCapable") throw error;
    printError(`error: Deno refused: ${error.message}\n`);
    process.exitCode = EXIT_STATUS.refused;
  }
}

async function runWords(words: readonly string[]): Promise<void> {
  const [first] = words;
  if (words.length === 1 && (first === "--version" || first === "-V")) {
    print(versionLine());
    return;
  }
  if (words.length === 2 && words.includes("--json") && words.some((word) => word === "--version" || word === "-V")) {
    print(`${JSON.stringify(buildFacts(), null, 2)}\n`);
    return;
  }
  if (first === "mcp") {
    // A client waits for the greeting, so servers start without the command table; odd words go the usual way.
    const { plainMcpWords, serveMcp } = await import("./serve_mcp.ts");
    const options = plainMcpWords(words.slice(1));
    if (options !== undefined) return serveMcp(options);
  }
  if (first === "dc" && words[1] === "mcp") {
    const { plainDcMcpWords, serveDcMcp } = await import("./dc/mcp.ts");
    const options = plainDcMcpWords(words.slice(2), process.cwd());
    if (options !== undefined) return serveDcMcp(options);
  }
  if (first === CHECK_COMMAND) {
    const { serveChecks } = await import("#planner/output/checker/check_server.ts");
    await serveChecks({ parent: Number(words[1]), input: process.stdin.setEncoding("utf8"), write: print });
    return;
  }
  // Everything else is loaded behind the version, which many programs ask for just to see whether planner is there.
  const { dispatch } = await import("./dispatch.ts");
  process.exitCode = await dispatch(words);
}
