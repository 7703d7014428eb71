import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fromBinary, type JsonValue } from "@bufbuild/protobuf";
import { planningRpcs } from "#dc/operations/index.ts";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  PreconditionFailureSchema,
  ResourceInfoSchema,
} from "#gen/google/rpc/error_details_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject, tryParseJson } from "#kernel/json_object.ts";
import { UsageError } from "../usage_error.ts";

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

/** Names of the RPCs of the planning service. */
const PLANNING_RPC_NAMES: readonly string[] = planningRpcs.map(({ method }) => method.name);

export interface ServerAddress {
  /** URL of the server, such as `http://127.0.0.1:8081`. */
  readonly url: string;
  readonly token: string | undefined;
  /** Maximum wait for a reply, in milliseconds. */
  readonly timeoutMs: number;
}

/** Error reply of a server: Connect's code, the message, and details as text. */
export class ServerRefusal extends Error {
  readonly code: string;
  readonly details: readonly string[];

  constructor(message: string, code: string, details: readonly ServerErrorDetail[]) {
    super(message);
    this.code = code;
    // A field's error is kept once, with the field's name.
    const named = details.some(({ namesField }) => namesField);
    this.details = details.filter(({ repeatsFieldError }) => !(named && repeatsFieldError)).map(({ text }) => text);
  }
}

interface ServerErrorDetail {
  readonly text: string;
  /** True if the text is the error of a field, with its name. */
  readonly namesField?: boolean;
  /** True if the text only repeats the error of a field, in replies that name a field. */
  readonly repeatsFieldError?: true;
}

/** Parses `--url`. @throws UsageError unless it is the address of a server. */
function parseServerUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return given.replace(/\/+$/, "");
  throw new UsageError(`Wrong value "${given}" for "--url": expected http://host:port or https://host:port`, null);
}

/** Calls an RPC with Connect's JSON. @throws ServerRefusal for an error reply, OperationError if no server replies */
export async function callServer(address: ServerAddress, rpc: string, request: string): Promise<JsonValue> {
  const service = PLANNING_RPC_NAMES.includes(rpc) ? "PlanningService" : "DatacenterService";
  const sent = { body: request, type: "application/json" };
  return postToServer(address, `/datacenter.v1.${service}/${rpc}`, sent, (text) => tryParseJson(text) as JsonValue);
}

/**
 * Posts a body and returns what `read` makes of the reply; a reply of which it makes undefined is refused as another program's.
 * @throws ServerRefusal for an error reply, OperationError if no server replies
 */
export async function postToServer<Reply>(
  address: ServerAddress,
  path: string,
  sent: { readonly body: string; readonly type: string },
  read: (text: string) => Reply | undefined,
): Promise<Reply> {
  const { response, text } = await sendRequest(address, path, sent);
  const reply = response.ok ? read(text) : undefined;
  if (reply !== undefined) return reply;
  const json = tryParseJson(text);
  if (isErrorReply(json))
    throw new ServerRefusal(json.message ?? json.code, json.code, (json.details ?? []).flatMap(decodeDetail));
  const told = `${response.status} ${response.statusText}`.trim();
  throw new OperationError("unavailable", `${address.url} does not answer as a planner server: HTTP ${told}`);
}

async function sendRequest(
  { url, token, timeoutMs }: ServerAddress,
  path: string,
  { body, type }: { readonly body: string; readonly type: string },
) {
  try {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: {
        "content-type": type,
        "connect-protocol-version": "1",
        "connect-timeout-ms": String(timeoutMs),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body,
      // The server's own deadline is earlier, so that it can report the timeout.
      signal: AbortSignal.timeout(timeoutMs + 1000),
    });
    return { response, text: await response.text() };
  } catch (error) {
    const { name, message } = error as Error;
    if (name === "TimeoutError") {
      throw new OperationError("deadline_exceeded", `${url} gave no answer within ${timeoutMs / 1000} s`);
    }
    throw new OperationError("unavailable", `Cannot reach ${url}: ${message}`, { cause: error });
  }
}

/** JSON of Connect's error replies. */
interface ErrorReply {
  readonly code: string;
  readonly message?: string;
  readonly details?: readonly EncodedDetail[];
}

function isErrorReply(json: unknown): json is ErrorReply {
  return isJsonObject(json) && typeof json["code"] === "string";
}

interface EncodedDetail {
  readonly type: string;
  readonly value: string;
}

const DETAIL_DECODERS: Readonly<Record<string, (bytes: Uint8Array) => readonly ServerErrorDetail[]>> = {
  "google.rpc.ErrorInfo": (bytes) => [{ text: `reason: ${fromBinary(ErrorInfoSchema, bytes).reason}` }],
  "google.rpc.BadRequest": (bytes) =>
    fromBinary(BadRequestSchema, bytes).fieldViolations.map(({ field, description }) => ({
      text: `field ${field}: ${description}`,
      namesField: field !== "",
    })),
  "google.rpc.PreconditionFailure": (bytes) =>
    fromBinary(PreconditionFailureSchema, bytes).violations.map(
      ({ type, subject, description }): ServerErrorDetail => ({
        text: `${subject === "" ? type : `${subject} (${type})`}: ${description}`,
        repeatsFieldError: true,
      }),
    ),
  "google.rpc.ResourceInfo": (bytes) => {
    const { resourceType, resourceName } = fromBinary(ResourceInfoSchema, bytes);
    return [{ text: `${resourceType}: ${resourceName}` }];
  },
};

/** Converts a detail to texts; returns none for an unknown type. */
function decodeDetail({ type, value }: EncodedDetail): readonly ServerErrorDetail[] {
  const read = Object.hasOwn(DETAIL_DECODERS, type) ? DETAIL_DECODERS[type] : undefined;
  return read === undefined ? [] : read(Buffer.from(value, "base64"));
}
