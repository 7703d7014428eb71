import { Code, ConnectError } from "@connectrpc/connect";
import { codeToHttpStatus, errorFromJsonBytes, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { describeUnknownEnumValue, type UnreadableValue } from "#dc/operations/messages/json_place.ts";
import { ERROR_DOMAIN } from "#dc/operations/messages/status.ts";
import { BadRequestSchema, ErrorInfoSchema } from "#gen/google/rpc/error_details_pb.ts";
import { MAX_MESSAGE_BYTES } from "./limits.ts";

interface HttpAnswer {
  readonly status: number;
  readonly header?: Headers;
  readonly body?: AsyncIterable<Uint8Array>;
}

/** Prefixes of the library's messages about malformed requests. */
export const BINARY_ERROR_PREFIX = "parse binary: ";
const JSON_ERROR_PATTERN = /^cannot decode (?:message|field|enum) (\S+) from JSON: (.*)$/s;
const TOO_LARGE_PATTERN = /readMaxBytes/;
const UNKNOWN_KEY_PATTERN = /^key "(.*)" is unknown$/s;

/**
 * Adds reason and field, which `part` finds, to Connect's error about a malformed request. Parsing happens before the
 * service runs, so such an error is recognized by its missing details: every refusal of the service has some.
 * Source: docs/decisions.md#d-02; AIP-193.
 */
export async function explainUnreadable<Response extends HttpAnswer>(
  answered: Response,
  part: () => UnreadableValue,
): Promise<Response> {
  const { status, header, body } = answered;
  const candidate = status === 400 || status === 429 || status === 500;
  if (!candidate || body === undefined || header?.get("content-type") !== "application/json") return answered;
  if (header.has("content-encoding")) return answered;
  const bytes = await readWholeBody(body);
  const failure = errorFromJsonBytes(bytes, undefined, new ConnectError("Internal error", Code.Internal));
  const told = failure.details.length === 0 ? explainReadError(failure, part) : undefined;
  const sent = told === undefined ? bytes : errorToJsonBytes(told, undefined);
  header.set("content-length", String(sent.length));
  return { ...answered, status: told === undefined ? status : codeToHttpStatus(told.code), body: yieldBytesOnce(sent) };
}

/** Returns the refusal of a request that was read in steps, from the message of the library's reader. */
export function createUnreadableError(code: Code, rawMessage: string, place = ""): ConnectError {
  const failure = new ConnectError(rawMessage, code);
  return explainReadError(failure, () => ({ field: place, enumValue: undefined })) ?? failure;
}

/** Returns the failure with a field and a reason; undefined if it is not about reading the request. */
function explainReadError(
  { rawMessage, code }: ConnectError,
  findUnreadable: () => UnreadableValue,
): ConnectError | undefined {
  if (code === Code.Internal && rawMessage.startsWith(BINARY_ERROR_PREFIX)) {
    return createBadRequestError(
      `Cannot read the message: ${rawMessage.slice(BINARY_ERROR_PREFIX.length)}`,
      "MALFORMED_MESSAGE",
      "",
    );
  }
  if (code === Code.ResourceExhausted && TOO_LARGE_PATTERN.test(rawMessage)) {
    const info = { reason: "MESSAGE_TOO_LARGE", domain: ERROR_DOMAIN };
    const message = `The message is too large: expected at most ${MAX_MESSAGE_BYTES} bytes`;
    return new ConnectError(message, code, undefined, [{ desc: ErrorInfoSchema, value: info }]);
  }
  if (code !== Code.InvalidArgument) return undefined;
  const [, type = "", problem = ""] = JSON_ERROR_PATTERN.exec(rawMessage) ?? [];
  if (type === "") return createBadRequestError(`Cannot read the request: ${rawMessage}`, "MALFORMED_MESSAGE", "");
  const { field, enumValue } = findUnreadable();
  if (enumValue !== undefined)
    return createBadRequestError(describeUnknownEnumValue(enumValue), "FIELD_OUT_OF_RANGE", field);
  const key = UNKNOWN_KEY_PATTERN.exec(problem)?.[1];
  const holder = type.replace(/^.*\.v1\./, "");
  if (key !== undefined) return createBadRequestError(`${holder} has no field "${key}"`, "UNKNOWN_FIELD", field);
  const reason = field === "" ? "MALFORMED_MESSAGE" : "FIELD_OUT_OF_RANGE";
  return createBadRequestError(`Cannot read ${field || holder}: ${problem}`, reason, field);
}

function createBadRequestError(message: string, reason: string, field: string): ConnectError {
  return new ConnectError(message, Code.InvalidArgument, undefined, [
    { desc: ErrorInfoSchema, value: { reason, domain: ERROR_DOMAIN, ...(field !== "" && { metadata: { field } }) } },
    { desc: BadRequestSchema, value: { fieldViolations: [{ field, description: message, reason }] } },
  ]);
}

async function readWholeBody(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* yieldBytesOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
