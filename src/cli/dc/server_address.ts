import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../usage_error.ts";
import { type ServerAddress, serverUrl } from "./server_client.ts";

interface AddressFlags {
  readonly url: string | undefined;
  readonly token: string | undefined;
  /** Longest wait for one reply, in seconds. */
  readonly timeout?: number | undefined;
}

const DEFAULT_URL = "http://127.0.0.1:8081";
const CALL_TIMEOUT_S = 30;

/**
 * Returns the server to call, from flags, else from variables. A token on the command line is visible to everybody who
 * lists processes, so a variable or a file may hold it.
 */
export function serverAddress({ url, token, timeout = CALL_TIMEOUT_S }: AddressFlags, cwd: string): ServerAddress {
  const { PLANNER_DC_URL, PLANNER_DC_TOKEN, PLANNER_DC_TOKEN_FILE: file } = process.env;
  const fromFile = file === undefined ? undefined : readToken(resolve(cwd, file), file);
  return {
    url: serverUrl(url ?? PLANNER_DC_URL ?? DEFAULT_URL),
    token: token ?? PLANNER_DC_TOKEN ?? fromFile,
    timeoutMs: timeout * 1000,
  };
}

function readToken(path: string, shown: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new UsageError(`Cannot read "${shown}" of PLANNER_DC_TOKEN_FILE: ${(error as Error).message}`, null);
  }
}
