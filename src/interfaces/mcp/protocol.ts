import { isJsonObject } from "#kernel/json_object.ts";
import { readJsonText } from "#kernel/json_text.ts";
import { shortenText } from "#kernel/shortened.ts";
import { type Message, RPC_ERROR_CODES, type RpcError } from "./messages.ts";
import {
  classifyRequest,
  HANDSHAKE_VERSION,
  type ProtocolEra,
  type ServerDescription,
  STATELESS_VERSIONS,
} from "./revision.ts";

export type McpRequest = Extract<Message, { kind: "request" }>;

/** The requested action; `list`, `call` and `listen` require more than the request itself. */
export type RequestPlan =
  | { readonly kind: "result"; readonly era: ProtocolEra; readonly result: object }
  | { readonly kind: "error"; readonly error: RpcError }
  | { readonly kind: "list"; readonly era: ProtocolEra }
  | { readonly kind: "call"; readonly era: ProtocolEra; readonly name: unknown; readonly args: unknown }
  | { readonly kind: "listen" };

/** Cache hints for responses that only another version of the program would change; `ttlMs` is in milliseconds. */
const CACHE_HINTS = { ttlMs: 300_000, cacheScope: "public" } as const;

const SERVER_CAPABILITIES = { tools: {} } as const;

type PlanMethod = (request: McpRequest, words: ServerDescription) => RequestPlan;

/** Methods of handshake clients. Source: docs/contract/spec-tool.md#transport; docs/decisions.md#s-18 for `ping`. */
const HANDSHAKE_METHODS: ReadonlyMap<string, PlanMethod> = new Map<string, PlanMethod>([
  [
    "initialize",
    ({ params }, { info: serverInfo, instructions, versions = [HANDSHAKE_VERSION] }) => {
      const protocolVersion = versions.find((version) => version === params["protocolVersion"]) ?? versions[0];
      const result = { protocolVersion, capabilities: SERVER_CAPABILITIES, serverInfo };
      // docs/contract/spec-tool.md#versioning shows a request without `clientInfo`, whose response has no further
      // fields.
      const isNamed = instructions !== undefined && isJsonObject(params["clientInfo"]);
      return { kind: "result", era: "handshake", result: isNamed ? { ...result, instructions } : result };
    },
  ],
  ["ping", () => ({ kind: "result", era: "handshake", result: {} })],
  ["tools/list", (request) => planToolList(request, "handshake")],
  ["tools/call", (request) => planToolCall(request, "handshake")],
]);

/** The methods of the stateless revision, which has neither handshake nor ping. Source: MCP 2026-07-28. */
const STATELESS_METHODS: ReadonlyMap<string, PlanMethod> = new Map<string, PlanMethod>([
  [
    "server/discover",
    (_, { instructions }) => {
      const result = { supportedVersions: STATELESS_VERSIONS, capabilities: SERVER_CAPABILITIES, ...CACHE_HINTS };
      return {
        kind: "result",
        era: "stateless",
        result: { ...result, ...(instructions !== undefined && { instructions }) },
      };
    },
  ],
  ["tools/list", (request) => planToolList(request, "stateless")],
  ["tools/call", (request) => planToolCall(request, "stateless")],
  ["subscriptions/listen", () => ({ kind: "listen" })],
]);

/** Determines the action that a request asks for, without running it. */
export function planRequest(request: McpRequest, server: ServerDescription): RequestPlan {
  const verdict = classifyRequest(request.params);
  if ("error" in verdict) return { kind: "error", error: verdict.error };
  const methods = verdict.era === "handshake" ? HANDSHAKE_METHODS : STATELESS_METHODS;
  const method = methods.get(request.method);
  if (method !== undefined) return method(request, server);
  return {
    kind: "error",
    error: { code: RPC_ERROR_CODES.methodNotFound, message: `Method not found: ${shortenText(request.method)}` },
  };
}

/** Returns the result of `tools/list`: one page, with cache hints if the protocol revision has them. */
export function createToolListResult(tools: readonly object[], era: ProtocolEra): object {
  return era === "handshake" ? { tools } : { tools, ...CACHE_HINTS };
}

// Every tool is on the first page, so the server issues no cursors and any given one is unknown.
function planToolList({ params }: McpRequest, era: ProtocolEra): RequestPlan {
  const cursor = params["cursor"];
  if (cursor === undefined || cursor === null) return { kind: "list", era };
  const message =
    typeof cursor === "string" ? "Invalid params: unknown cursor" : "Invalid params: expected a string as cursor";
  return { kind: "error", error: { code: RPC_ERROR_CODES.invalidParams, message } };
}

function planToolCall({ params }: McpRequest, era: ProtocolEra): RequestPlan {
  return { kind: "call", era, name: params["name"], args: readJsonText(params["arguments"], { type: "object" }) };
}
