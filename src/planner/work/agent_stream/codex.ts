import {
  type AgentEvent,
  type AgentTranscript,
  type EventHandlers,
  readNumber,
  readObject,
  readObjects,
  readOwnValue,
  readText,
  summarizeToolCall,
} from "./transcript.ts";

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
