import type { Usage } from "../usage.ts";
import {
  type AgentEvent,
  readContentText,
  readNumber,
  readObject,
  readObjects,
  readOwnValue,
  readText,
  summarizeToolCall,
} from "./event.ts";
import type { AgentTranscript } from "./transcript.ts";

/** Event handlers of `claude -p --output-format stream-json --verbose` and `qwen --output-format stream-json`. */
export const CLAUDE_EVENTS: ReadonlyMap<string, (event: AgentEvent, to: AgentTranscript) => void> = new Map([
  ["system", handleSystemEvent],
  ["assistant", handleAssistantEvent],
  ["user", handleUserEvent],
  ["result", handleResult],
]);

function handleSystemEvent(event: AgentEvent, to: AgentTranscript): void {
  to.begin(readText(event, "session_id"));
  if (readText(event, "subtype") === "permission_denied") {
    to.deny(to.recall(readText(event, "tool_use_id")) || readText(event, "tool_name"));
  }
  for (const server of readObjects(event, "mcp_servers")) {
    const status = readText(server, "status");
    if (status !== "connected" && status !== "pending") to.note("mcp", `${readText(server, "name")}: ${status}`);
  }
}

function handleAssistantEvent(event: AgentEvent, to: AgentTranscript): void {
  const isOwn = readText(event, "parent_tool_use_id") === "";
  const message = readObject(event, "message");
  // One message arrives as several events, each with the usage of the whole message.
  if (to.isNew(readText(message, "id"))) to.spend(parseUsage(readObject(message, "usage"), null));
  for (const block of readObjects(message, "content")) {
    const text = readText(block, "text");
    if (readText(block, "type") === "tool_use") recordToolCall(block, to);
    else if (readText(block, "type") === "text" && isOwn) to.say(text);
    else if (readText(block, "type") === "text") to.quote(text);
  }
}

function recordToolCall(block: AgentEvent, to: AgentTranscript): void {
  const [name, about] = [readText(block, "name"), summarizeToolCall(readObject(block, "input"))];
  to.step(name, about);
  to.remember(readText(block, "id"), `${name} ${about}`);
}

function parseUsage(usage: AgentEvent, cost_usd: number | null): Usage {
  const cached_input_tokens = readNumber(usage, "cache_read_input_tokens");
  const fresh = readNumber(usage, "input_tokens") + readNumber(usage, "cache_creation_input_tokens");
  const output_tokens = readNumber(usage, "output_tokens");
  return { input_tokens: fresh + cached_input_tokens, cached_input_tokens, output_tokens, cost_usd };
}

function handleUserEvent(event: AgentEvent, to: AgentTranscript): void {
  for (const block of readObjects(readObject(event, "message"), "content")) {
    if (readOwnValue(block, "is_error") === true) to.stepFailed(readContentText(block, "content"));
  }
}

function handleResult(event: AgentEvent, to: AgentTranscript): void {
  for (const denial of readObjects(event, "permission_denials")) {
    to.deny(`${readText(denial, "tool_name")} ${summarizeToolCall(readObject(denial, "tool_input"))}`);
  }
  const cost = readOwnValue(event, "total_cost_usd");
  // The price covers the whole session, and the usage includes tokens that no message reported.
  if (Object.hasOwn(event, "usage"))
    to.spent(parseUsage(readObject(event, "usage"), typeof cost === "number" ? cost : null));
  const text = readText(event, "result");
  const subtype = readText(event, "subtype");
  if (readOwnValue(event, "is_error") !== true && (subtype === "success" || subtype === "")) {
    if (text !== "") to.finish(text);
    return;
  }
  const errors = readOwnValue(event, "errors");
  const told = Array.isArray(errors) ? errors.filter((each) => typeof each === "string").join("; ") : "";
  // Qwen Code prints the same events, except that the reason is in an object.
  to.fail(text || told || readText(readObject(event, "error"), "message") || subtype);
}
