import { aboutCall, type Event, numberAt, objectAt, ownValue, textAt } from "./event.ts";
import type { Transcript } from "./transcript.ts";

/** Handlers of the events of `gemini --output-format stream-json`. */
export const GEMINI_EVENTS: ReadonlyMap<string, (event: Event, to: Transcript) => void> = new Map([
  ["message", message],
  ["init", (event: Event, to: Transcript) => to.begin(textAt(event, "session_id"))],
  ["tool_use", toolUse],
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

function toolUse(event: Event, to: Transcript): void {
  const [name, about] = [textAt(event, "tool_name"), aboutCall(objectAt(event, "parameters"))];
  to.step(name, about);
  to.remember(textAt(event, "tool_id"), `${name} ${about}`);
}

function toolResult(event: Event, to: Transcript): void {
  if (textAt(event, "status") !== "error") return;
  const error = objectAt(event, "error");
  const why = textAt(error, "message") || textAt(event, "output");
  to.stepFailed(why);
  if (textAt(error, "type") === "policy_violation" || /denied by policy|requires? (?:user )?confirmation/i.test(why)) {
    to.deny(to.recall(textAt(event, "tool_id")));
  }
}

function result(event: Event, to: Transcript): void {
  const stats = objectAt(event, "stats");
  to.spent({
    input_tokens: numberAt(stats, "input_tokens"),
    cached_input_tokens: numberAt(stats, "cached"),
    output_tokens: numberAt(stats, "output_tokens"),
    cost_usd: null,
  });
  if (textAt(event, "status") === "error") to.fail(textAt(objectAt(event, "error"), "message"));
}
