import { setTimeout } from "node:timers/promises";
import { toJson } from "@bufbuild/protobuf";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import type { ImportTarget, ItemWriteResult, WriteBatch } from "#dc/operations/import/run_import.ts";
import type { ImportEvent } from "#dc/operations/import/wire.ts";
import { convertModelToJson } from "#dc/operations/messages/model_json.ts";
import { detailRegistry } from "#dc/operations/messages/status.ts";
import { RESOURCE_SCHEMAS } from "#dc/operations/writes/changes.ts";
import { type ErrorKind, OperationError } from "#kernel/errors.ts";
import { tryParseJson } from "#kernel/json_object.ts";
import { postToServer, type ServerAddress, ServerRefusal } from "../server_address.ts";

/** Maximum size of a call in characters; the server accepts 16 MiB. */
const MAX_CALL_CHARS = 8 * (1 << 20);
const MAX_ATTEMPTS = 5;
const RETRY_BASE_MS = 200;

/** Creates a target that writes to a running server. A call whose reply was lost is repeated: it changes nothing more. */
export function createServerTarget(address: ServerAddress): ImportTarget {
  const write: WriteBatch = (kind, given) => {
    const lines = given.map((item) => {
      const resource =
        "resource" in item
          ? convertModelToJson(RESOURCE_SCHEMAS[kind], item.resource)
          : toJson(RESOURCE_SCHEMAS[kind], item.message, { useProtoFieldName: true, registry: detailRegistry });
      return JSON.stringify({ [kind]: resource });
    });
    return sendLines(address, lines);
  };
  return { batchSize: MAX_BATCH_ITEMS, run: (work) => work(write), interrupt: () => {} };
}

async function sendLines(address: ServerAddress, lines: readonly string[]): Promise<readonly ItemWriteResult[]> {
  const text = lines.join("\n");
  if (text.length > MAX_CALL_CHARS && lines.length > 1) {
    const half = Math.ceil(lines.length / 2);
    return [...(await sendLines(address, lines.slice(0, half))), ...(await sendLines(address, lines.slice(half)))];
  }
  return postLines(address, text);
}

async function postLines(address: ServerAddress, text: string): Promise<readonly ItemWriteResult[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      const sent = { body: text, type: "application/x-ndjson" };
      return readResults(await postToServer(address, "/import", sent, parseEvents));
    } catch (error) {
      const code = error instanceof ServerRefusal ? error.code : error instanceof OperationError ? error.kind : "";
      if (!["unavailable", "aborted"].includes(code) || tries >= MAX_ATTEMPTS) throw error;
      await setTimeout(RETRY_BASE_MS * 2 ** tries);
    }
  }
}

/** Parses the lines of a reply; undefined for that of another program. */
function parseEvents(reply: string): readonly ImportEvent[] | undefined {
  const lines = reply.trimEnd().split("\n");
  const events = lines.map((line) => tryParseJson(line) as ImportEvent | null | undefined);
  return events.every((event) => event?.event !== undefined) ? events : undefined;
}

/** Returns the results of lines. @throws OperationError if the import ended before the last line */
function readResults(events: readonly ImportEvent[]): readonly ItemWriteResult[] {
  const results: ItemWriteResult[] = [];
  for (const event of events) {
    if (event.event === "written") results[event.line - 1] = { outcome: event.outcome };
    if (event.event === "refused") {
      const { field = "", message = "" } = event.problems[0] ?? {};
      results[event.line - 1] = { reason: message, ...(field !== "" && { field }) };
    }
    if (event.event === "error")
      throw new OperationError(event.code === "internal" ? "unavailable" : (event.code as ErrorKind), event.message);
    if (event.event === "end" && event.state === "done") return results;
  }
  throw new OperationError("unavailable", "The server ended the import before its last line");
}
