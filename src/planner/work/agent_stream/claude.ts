import type { Usage } from "../usage.ts";
import {
  type AgentEvent,
  type AgentTranscript,
  type EventHandlers,
  readContentText,
  readNumber,
  readObject,
  readObjects,
  readOwnValue,
  readText,
  summarizeToolCall,
} from "./transcript.ts";

/** Event handlers of `claude -p --output-format stream-json --verbose` and `qwen --output-format stream-json`. */
export const CLAUDE_EVENT_HANDLERS: EventHandlers = new Map([
  ["system", handleSystemEvent],
  ["assistant", handleAssistantEvent],
  ["user", handleUserEvent],
  ["result", handleResult],
]);

function handleSystemEvent(event: AgentEvent, to: AgentTranscript): void {
  to.setSession(readText(event, "session_id"));
  if (readText(event, "subtype") === "permission_denied") {
    to.addDenial(to.getCall(readText(event, "tool_use_id")) || readText(event, "tool_name"));
  }
  for (const server of readObjects(event, "mcp_servers")) {
    const status = readText(server, "status");
    if (status !== "connected" && status !== "pending") to.logNote("mcp", `${readText(server, "name")}: ${status}`);
  }
}

function handleAssistantEvent(event: AgentEvent, to: AgentTranscript): void {
  const isOwn = readText(event, "parent_tool_use_id") === "";
  const message = readObject(event, "message");
  // One message arrives as several events, each with the usage of the whole message.
  if (to.isNewMessage(readText(message, "id"))) to.addReportedUsage(parseUsage(readObject(message, "usage"), null));
  for (const block of readObjects(message, "content")) {
    const text = readText(block, "text");
    if (readText(block, "type") === "tool_use") recordToolCall(block, to);
    else if (readText(block, "type") === "text" && isOwn) to.addMessage(text);
    else if (readText(block, "type") === "text") to.logMessage(text);
  }
}

function recordToolCall(block: AgentEvent, to: AgentTranscript): void {
  const [name, about] = [readText(block, "name"), summarizeToolCall(readObject(block, "input"))];
  to.logStep(name, about);
  to.storeCall(readText(block, "id"), `${name} ${about}`);
}

function parseUsage(usage: AgentEvent, cost_usd: number | null): Usage {
  const cached_input_tokens = readNumber(usage, "cache_read_input_tokens");
  const uncachedInputTokens = readNumber(usage, "input_tokens") + readNumber(usage, "cache_creation_input_tokens");
  const output_tokens = readNumber(usage, "output_tokens");
  return { input_tokens: uncachedInputTokens + cached_input_tokens, cached_input_tokens, output_tokens, cost_usd };
}

function handleUserEvent(event: AgentEvent, to: AgentTranscript): void {
  for (const block of readObjects(readObject(event, "message"), "content")) {
    if (readOwnValue(block, "is_error") === true) to.logStepFailure(readContentText(block, "content"));
  }
}

function handleResult(event: AgentEvent, to: AgentTranscript): void {
  for (const denial of readObjects(event, "permission_denials")) {
    to.addDenial(`${readText(denial, "tool_name")} ${summarizeToolCall(readObject(denial, "tool_input"))}`);
  }
  const cost = readOwnValue(event, "total_cost_usd");
  // The price covers the whole session, and the usage includes tokens that no message reported.
  if (Object.hasOwn(event, "usage"))
    to.setUsage(parseUsage(readObject(event, "usage"), typeof cost === "number" ? cost : null));
  const text = readText(event, "result");
  const subtype = readText(event, "subtype");
  if (readOwnValue(event, "is_error") !== true && (subtype === "success" || subtype === "")) {
    if (text !== "") to.setOutput(text);
    return;
  }
  const errors = readOwnValue(event, "errors");
  const errorText = Array.isArray(errors) ? errors.filter((each) => typeof each === "string").join("; ") : "";
  // Qwen Code prints the same events, except that the reason is in an object.
  to.setFailure(text || errorText || readText(readObject(event, "error"), "message") || subtype);
}
