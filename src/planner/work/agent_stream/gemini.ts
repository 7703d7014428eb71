import {
  type AgentEvent,
  type AgentTranscript,
  type EventHandlers,
  readNumber,
  readObject,
  readOwnValue,
  readText,
  summarizeToolCall,
} from "./transcript.ts";

/** Handlers of the events of `gemini --output-format stream-json`. */
export const GEMINI_EVENT_HANDLERS: EventHandlers = new Map([
  ["message", handleMessage],
  ["init", (event, to) => to.setSession(readText(event, "session_id"))],
  ["tool_use", handleToolUse],
  ["tool_result", handleToolResult],
  [
    "error",
    (event, to) =>
      to.logNote(readText(event, "severity") === "warning" ? "warning" : "error", readText(event, "message")),
  ],
  ["result", handleResult],
]);

function handleMessage(event: AgentEvent, to: AgentTranscript): void {
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

function handleResult(event: AgentEvent, to: AgentTranscript): void {
  const stats = readObject(event, "stats");
  to.setUsage({
    input_tokens: readNumber(stats, "input_tokens"),
    cached_input_tokens: readNumber(stats, "cached"),
    output_tokens: readNumber(stats, "output_tokens"),
    cost_usd: null,
  });
  if (readText(event, "status") === "error") to.setFailure(readText(readObject(event, "error"), "message"));
}
