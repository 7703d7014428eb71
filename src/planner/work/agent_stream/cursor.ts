import { isJsonObject } from "#kernel/json_object.ts";
import { aboutCall, contentText, type Event, objectAt, ownValue, textAt } from "./event.ts";
import type { Transcript } from "./transcript.ts";

/** Handlers of the events of `cursor-agent -p --output-format stream-json`. */
export const CURSOR_EVENTS: ReadonlyMap<string, (event: Event, to: Transcript) => void> = new Map([
  ["assistant", (event: Event, to: Transcript) => to.say(contentText(objectAt(event, "message"), "content"))],
  ["tool_call", toolCall],
  ["result", result],
]);

// The only key names the tool, as in `{ "readToolCall": { "args": …, "result": { "success": … } } }`.
function toolCall(event: Event, to: Transcript): void {
  const entry = Object.entries(objectAt(event, "tool_call")).find(([, value]) => isJsonObject(value));
  if (entry === undefined) return;
  const [key, value] = entry as [string, Event];
  if (textAt(event, "subtype") === "started") {
    const name = textAt(value, "name") || key.replace(/ToolCall$/, "");
    to.step(name, aboutCall(objectAt(value, "args")) || textAt(value, "arguments"));
    return;
  }
  const outcome = objectAt(value, "result");
  for (const word of ["error", "failure", "rejected"]) {
    const why = ownValue(outcome, word);
    if (why !== undefined)
      to.stepFailed(isJsonObject(why) ? textAt(why, "message") || textAt(why, "error") || word : word);
  }
}

function result(event: Event, to: Transcript): void {
  const text = textAt(event, "result");
  const subtype = textAt(event, "subtype");
  if (ownValue(event, "is_error") === true || subtype.startsWith("error")) to.fail(text || subtype);
  // The result repeats all messages, and only their end is the output.
  else if (to.isSilent) to.say(text);
}
