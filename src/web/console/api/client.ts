import type { RenderResult, Rpcs } from "#gen/datacenter/v1/json.ts";
import { simplifyMessage } from "../plain_message.ts";
import { tokenStore } from "./token.ts";

const MAIN_SERVICE = "datacenter.v1.DatacenterService";

/** One field of a request that the server rejected. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** Error of a failed call, with a message for the person. */
export class CallError extends Error {
  /** Canonical code such as `not_found`; `offline` if the server did not reply. */
  readonly code: string;
  readonly reason: string;
  readonly violations: readonly FieldViolation[];

  constructor(
    code: string,
    message: string,
    { reason = "", violations = [] }: { reason?: string; violations?: readonly FieldViolation[] } = {},
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.violations = violations;
  }
}

/** Returns a caught CallError unchanged; any other error becomes a CallError with the code `internal`. */
export function convertToCallError(error: unknown): CallError {
  return error instanceof CallError ? error : new CallError("internal", "The answer could not be read.");
}

interface ErrorBody {
  readonly code?: string;
  readonly message?: string;
  readonly details?: readonly { readonly type?: string; readonly debug?: ErrorDetail }[];
}

/** Fields of an error detail; an item of a bulk call has details of the same types. */
export interface ErrorDetail {
  readonly reason?: string;
  readonly field_violations?: readonly FieldViolation[];
}

/** Name of an RPC of the main service, or `<service>/<name>` for another service. */
export type RpcName = keyof Rpcs;

/** Request of an RPC with every field optional. */
export type RpcRequest<Name extends RpcName> = PartialMessage<Rpcs[Name]["request"]>;

/** Type with every field optional. Enum values may be any text, as a URL may contain it; the server checks them. */
type PartialMessage<Value> = Value extends readonly (infer Item)[]
  ? readonly PartialMessage<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]?: PartialMessage<Value[Name]> | undefined }
    : Value extends string
      ? string
      : Value;

export type RpcReply<Name extends RpcName> = Rpcs[Name]["reply"];

/** RPCs whose reply contains a picture. */
export type PictureRpc = {
  [Name in RpcName]: RpcReply<Name> extends { readonly render?: RenderResult } ? Name : never;
}[RpcName];

/** Calls an RPC by Connect JSON, or throws CallError; an aborted call throws the signal's reason. */
export async function callRpc<Name extends RpcName>(
  rpc: Name,
  request: RpcRequest<Name>,
  signal?: AbortSignal,
): Promise<RpcReply<Name>> {
  return callRpcByName(rpc, request, signal);
}

/** Calls an RPC whose name is known only at run time. @throws CallError, as `callRpc` does. */
export async function callRpcByName<Answer>(rpc: string, request: object, signal?: AbortSignal): Promise<Answer> {
  return fetchReply(rpc.includes("/") ? `/${rpc}` : `/${MAIN_SERVICE}/${rpc}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
    signal: signal ?? null,
  });
}

/** Reads a plain JSON route, or throws CallError. */
export async function readJsonRoute<Reply>(
  path: string,
  parameters: Readonly<Record<string, string | readonly string[]>>,
  signal?: AbortSignal,
): Promise<Reply> {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one === "" ? [] : [[name, one]])),
  );
  const query = new URLSearchParams(given).toString();
  return fetchReply(query === "" ? path : `${path}?${query}`, { signal: signal ?? null });
}

async function fetchReply<Reply>(path: string, init: RequestInit): Promise<Reply> {
  const { ok, status, text } = await fetchText(path, init);
  if (ok) return JSON.parse(text) as Reply;
  throw parseCallError(status, text);
}

/** Fetches a reply with its whole text, because the connection may break while the text arrives. */
async function fetchText(path: string, init: RequestInit): Promise<{ ok: boolean; status: number; text: string }> {
  const headers = new Headers(init.headers);
  const known = tokenStore.value();
  if (known !== "") headers.set("authorization", `Bearer ${known}`);
  try {
    const response = await fetch(path, { ...init, headers, credentials: "omit" });
    return { ok: response.ok, status: response.status, text: await response.text() };
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new CallError("offline", "The server does not answer. It may be restarting, or the network is down.");
  }
}

function parseCallError(status: number, text: string): CallError {
  const {
    code = `http_${status}`,
    message = `The server answered with status ${status}`,
    details = [],
  } = parseErrorBody(text);
  return new CallError(code, simplifyMessage(message), parseErrorDetails(details.map(({ debug }) => debug ?? {})));
}

/** Returns the first reason of error details, and all of their violations. */
export function parseErrorDetails(details: readonly ErrorDetail[]) {
  const violations = details.flatMap(({ field_violations = [] }) => field_violations);
  return {
    reason: details.find(({ reason }) => reason !== undefined)?.reason ?? "",
    violations: violations.map(({ field, description }) => ({ field, description: simplifyMessage(description) })),
  };
}

function parseErrorBody(text: string): ErrorBody {
  try {
    return JSON.parse(text) as ErrorBody;
  } catch {
    return {};
  }
}
