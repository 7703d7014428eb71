import { createHash, randomUUID } from "node:crypto";
import { type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import { convertModelToJson } from "#dc/operations/messages/model_json.ts";
import { detailRegistry } from "#dc/operations/messages/status.ts";
import { RESOURCE_SCHEMAS } from "#dc/operations/writes/changes.ts";
import { OperationError } from "#kernel/errors.ts";
import { callServer, type ServerAddress, ServerRefusal } from "../server_address.ts";
import type { ImportTarget, ItemWriteResult, WriteBatch } from "./run_import.ts";

const BULK_RPCS: Partial<Readonly<Record<ResourceKind, string>>> = {
  rack: "BulkUpsertRacks",
  device: "BulkUpsertDevices",
  crac: "BulkUpsertCracs",
  cable: "BulkUpsertCables",
};
const SINGLE_RPCS: Partial<Readonly<Record<ResourceKind, string>>> = { fabric_link: "UpsertFabricLink" };
/** Maximum number of concurrent calls, for kinds that have no bulk call. */
const MAX_CONCURRENT_CALLS = 16;
/** Maximum size of a call in characters; the server accepts 16 MiB. */
const MAX_CALL_CHARS = 8 * (1 << 20);
const MAX_ATTEMPTS = 5;
const RETRY_BASE_MS = 200;

/**
 * Creates a target that writes to a running server, by bulk calls if the kind has one and by single calls otherwise.
 * The request id of each call is derived from its content, so that a call whose reply was lost can be repeated without
 * being executed twice.
 */
export function createServerTarget(address: ServerAddress): ImportTarget {
  const write: WriteBatch = async (kind, given) => {
    const items = given.map((item) =>
      "resource" in item
        ? convertModelToJson(RESOURCE_SCHEMAS[kind], item.resource)
        : toJson(RESOURCE_SCHEMAS[kind], item.message, { useProtoFieldName: true, registry: detailRegistry }),
    );
    const rpc = BULK_RPCS[kind];
    if (rpc !== undefined) return writeItemsInBulk(address, rpc, items);
    return writeItemsSingly(address, kind, items);
  };
  return { batchSize: MAX_BATCH_ITEMS, run: (work) => work(write), interrupt: () => {} };
}

async function writeItemsInBulk(
  address: ServerAddress,
  rpc: string,
  items: readonly JsonValue[],
): Promise<readonly ItemWriteResult[]> {
  const text = JSON.stringify(items);
  if (text.length > MAX_CALL_CHARS && items.length > 1) {
    const half = Math.ceil(items.length / 2);
    return [
      ...(await writeItemsInBulk(address, rpc, items.slice(0, half))),
      ...(await writeItemsInBulk(address, rpc, items.slice(half))),
    ];
  }
  const reply = (await retryServerCall(address, rpc, { items: [...items] })) as JsonObject;
  return (reply["results"] as readonly JsonObject[]).map((result, index) =>
    parseWriteResult(result, `items[${index}]`),
  );
}

async function writeItemsSingly(
  address: ServerAddress,
  kind: ResourceKind,
  items: readonly JsonValue[],
): Promise<readonly ItemWriteResult[]> {
  const written: ItemWriteResult[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < items.length; index = next++) {
      written[index] = await writeOneItem(address, kind, items[index] ?? null);
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_CALLS }, work));
  return written;
}

async function writeOneItem(address: ServerAddress, kind: ResourceKind, item: JsonValue): Promise<ItemWriteResult> {
  try {
    return parseWriteResult(
      (await retryServerCall(address, SINGLE_RPCS[kind] ?? "", { [kind]: item })) as JsonObject,
      kind,
    );
  } catch (error) {
    // A missing permission to write is reported once, not per resource.
    if (!(error instanceof ServerRefusal) || ["unauthenticated", "permission_denied"].includes(error.code)) throw error;
    return createRejectedResult(error.message, error.field, kind);
  }
}

async function retryServerCall(address: ServerAddress, rpc: string, request: JsonObject): Promise<JsonValue> {
  const text = JSON.stringify({ ...request, request_id: deriveRequestId(rpc, request) });
  for (let tries = 1; ; tries += 1) {
    try {
      return await callServer(address, rpc, text);
    } catch (error) {
      const passing =
        (error instanceof ServerRefusal && ["unavailable", "aborted"].includes(error.code)) ||
        (error instanceof OperationError && error.kind === "unavailable");
      if (!passing || tries >= MAX_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_BASE_MS * 2 ** tries));
    }
  }
}

/** Derives a UUID of version 8 from request and import, so that only equal calls of the same import share it. */
function deriveRequestId(rpc: string, request: JsonObject): string {
  const hash = createHash("sha256")
    .update(`${IMPORT_ID} ${rpc} ${JSON.stringify(request)}`)
    .digest("hex");
  const variant = "89ab"[Number.parseInt(hash[16] ?? "0", 16) % 4];
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join("-");
}

/** Random id of this import. Request ids differ between imports, because the inventory may have changed meanwhile. */
const IMPORT_ID = randomUUID();

function parseWriteResult(result: JsonObject, at: string): ItemWriteResult {
  const { outcome, error } = result as {
    outcome?: string;
    error?: { message?: string; details?: readonly JsonObject[] };
  };
  if (error === undefined || error === null) return { outcome: parseOutcome(outcome) };
  return createRejectedResult(error.message ?? "refused", findErrorField(error.details ?? []), at);
}

/** Creates the result of a rejected item. Converts the field's path in the request to its path in the resource. */
function createRejectedResult(reason: string, path: string | undefined, at: string): ItemWriteResult {
  const field = path?.startsWith(`${at}.`) ? path.slice(at.length + 1) : path;
  return { reason, ...(field !== undefined && field !== at && { field }) };
}

function parseOutcome(word: string | undefined): "CREATED" | "UPDATED" | "UNCHANGED" {
  if (word === "OUTCOME_CREATED") return "CREATED";
  return word === "OUTCOME_UPDATED" ? "UPDATED" : "UNCHANGED";
}

function findErrorField(details: readonly JsonObject[]): string | undefined {
  for (const { metadata } of details) {
    const field = (metadata as { readonly field?: string } | undefined)?.field;
    if (field !== undefined) return field;
  }
  return undefined;
}
