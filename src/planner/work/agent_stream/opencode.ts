import { aboutCall, type Event, objectAt, textAt } from "./event.ts";
import type { Transcript } from "./transcript.ts";

/** Events of `opencode run --format json`. */
export const OPENCODE_EVENTS: ReadonlyMap<string, (event: Event, to: Transcript) => void> = new Map([
  ["text", (event: Event, to: Transcript) => to.say(textAt(objectAt(event, "part"), "text"))],
  ["tool_use", toolUse],
  ["error", error],
]);

function toolUse(event: Event, to: Transcript): void {
  const part = objectAt(event, "part");
  const state = objectAt(part, "state");
  to.step(textAt(part, "tool"), aboutCall(objectAt(state, "input")));
  if (textAt(state, "status") === "error") to.stepFailed(textAt(state, "error"));
}

function error(event: Event, to: Transcript): void {
  const told = objectAt(event, "error");
  to.fail(textAt(objectAt(told, "data"), "message") || textAt(told, "message") || textAt(told, "name"));
}
