import { fromBinary, type JsonValue } from "@bufbuild/protobuf";
import { planningRpcs } from "#dc/operations/index.ts";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  PreconditionFailureSchema,
  ResourceInfoSchema,
} from "#gen/google/rpc/error_details_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { UsageError } from "../usage_error.ts";

/** RPCs of the second service. */
const PLANNING: readonly string[] = planningRpcs.map(({ method }) => method.name);

export interface ServerAddress {
  /** Where it listens, `http://127.0.0.1:8081`. */
  readonly url: string;
  readonly token: string | undefined;
  /** Longest wait for an answer, in milliseconds. */
  readonly timeoutMs: number;
}

/** What a server answered instead of a result: Connect's code and the details in words. */
export class ServerRefusal extends Error {
  readonly code: string;
  readonly details: readonly string[];
  /** The first field that the server finds wrong. */
  readonly field: string | undefined;

  constructor(message: string, code: string, details: readonly Detail[]) {
    super(message);
    this.code = code;
    // A field's error is printed once, with the name of the field.
    const named = details.some(({ field }) => field !== undefined);
    this.details = details.filter(({ repeated }) => !(named && repeated)).map(({ text }) => text);
    this.field = details.find(({ field }) => field !== undefined)?.field;
  }
}

interface Detail {
  readonly text: string;
  readonly field?: string;
  /** Says what the wrong fields say as well, where there are any. */
  readonly repeated?: true;
}

/** Reads `--url`. @throws UsageError unless it is the address of a server */
export function serverUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return given.replace(/\/+$/, "");
  throw new UsageError(`Wrong value "${given}" for "--url": expected http://host:port or https://host:port`, null);
}

/** Calls one RPC in Connect's JSON. @throws ServerRefusal for a refusal, OperationError when there is no answer */
export async function callServer(address: ServerAddress, rpc: string, request: string): Promise<JsonValue> {
  const { response, text } = await send(address, rpc, request);
  const json = parseJson(text);
  if (response.ok && json !== undefined) return json;
  if (isFailure(json))
    throw new ServerRefusal(json.message ?? json.code, json.code, (json.details ?? []).flatMap(detailsIn));
  const told = `${response.status} ${response.statusText}`.trim();
  throw new OperationError("unavailable", `${address.url} does not answer as a planner server: HTTP ${told}`);
}

async function send({ url, token, timeoutMs }: ServerAddress, rpc: string, request: string) {
  try {
    const response = await fetch(
      `${url}/datacenter.v1.${PLANNING.includes(rpc) ? "PlanningService" : "DatacenterService"}/${rpc}`,
      {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "connect-protocol-version": "1",
          "connect-timeout-ms": String(timeoutMs),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: request,
        // The server's deadline is earlier, so that it can report the timeout.
        signal: AbortSignal.timeout(timeoutMs + 1000),
      },
    );
    return { response, text: await response.text() };
  } catch (error) {
    const { name, message } = error as Error;
    if (name === "TimeoutError") {
      throw new OperationError("deadline_exceeded", `${url} gave no answer within ${timeoutMs / 1000} s`);
    }
    throw new OperationError("unavailable", `Cannot reach ${url}: ${message}`, { cause: error });
  }
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What Connect answers instead of a result. */
interface Failure {
  readonly code: string;
  readonly message?: string;
  readonly details?: readonly RawDetail[];
}

function isFailure(json: unknown): json is Failure {
  return isJsonObject(json) && typeof json["code"] === "string";
}

interface RawDetail {
  readonly type: string;
  readonly value: string;
}

const READERS: Readonly<Record<string, (bytes: Uint8Array) => readonly Detail[]>> = {
  "google.rpc.ErrorInfo": (bytes) => [{ text: `reason: ${fromBinary(ErrorInfoSchema, bytes).reason}` }],
  "google.rpc.BadRequest": (bytes) =>
    fromBinary(BadRequestSchema, bytes).fieldViolations.map(({ field, description }) => ({
      text: `field ${field}: ${description}`,
      ...(field !== "" && { field }),
    })),
  "google.rpc.PreconditionFailure": (bytes) =>
    fromBinary(PreconditionFailureSchema, bytes).violations.map(({ type, subject, description }) => ({
      text: `${subject === "" ? type : `${subject} (${type})`}: ${description}`,
      repeated: true,
    })),
  "google.rpc.ResourceInfo": (bytes) => {
    const { resourceType, resourceName } = fromBinary(ResourceInfoSchema, bytes);
    return [{ text: `${resourceType}: ${resourceName}` }];
  },
};

/** Returns the detail as text; nothing for details of an unknown type. */
function detailsIn({ type, value }: RawDetail): readonly Detail[] {
  const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  return read === undefined ? [] : read(Buffer.from(value, "base64"));
}
