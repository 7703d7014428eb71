import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../usage_error.ts";
import { parseServerUrl, type ServerAddress } from "./server_client.ts";

interface AddressFlags {
  readonly url: string | undefined;
  readonly token: string | undefined;
  /** Maximum wait for a reply, in seconds. */
  readonly timeout?: number | undefined;
}

const DEFAULT_URL = "http://127.0.0.1:8081";
const DEFAULT_TIMEOUT_S = 30;

/** Returns the server of flags or variables. A token on the command line is visible in lists of processes. */
export function resolveServerAddress(
  { url, token, timeout = DEFAULT_TIMEOUT_S }: AddressFlags,
  cwd: string,
): ServerAddress {
  const { PLANNER_DC_URL, PLANNER_DC_TOKEN, PLANNER_DC_TOKEN_FILE: file } = process.env;
  const fromFile = file === undefined ? undefined : readToken(resolve(cwd, file), file);
  return {
    url: parseServerUrl(url ?? PLANNER_DC_URL ?? DEFAULT_URL),
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
