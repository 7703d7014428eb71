import type { RenderResult, Rpcs } from "#gen/datacenter/v1/json.ts";
import { plainMessage } from "../plain_message.ts";
import { token } from "./token.ts";

const SERVICE = "datacenter.v1.DatacenterService";

/** One wrong field of a request. */
export interface Violation {
  readonly field: string;
  readonly description: string;
}

/** Why a call failed, in words for a person. */
export class CallError extends Error {
  /** Canonical code such as `not_found`; `offline` when no answer came at all. */
  readonly code: string;
  readonly reason: string;
  readonly violations: readonly Violation[];

  constructor(
    code: string,
    message: string,
    { reason = "", violations = [] }: { reason?: string; violations?: readonly Violation[] } = {},
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.violations = violations;
  }
}

/** What a call threw, as an error that can be shown. */
export function callError(error: unknown): CallError {
  return error instanceof CallError ? error : new CallError("internal", "The answer could not be read.");
}

interface ErrorBody {
  readonly code?: string;
  readonly message?: string;
  readonly details?: readonly { readonly type?: string; readonly debug?: ErrorDetail }[];
}

/** What a detail of an error may hold; an item of a bulk call has details of the same types. */
export interface ErrorDetail {
  readonly reason?: string;
  readonly field_violations?: readonly Violation[];
  /** The same, where the request could not be read at all. */
  readonly fieldViolations?: readonly Violation[];
}

/** Name of an RPC, or `<service>/<name>` if it is one of another service. */
export type Rpc = keyof Rpcs;

/** A request of which every field may be left out. */
export type Request<Name extends Rpc> = Draft<Rpcs[Name]["request"]>;

/** Words of enumerations may come from an address, which the server judges. */
type Draft<Value> = Value extends readonly (infer Item)[]
  ? readonly Draft<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]?: Draft<Value[Name]> | undefined }
    : Value extends string
      ? string
      : Value;

export type Reply<Name extends Rpc> = Rpcs[Name]["reply"];

/** RPCs that answer a picture. */
export type DrawnRpc = { [Name in Rpc]: Reply<Name> extends { readonly render?: RenderResult } ? Name : never }[Rpc];

/** Calls one RPC by Connect JSON. @throws CallError; an aborted call throws the signal's reason */
export async function call<Name extends Rpc>(
  rpc: Name,
  request: Request<Name>,
  signal?: AbortSignal,
): Promise<Reply<Name>> {
  return callNamed(rpc, request, signal);
}

/** Calls an RPC whose name is known only when the console runs. @throws CallError, as `call` does */
export async function callNamed<Answer>(rpc: string, request: object, signal?: AbortSignal): Promise<Answer> {
  return fetchReply(rpc.includes("/") ? `/${rpc}` : `/${SERVICE}/${rpc}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
    signal: signal ?? null,
  });
}

/** Reads a plain JSON route. @throws CallError */
export async function read<Reply>(
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
  throw refusedCall(status, text);
}

/** The answer to its last byte: a connection may break in the middle as well. */
async function fetchText(path: string, init: RequestInit): Promise<{ ok: boolean; status: number; text: string }> {
  const headers = new Headers(init.headers);
  const known = token.value();
  if (known !== "") headers.set("authorization", `Bearer ${known}`);
  try {
    const response = await fetch(path, { ...init, headers, credentials: "omit" });
    return { ok: response.ok, status: response.status, text: await response.text() };
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new CallError("offline", "The server does not answer. It may be restarting, or the network is down.");
  }
}

function refusedCall(status: number, text: string): CallError {
  const { code = `http_${status}`, message = `The server answered with status ${status}`, details = [] } = body(text);
  const found = details.map(({ debug }) => debug ?? {});
  const violations = found.flatMap(
    ({ field_violations, fieldViolations }) => field_violations ?? fieldViolations ?? [],
  );
  return new CallError(code, plainMessage(message), {
    reason: found.find(({ reason }) => reason !== undefined)?.reason ?? "",
    violations: violations.map(({ field, description }) => ({ field, description: plainMessage(description) })),
  });
}

function body(text: string): ErrorBody {
  try {
    return JSON.parse(text) as ErrorBody;
  } catch {
    return {};
  }
}
