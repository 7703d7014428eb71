import { isJsonObject } from "#kernel/json_object.ts";
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
  ["result", handleClaudeResult],
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

function handleClaudeResult(event: AgentEvent, to: AgentTranscript): void {
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

/** Handlers of the events of `codex exec --json`. */
export const CODEX_EVENT_HANDLERS: EventHandlers = new Map([
  ["thread.started", (event, to) => to.setSession(readText(event, "thread_id"))],
  ["item.started", recordItemStart],
  ["item.completed", recordItemEnd],
  // Codex also reports a lost connection that it will retry, so a turn that ends well clears this failure.
  ["error", (event, to) => to.setFailure(readText(event, "message"))],
  ["turn.failed", (event, to) => to.setFailure(readText(readObject(event, "error"), "message"))],
  ["turn.completed", handleTurnCompleted],
]);

function handleTurnCompleted(event: AgentEvent, to: AgentTranscript): void {
  to.clearFailure();
  const usage = readObject(event, "usage");
  to.setUsage({
    input_tokens: readNumber(usage, "input_tokens"),
    cached_input_tokens: readNumber(usage, "cached_input_tokens"),
    output_tokens: readNumber(usage, "output_tokens"),
    cost_usd: null,
  });
}

function recordItemStart(event: AgentEvent, to: AgentTranscript): void {
  const item = readObject(event, "item");
  if (readText(item, "type") === "command_execution") to.logStep("shell", readText(item, "command"));
  if (readText(item, "type") === "mcp_tool_call") {
    to.logStep(
      `${readText(item, "server")}.${readText(item, "tool")}`,
      summarizeToolCall(readObject(item, "arguments")),
    );
  }
}

const ITEM_HANDLERS: EventHandlers = new Map([
  ["agent_message", (item, to) => to.addMessage(readText(item, "text"))],
  ["command_execution", recordCommandEnd],
  ["mcp_tool_call", recordCallEnd],
  ["file_change", recordFileChanges],
  ["web_search", (item, to) => to.logStep("web_search", readText(item, "query"))],
  ["error", (item, to) => to.logNote("warning", readText(item, "message"))],
]);

function recordItemEnd(event: AgentEvent, to: AgentTranscript): void {
  const item = readObject(event, "item");
  ITEM_HANDLERS.get(readText(item, "type"))?.(item, to);
}

function recordCommandEnd(item: AgentEvent, to: AgentTranscript): void {
  const code = readOwnValue(item, "exit_code");
  const status = readText(item, "status");
  if (typeof code === "number" && code !== 0) to.logStepFailure(`exit status ${code}`);
  else if (status === "failed" || status === "declined") to.logStepFailure(status);
  if (status === "declined") to.addDenial(`shell ${readText(item, "command")}`);
}

function recordCallEnd(item: AgentEvent, to: AgentTranscript): void {
  if (readText(item, "status") !== "failed") return;
  const why = readText(readObject(item, "error"), "message");
  to.logStepFailure(why);
  if (/cancel+ed|rejected/i.test(why)) to.addDenial(`${readText(item, "server")}.${readText(item, "tool")}`);
}

function recordFileChanges(item: AgentEvent, to: AgentTranscript): void {
  const paths = readObjects(item, "changes").map((change) => readText(change, "path"));
  to.logStep("edit", paths.join(", "));
  if (readText(item, "status") === "failed") to.logStepFailure("the change did not apply");
}

/** Handlers of the events of `copilot --output-format json`, which reports no tokens. */
export const COPILOT_EVENT_HANDLERS: EventHandlers = new Map([
  ["assistant.message", handleCopilotMessage],
  ["tool.execution_start", recordToolStart],
  ["tool.execution_complete", recordToolEnd],
  ["session.error", (event, to) => to.setFailure(readText(readObject(event, "data"), "message"))],
  ["result", (event, to) => to.setSession(readText(event, "sessionId"))],
]);

function handleCopilotMessage(event: AgentEvent, to: AgentTranscript): void {
  const data = readObject(event, "data");
  const text = readText(data, "content");
  if (text === "") return;
  // The message of a subagent names the call that started it.
  if (readText(data, "parentToolCallId") === "") to.addMessage(text);
  else to.logMessage(text);
}

function recordToolStart(event: AgentEvent, to: AgentTranscript): void {
  const data = readObject(event, "data");
  const [name, about] = [readText(data, "toolName"), summarizeToolCall(readObject(data, "arguments"))];
  to.logStep(name, about);
  to.storeCall(readText(data, "toolCallId"), `${name} ${about}`);
}

function recordToolEnd(event: AgentEvent, to: AgentTranscript): void {
  const data = readObject(event, "data");
  if (readOwnValue(data, "success") !== false) return;
  const error = readObject(data, "error");
  to.logStepFailure(readText(error, "message"));
  if (readText(error, "code") === "denied") to.addDenial(to.getCall(readText(data, "toolCallId")));
}

/** Handlers of the events of `cursor-agent -p --output-format stream-json`. */
export const CURSOR_EVENT_HANDLERS: EventHandlers = new Map([
  ["assistant", (event, to) => to.addMessage(readContentText(readObject(event, "message"), "content"))],
  ["tool_call", handleToolCall],
  ["result", handleCursorResult],
]);

// The only key names the tool, as in `{ "readToolCall": { "args": …, "result": { "success": … } } }`.
function handleToolCall(event: AgentEvent, to: AgentTranscript): void {
  const entry = Object.entries(readObject(event, "tool_call")).find(([, value]) => isJsonObject(value));
  if (entry === undefined) return;
  const [key, value] = entry as [string, AgentEvent];
  if (readText(event, "subtype") === "started") {
    const name = readText(value, "name") || key.replace(/ToolCall$/, "");
    to.logStep(name, summarizeToolCall(readObject(value, "args")) || readText(value, "arguments"));
    return;
  }
  const outcome = readObject(value, "result");
  for (const word of ["error", "failure", "rejected"]) {
    const why = readOwnValue(outcome, word);
    if (why !== undefined)
      to.logStepFailure(isJsonObject(why) ? readText(why, "message") || readText(why, "error") || word : word);
  }
}

function handleCursorResult(event: AgentEvent, to: AgentTranscript): void {
  const text = readText(event, "result");
  const subtype = readText(event, "subtype");
  if (readOwnValue(event, "is_error") === true || subtype.startsWith("error")) to.setFailure(text || subtype);
  // The result repeats all messages, so it is added only if no message arrived.
  else if (to.isSilent) to.addMessage(text);
}

/** Handlers of the events of `gemini --output-format stream-json`. */
export const GEMINI_EVENT_HANDLERS: EventHandlers = new Map([
  ["message", handleGeminiMessage],
  ["init", (event, to) => to.setSession(readText(event, "session_id"))],
  ["tool_use", handleToolUse],
  ["tool_result", handleToolResult],
  [
    "error",
    (event, to) =>
      to.logNote(readText(event, "severity") === "warning" ? "warning" : "error", readText(event, "message")),
  ],
  ["result", handleGeminiResult],
]);

function handleGeminiMessage(event: AgentEvent, to: AgentTranscript): void {
  if (readText(event, "role") !== "assistant") return;
  if (readOwnValue(event, "delta") === true) to.addMessagePiece(readText(event, "content"));
  else to.addMessage(readText(event, "content"));
}

function handleToolUse(event: AgentEvent, to: AgentTranscript): void {
  const [name, about] = [readText(event, "tool_name"), summarizeToolCall(readObject(event, "parameters"))];
  to.logStep(name, about);
  to.storeCall(readText(event, "tool_id"), `${name} ${about}`);
}

function handleToolResult(event: AgentEvent, to: AgentTranscript): void {
  if (readText(event, "status") !== "error") return;
  const error = readObject(event, "error");
  const why = readText(error, "message") || readText(event, "output");
  to.logStepFailure(why);
  if (
    readText(error, "type") === "policy_violation" ||
    /denied by policy|requires? (?:user )?confirmation/i.test(why)
  ) {
    to.addDenial(to.getCall(readText(event, "tool_id")));
  }
}

function handleGeminiResult(event: AgentEvent, to: AgentTranscript): void {
  const stats = readObject(event, "stats");
  to.setUsage({
    input_tokens: readNumber(stats, "input_tokens"),
    cached_input_tokens: readNumber(stats, "cached"),
    output_tokens: readNumber(stats, "output_tokens"),
    cost_usd: null,
  });
  if (readText(event, "status") === "error") to.setFailure(readText(readObject(event, "error"), "message"));
}

/** Handlers of the events of `opencode run --format json`. */
export const OPENCODE_EVENT_HANDLERS: EventHandlers = new Map([
  ["text", (event, to) => to.addMessage(readText(readObject(event, "part"), "text"))],
  ["tool_use", recordToolUse],
  ["step_start", (event, to) => to.setSession(readText(event, "sessionID"))],
  ["step_finish", handleStepFinished],
  ["error", handleErrorEvent],
]);

function recordToolUse(event: AgentEvent, to: AgentTranscript): void {
  const part = readObject(event, "part");
  const state = readObject(part, "state");
  const [name, about] = [readText(part, "tool"), summarizeToolCall(readObject(state, "input"))];
  to.logStep(name, about);
  if (readText(state, "status") !== "error") return;
  const why = readText(state, "error");
  to.logStepFailure(why);
  if (/specified a rule which prevents|rejected permission/.test(why)) to.addDenial(`${name} ${about}`);
}

function handleStepFinished(event: AgentEvent, to: AgentTranscript): void {
  const part = readObject(event, "part");
  const tokens = readObject(part, "tokens");
  const cache = readObject(tokens, "cache");
  const cached_input_tokens = readNumber(cache, "read");
  const cost = readOwnValue(part, "cost");
  to.addReportedUsage({
    input_tokens: readNumber(tokens, "input") + readNumber(cache, "write") + cached_input_tokens,
    cached_input_tokens,
    output_tokens: readNumber(tokens, "output") + readNumber(tokens, "reasoning"),
    // The agent reports 0 for a model without a known price.
    cost_usd: typeof cost === "number" && cost > 0 ? cost : null,
  });
}

function handleErrorEvent(event: AgentEvent, to: AgentTranscript): void {
  const error = readObject(event, "error");
  to.setFailure(
    readText(readObject(error, "data"), "message") || readText(error, "message") || readText(error, "name"),
  );
}
