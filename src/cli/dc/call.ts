import { allRpcs } from "#dc/operations/index.ts";
import { EXIT_STATUS, type ExitStatus, getErrorStatus } from "../exit_status.ts";
import { isTerminal, print, printError } from "../output/print.ts";
import { logError } from "../output/stderr_logger.ts";
import { formatSuggestion, UsageError } from "../usage_error.ts";
import { callServer, type ServerAddress, ServerRefusal } from "./server_address.ts";

/** Names of all RPCs, in the order of the proto. */
export const RPC_NAMES: readonly string[] = allRpcs.map(({ method }) => method.name);

/** Prints every RPC and whether it reads or writes. */
export function printRpcs(): void {
  for (const { method, effect } of allRpcs) print(`${method.name}\t${effect}\n`);
}

/** Calls an RPC and prints the server's reply or error. Returns ok, or the exit status for the error's code. */
export async function callRpc(address: ServerAddress, name: string, request: string): Promise<ExitStatus> {
  if (!RPC_NAMES.includes(name)) {
    const hint = formatSuggestion(name, RPC_NAMES) || "`planner dc call --list` lists the RPCs";
    throw new UsageError(`Unknown RPC "${name}"`, hint);
  }
  requireJson(request);
  try {
    const reply = await callServer(address, name, request);
    print(`${JSON.stringify(reply, null, isTerminal("stdout") ? 2 : undefined)}\n`);
    return EXIT_STATUS.ok;
  } catch (error) {
    if (!(error instanceof ServerRefusal)) throw error;
    logError(`${error.code}: ${error.message}`);
    for (const detail of error.details) printError(`  ${detail}\n`);
    return DEFECT_CODES.includes(error.code) ? EXIT_STATUS.defect : getErrorStatus(error.code);
  }
}

function requireJson(request: string): void {
  try {
    JSON.parse(request);
  } catch (error) {
    throw new UsageError(
      `The request is no JSON: ${(error as Error).message}`,
      `Expected an object such as '{"code": "A01"}'`,
    );
  }
}

/** Error codes of defects in the server, which have the exit status of a defect. */
const DEFECT_CODES = ["internal", "unknown", "data_loss"];
