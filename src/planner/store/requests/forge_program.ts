import { spawn } from "node:child_process";
import { OperationError } from "#kernel/errors.ts";
import { FORGE_PROGRAMS, type ForgeCall, type ForgeProgram, type ForgeRepository } from "../../work/requests/forge.ts";
import { formatGitError, type GitAnswer, killProcess } from "../git/git.ts";
import { removeGitLocations } from "../git/start_git.ts";
import { findProgram } from "../processes/agent_process.ts";

/** Maximum duration of one call, in milliseconds. Chosen by planner: forges answer in seconds. */
const CALL_LIMIT_MS = 60_000;

/** Maximum size of an answer in bytes. Chosen by planner: a hundred requests with long texts are 10 MB. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** Variables that disable prompts, the pager, colours and update checks. */
const QUIET_VARIABLES = {
  GH_PROMPT_DISABLED: "1",
  GH_NO_UPDATE_NOTIFIER: "1",
  GH_PAGER: "",
  GLAB_CHECK_UPDATE: "false",
  NO_PROMPT: "1",
  PAGER: "cat",
  NO_COLOR: "1",
  CLICOLOR_FORCE: "0",
};

/** Returns the program for a forge, or null if it is not installed. */
export function findForgeProgram({ forge }: ForgeRepository): ForgeProgram | null {
  const program = FORGE_PROGRAMS[forge];
  return findProgram(program, process.env) === null ? null : program;
}

/**
 * Makes a call through the forge's program and parses its answer. The program uses the user's own login and never
 * prompts.
 *
 * @throws OperationError `unavailable` with the program's message
 */
export async function callForge(cwd: string, place: ForgeRepository, { args, input }: ForgeCall): Promise<unknown> {
  const program = FORGE_PROGRAMS[place.forge];
  const { status, stdout, stderr } = await runForgeProgram(findProgram(program, process.env) ?? program, args, {
    cwd,
    input: input ?? "",
  });
  const throwRefusal = (why: string): never => {
    throw new OperationError("unavailable", `${program} at ${place.host}: ${why}`);
  };
  if (status !== 0) return throwRefusal(extractRefusal(stdout, stderr) || `it ended with status ${status}`);
  try {
    return JSON.parse(stdout);
  } catch {
    return throwRefusal("its answer is no JSON");
  }
}

/** Returns the program's message with the server's reasons, which are in the body of the answer. */
function extractRefusal(stdout: string, stderr: string): string {
  const said = formatGitError(stderr);
  try {
    const { errors, message } = JSON.parse(stdout) as Record<string, unknown>;
    const reasons = [message, errors].flatMap((one) => (one === undefined ? [] : [formatReason(one)])).join(": ");
    return [said, ...(reasons === "" || said.includes(reasons) ? [] : [reasons])].join("; ");
  } catch {
    return said;
  }
}

function formatReason(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(formatReason).filter(Boolean).join(", ");
  if (typeof value !== "object" || value === null) return "";
  const { message, code, field } = value as Record<string, unknown>;
  return [message, field, code].find((one) => typeof one === "string")?.toString() ?? JSON.stringify(value);
}

function runForgeProgram(
  program: string,
  args: readonly string[],
  { cwd, input }: { readonly cwd: string; readonly input: string },
) {
  return new Promise<Pick<GitAnswer, "status" | "stderr"> & { readonly stdout: string }>((resolve, reject) => {
    const env = { ...removeGitLocations(process.env), ...QUIET_VARIABLES };
    // A separate process group, so that all processes that the program started end with it.
    const detached = process.platform !== "win32";
    const child = spawn(program, args, { cwd, env, detached, windowsHide: true });
    let problem: string | null = null;
    const abortProgram = (why: string): void => {
      problem ??= why;
      killProcess(child, detached);
    };
    const timer = setTimeout(() => abortProgram(`it took over ${CALL_LIMIT_MS / 1000} s`), CALL_LIMIT_MS);
    const onInterrupt = (): void => abortProgram("it was interrupted");
    process.on("SIGINT", onInterrupt);
    const [out, err] = [child.stdout, child.stderr].map((stream) => {
      const chunks: Buffer[] = [];
      let size = 0;
      stream.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) abortProgram("its answer is too long");
        else chunks.push(chunk);
      });
      return chunks;
    });
    const cleanUp = (): void => {
      clearTimeout(timer);
      process.off("SIGINT", onInterrupt);
    };
    child.on("error", (error) => {
      cleanUp();
      reject(new OperationError("unavailable", `Cannot run ${program}: ${error.message}`));
    });
    child.on("close", (status) => {
      cleanUp();
      const text = (chunks: readonly Buffer[] = []): string => Buffer.concat(chunks).toString();
      if (problem === null) resolve({ status, stdout: text(out), stderr: text(err) });
      else reject(new OperationError("unavailable", `${program}: ${problem}`));
    });
    // The program may end without reading its input.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
