import { aboutCall, type Event, objectAt, ownValue, textAt } from "./event.ts";
import type { Transcript } from "./transcript.ts";

/** Events of `gemini --output-format stream-json`. */
export const GEMINI_EVENTS: ReadonlyMap<string, (event: Event, to: Transcript) => void> = new Map([
  ["message", message],
  [
    "tool_use",
    (event: Event, to: Transcript) => to.step(textAt(event, "tool_name"), aboutCall(objectAt(event, "parameters"))),
  ],
  ["tool_result", toolResult],
  [
    "error",
    (event: Event, to: Transcript) =>
      to.note(textAt(event, "severity") === "warning" ? "warning" : "error", textAt(event, "message")),
  ],
  ["result", result],
]);

function message(event: Event, to: Transcript): void {
  if (textAt(event, "role") !== "assistant") return;
  if (ownValue(event, "delta") === true) to.stream(textAt(event, "content"));
  else to.say(textAt(event, "content"));
}

function toolResult(event: Event, to: Transcript): void {
  if (textAt(event, "status") === "error") {
    to.stepFailed(textAt(objectAt(event, "error"), "message") || textAt(event, "output"));
  }
}

function result(event: Event, to: Transcript): void {
  if (textAt(event, "status") === "error") to.fail(textAt(objectAt(event, "error"), "message"));
}
