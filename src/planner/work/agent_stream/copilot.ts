import { aboutCall, type Event, objectAt, ownValue, textAt } from "./event.ts";
import type { Transcript } from "./transcript.ts";

/** Handlers of the events of `copilot --output-format json`, which reports no tokens. */
export const COPILOT_EVENTS: ReadonlyMap<string, (event: Event, to: Transcript) => void> = new Map([
  ["assistant.message", message],
  ["tool.execution_start", noteStart],
  ["tool.execution_complete", noteEnd],
  ["session.error", (event: Event, to: Transcript) => to.fail(textAt(objectAt(event, "data"), "message"))],
  ["result", (event: Event, to: Transcript) => to.begin(textAt(event, "sessionId"))],
]);

function message(event: Event, to: Transcript): void {
  const data = objectAt(event, "data");
  const text = textAt(data, "content");
  if (text === "") return;
  // The message of a subagent names the call that started it.
  if (textAt(data, "parentToolCallId") === "") to.say(text);
  else to.quote(text);
}

function noteStart(event: Event, to: Transcript): void {
  const data = objectAt(event, "data");
  const [name, about] = [textAt(data, "toolName"), aboutCall(objectAt(data, "arguments"))];
  to.step(name, about);
  to.remember(textAt(data, "toolCallId"), `${name} ${about}`);
}

function noteEnd(event: Event, to: Transcript): void {
  const data = objectAt(event, "data");
  if (ownValue(data, "success") !== false) return;
  const error = objectAt(data, "error");
  to.stepFailed(textAt(error, "message"));
  if (textAt(error, "code") === "denied") to.deny(to.recall(textAt(data, "toolCallId")));
}
