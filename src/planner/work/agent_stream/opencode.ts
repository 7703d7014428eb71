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
