import { CHECK_COMMAND } from "#planner/output/checker/messages.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { print, printError } from "./output/print.ts";
import { formatVersion, getBuildFacts } from "./version.ts";

/** Runs the command line and sets the process's exit status; never rejects. */
export async function main(words: readonly string[]): Promise<void> {
  try {
    await runProgramArguments(words);
  } catch (error) {
    // Libraries read environment variables while they are loaded, which Deno may refuse.
    if (!(error instanceof Error) || error.name !== "NotCapable") throw error;
    printError(`error: Deno refused: ${error.message}\n`);
    process.exitCode = EXIT_STATUS.refused;
  }
}

async function runProgramArguments(words: readonly string[]): Promise<void> {
  const [first] = words;
  if (words.length === 1 && (first === "--version" || first === "-V")) {
    print(formatVersion());
    return;
  }
  if (words.length === 2 && words.includes("--json") && words.some((word) => word === "--version" || word === "-V")) {
    print(`${JSON.stringify(getBuildFacts(), null, 2)}\n`);
    return;
  }
  if (first === CHECK_COMMAND) {
    const { serveChecks } = await import("#planner/output/checker/check_server.ts");
    await serveChecks({ parent: Number(words[1]), input: process.stdin.setEncoding("utf8"), writeLine: print });
    return;
  }
  // All other modules are loaded after the version check, because many programs run `--version` only to detect
  // planner.
  const { runWords } = await import("./commands.ts");
  await runWords(words);
}
