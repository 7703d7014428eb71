import { isJsonObject } from "#kernel/json_object.ts";
import { type Params, RPC_CODE, type RpcError } from "./messages.ts";

/** Who the server says it is. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** What a server answers about itself. */
export interface ServerWords {
  readonly info: ServerInfo;
  /** How its tools are to be used, for a client that says who it is; none if left out. */
  readonly instructions?: string;
}

/**
 * The two ways of speaking MCP: clients that shake hands with `initialize`, and the stateless revision, where every
 * request brings its own version. A process may hear both; each request is taken by what it carries itself.
 */
export type Era = "handshake" | "stateless";

/** What `initialize` answers, whatever the client asks for. Source: docs/contract/spec-tool.md#versioning. */
export const HANDSHAKE_VERSION = "2024-11-05";

/** Versions that a request may name. Source: docs/decisions.md#s-18. */
export const STATELESS_VERSIONS: readonly string[] = ["2026-07-28"];

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";
export const SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId";

export type EraVerdict = { readonly era: Era } | { readonly error: RpcError };

const HANDSHAKE: EraVerdict = { era: "handshake" };
const STATELESS: EraVerdict = { era: "stateless" };

/**
 * Finds the protocol revision of a request, or why it is refused: a version that is not served, or a stateless request without
 * the metadata that it owes. Source: MCP 2026-07-28, Versioning and `_meta`.
 */
export function eraOf(params: Params): EraVerdict {
  const meta = params["_meta"];
  if (!isJsonObject(meta) || !Object.hasOwn(meta, VERSION_KEY)) return HANDSHAKE;
  const requested = meta[VERSION_KEY];
  if (typeof requested !== "string") return refuseMeta(VERSION_KEY, "a string");
  if (!STATELESS_VERSIONS.includes(requested)) {
    const data = { supported: STATELESS_VERSIONS, requested };
    return { error: { code: RPC_CODE.unsupportedVersion, message: "Unsupported protocol version", data } };
  }
  return isJsonObject(meta[CAPABILITIES_KEY]) ? STATELESS : refuseMeta(CAPABILITIES_KEY, "an object");
}

/** Adds to a result what its era demands of every result. */
export function stamped(result: object, era: Era, info: ServerInfo): object {
  if (era === "handshake") return result;
  const meta = "_meta" in result && isJsonObject(result._meta) ? result._meta : {};
  return { ...result, resultType: "complete", _meta: { ...meta, [SERVER_INFO_KEY]: info } };
}

function refuseMeta(key: string, expected: string): EraVerdict {
  return {
    error: { code: RPC_CODE.invalidParams, message: `Invalid params: expected ${expected} as _meta["${key}"]` },
  };
}
