import type { Usage } from "../usage.ts";
import { aboutCall, contentText, type Event, numberAt, objectAt, objectsAt, ownValue, textAt } from "./event.ts";
import type { Transcript } from "./transcript.ts";

/**
 * Handlers of the events of `claude -p --output-format stream-json --verbose` and `qwen --output-format stream-json`.
 */
export const CLAUDE_EVENTS: ReadonlyMap<string, (event: Event, to: Transcript) => void> = new Map([
  ["system", system],
  ["assistant", assistant],
  ["user", user],
  ["result", result],
]);

function system(event: Event, to: Transcript): void {
  to.begin(textAt(event, "session_id"));
  if (textAt(event, "subtype") === "permission_denied") {
    to.deny(to.recall(textAt(event, "tool_use_id")) || textAt(event, "tool_name"));
  }
  for (const server of objectsAt(event, "mcp_servers")) {
    const status = textAt(server, "status");
    if (status !== "connected" && status !== "pending") to.note("mcp", `${textAt(server, "name")}: ${status}`);
  }
}

function assistant(event: Event, to: Transcript): void {
  const isOwn = textAt(event, "parent_tool_use_id") === "";
  const message = objectAt(event, "message");
  // One message arrives as several events, each with the usage of the whole message.
  if (to.isNew(textAt(message, "id"))) to.spend(usageOf(objectAt(message, "usage"), null));
  for (const block of objectsAt(message, "content")) {
    const text = textAt(block, "text");
    if (textAt(block, "type") === "tool_use") noteCall(block, to);
    else if (textAt(block, "type") === "text" && isOwn) to.say(text);
    else if (textAt(block, "type") === "text") to.quote(text);
  }
}

function noteCall(block: Event, to: Transcript): void {
  const [name, about] = [textAt(block, "name"), aboutCall(objectAt(block, "input"))];
  to.step(name, about);
  to.remember(textAt(block, "id"), `${name} ${about}`);
}

function usageOf(usage: Event, cost_usd: number | null): Usage {
  const cached_input_tokens = numberAt(usage, "cache_read_input_tokens");
  const fresh = numberAt(usage, "input_tokens") + numberAt(usage, "cache_creation_input_tokens");
  const output_tokens = numberAt(usage, "output_tokens");
  return { input_tokens: fresh + cached_input_tokens, cached_input_tokens, output_tokens, cost_usd };
}

function user(event: Event, to: Transcript): void {
  for (const block of objectsAt(objectAt(event, "message"), "content")) {
    if (ownValue(block, "is_error") === true) to.stepFailed(contentText(block, "content"));
  }
}

function result(event: Event, to: Transcript): void {
  for (const denial of objectsAt(event, "permission_denials")) {
    to.deny(`${textAt(denial, "tool_name")} ${aboutCall(objectAt(denial, "tool_input"))}`);
  }
  const cost = ownValue(event, "total_cost_usd");
  // The price covers the whole session, and the usage includes tokens that no message reported.
  if (Object.hasOwn(event, "usage"))
    to.spent(usageOf(objectAt(event, "usage"), typeof cost === "number" ? cost : null));
  const text = textAt(event, "result");
  const subtype = textAt(event, "subtype");
  if (ownValue(event, "is_error") !== true && (subtype === "success" || subtype === "")) {
    if (text !== "") to.finish(text);
    return;
  }
  const errors = ownValue(event, "errors");
  const told = Array.isArray(errors) ? errors.filter((each) => typeof each === "string").join("; ") : "";
  // Qwen Code prints the same events, except that the reason is in an object.
  to.fail(text || told || textAt(objectAt(event, "error"), "message") || subtype);
}
