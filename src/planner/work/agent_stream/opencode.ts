import { aboutCall, type Event, numberAt, objectAt, ownValue, textAt } from "./event.ts";
import type { Transcript } from "./transcript.ts";

/** Handlers of the events of `opencode run --format json`. */
export const OPENCODE_EVENTS: ReadonlyMap<string, (event: Event, to: Transcript) => void> = new Map([
  ["text", (event: Event, to: Transcript) => to.say(textAt(objectAt(event, "part"), "text"))],
  ["tool_use", toolUse],
  ["step_start", (event: Event, to: Transcript) => to.begin(textAt(event, "sessionID"))],
  ["step_finish", stepFinished],
  ["error", error],
]);

function toolUse(event: Event, to: Transcript): void {
  const part = objectAt(event, "part");
  const state = objectAt(part, "state");
  const [name, about] = [textAt(part, "tool"), aboutCall(objectAt(state, "input"))];
  to.step(name, about);
  if (textAt(state, "status") !== "error") return;
  const why = textAt(state, "error");
  to.stepFailed(why);
  if (/specified a rule which prevents|rejected permission/.test(why)) to.deny(`${name} ${about}`);
}

function stepFinished(event: Event, to: Transcript): void {
  const part = objectAt(event, "part");
  const tokens = objectAt(part, "tokens");
  const cache = objectAt(tokens, "cache");
  const cached_input_tokens = numberAt(cache, "read");
  const cost = ownValue(part, "cost");
  to.spend({
    input_tokens: numberAt(tokens, "input") + numberAt(cache, "write") + cached_input_tokens,
    cached_input_tokens,
    output_tokens: numberAt(tokens, "output") + numberAt(tokens, "reasoning"),
    // The agent reports 0 for a model without a known price.
    cost_usd: typeof cost === "number" && cost > 0 ? cost : null,
  });
}

function error(event: Event, to: Transcript): void {
  const told = objectAt(event, "error");
  to.fail(textAt(objectAt(told, "data"), "message") || textAt(told, "message") || textAt(told, "name"));
}
