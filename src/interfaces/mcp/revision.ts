import { isJsonObject } from "#kernel/json_object.ts";
import { shortenText } from "#kernel/shortened.ts";
import { type MessageParams, RPC_ERROR_CODES, type RpcError } from "./messages.ts";

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** The server's description of itself. */
export interface ServerDescription {
  readonly info: ServerInfo;
  /** Usage notes about the tools for clients that identify themselves; optional. */
  readonly instructions?: string;
  /** Versions that a handshake may agree on, the newest first; if absent, only `HANDSHAKE_VERSION`. */
  readonly versions?: readonly string[];
}

/**
 * The two forms of MCP: clients that begin with `initialize`, and the stateless revision, in which every request names
 * its version. A process may receive both; each request is classified on its own.
 */
export type ProtocolEra = "handshake" | "stateless";

/** Protocol version in every response to `initialize`. Source: docs/contract/spec-tool.md#versioning. */
export const HANDSHAKE_VERSION = "2024-11-05";

/** Versions that a request may name. Source: docs/decisions.md#s-18. */
export const STATELESS_VERSIONS: readonly string[] = ["2026-07-28"];

export const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";
export const SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId";

export type EraVerdict = { readonly era: ProtocolEra } | { readonly error: RpcError };

const HANDSHAKE: EraVerdict = { era: "handshake" };
const STATELESS: EraVerdict = { era: "stateless" };

/**
 * Finds the protocol revision of a request, or the reason to reject it: an unsupported version, or a stateless request
 * without its required metadata. Source: MCP 2026-07-28, Versioning and `_meta`.
 */
export function classifyRequest(params: MessageParams): EraVerdict {
  const meta = params["_meta"];
  if (!isJsonObject(meta) || !Object.hasOwn(meta, VERSION_KEY)) return HANDSHAKE;
  const requested = meta[VERSION_KEY];
  if (typeof requested !== "string") return { error: createMetaError(VERSION_KEY, "a string") };
  if (!STATELESS_VERSIONS.includes(requested)) {
    const data = { supported: STATELESS_VERSIONS, requested: shortenText(requested) };
    return { error: { code: RPC_ERROR_CODES.unsupportedVersion, message: "Unsupported protocol version", data } };
  }
  return isJsonObject(meta[CAPABILITIES_KEY]) ? STATELESS : { error: createMetaError(CAPABILITIES_KEY, "an object") };
}

/** Adds the fields that a protocol revision requires of every result. */
export function addResultMetadata(result: object, era: ProtocolEra, info: ServerInfo): object {
  if (era === "handshake") return result;
  const meta = "_meta" in result && isJsonObject(result._meta) ? result._meta : {};
  return { ...result, resultType: "complete", _meta: { ...meta, [SERVER_INFO_KEY]: info } };
}

/** Creates the error for a request of the stateless revision without a required key of `_meta`. */
export function createMetaError(key: string, expected: string): RpcError {
  return { code: RPC_ERROR_CODES.invalidParams, message: `Invalid params: expected ${expected} as _meta["${key}"]` };
}
