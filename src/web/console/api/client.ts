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

interface ErrorBody {
  readonly code?: string;
  readonly message?: string;
  readonly details?: readonly { readonly type?: string; readonly debug?: ErrorDetail }[];
}

interface ErrorDetail {
  readonly reason?: string;
  readonly field_violations?: readonly Violation[];
  /** The same, where the request could not be read at all. */
  readonly fieldViolations?: readonly Violation[];
}

/**
 * Calls one RPC by Connect JSON: by its name, or by `<service>/<name>` if it is one of another service.
 * @throws CallError; an aborted call throws the signal's reason
 */
export async function call<Reply>(rpc: string, request: object, signal?: AbortSignal): Promise<Reply> {
  return answered(rpc.includes("/") ? `/${rpc}` : `/${SERVICE}/${rpc}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
    signal: signal ?? null,
  });
}

/** Reads a plain JSON route. @throws CallError */
export async function read<Reply>(
  path: string,
  parameters: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Reply> {
  const given = Object.entries(parameters).filter(([, value]) => value !== "");
  const query = new URLSearchParams(given).toString();
  return answered(query === "" ? path : `${path}?${query}`, { signal: signal ?? null });
}

async function answered<Reply>(path: string, init: RequestInit): Promise<Reply> {
  const { ok, status, text } = await reached(path, init);
  if (ok) return JSON.parse(text) as Reply;
  throw refused(status, text);
}

/** The answer to its last byte: a connection may break in the middle as well. */
async function reached(path: string, init: RequestInit): Promise<{ ok: boolean; status: number; text: string }> {
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

function refused(status: number, text: string): CallError {
  const { code = `http_${status}`, message = `The server answered with status ${status}`, details = [] } = body(text);
  const found = details.map(({ debug }) => debug ?? {});
  return new CallError(code, message, {
    reason: found.find(({ reason }) => reason !== undefined)?.reason ?? "",
    violations: found.flatMap(({ field_violations, fieldViolations }) => field_violations ?? fieldViolations ?? []),
  });
}

function body(text: string): ErrorBody {
  try {
    return JSON.parse(text) as ErrorBody;
  } catch {
    return {};
  }
}
