import {
  type AgentEvent,
  type AgentTranscript,
  type EventHandlers,
  readObject,
  readOwnValue,
  readText,
  summarizeToolCall,
} from "./transcript.ts";

/** Handlers of the events of `copilot --output-format json`, which reports no tokens. */
export const COPILOT_EVENT_HANDLERS: EventHandlers = new Map([
  ["assistant.message", handleMessage],
  ["tool.execution_start", recordToolStart],
  ["tool.execution_complete", recordToolEnd],
  ["session.error", (event, to) => to.setFailure(readText(readObject(event, "data"), "message"))],
  ["result", (event, to) => to.setSession(readText(event, "sessionId"))],
]);

function handleMessage(event: AgentEvent, to: AgentTranscript): void {
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
