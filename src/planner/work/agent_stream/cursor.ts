import { isJsonObject } from "#kernel/json_object.ts";
import {
  type AgentEvent,
  type AgentTranscript,
  type EventHandlers,
  readContentText,
  readObject,
  readOwnValue,
  readText,
  summarizeToolCall,
} from "./transcript.ts";

/** Handlers of the events of `cursor-agent -p --output-format stream-json`. */
export const CURSOR_EVENT_HANDLERS: EventHandlers = new Map([
  ["assistant", (event, to) => to.addMessage(readContentText(readObject(event, "message"), "content"))],
  ["tool_call", handleToolCall],
  ["result", handleResult],
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

function handleResult(event: AgentEvent, to: AgentTranscript): void {
  const text = readText(event, "result");
  const subtype = readText(event, "subtype");
  if (readOwnValue(event, "is_error") === true || subtype.startsWith("error")) to.setFailure(text || subtype);
  // The result repeats all messages, so it is added only if no message arrived.
  else if (to.isSilent) to.addMessage(text);
}
