import { aboutCall, type Event, numberAt, objectAt, objectsAt, ownValue, textAt } from "./event.ts";
import type { Transcript } from "./transcript.ts";

/** Handlers of the events of `codex exec --json`. */
export const CODEX_EVENTS: ReadonlyMap<string, (event: Event, to: Transcript) => void> = new Map([
  ["thread.started", (event: Event, to: Transcript) => to.begin(textAt(event, "thread_id"))],
  ["item.started", noteStart],
  ["item.completed", noteEnd],
  // Codex also reports a lost connection that it will retry, so a turn that ends well clears this failure.
  ["error", (event: Event, to: Transcript) => to.fail(textAt(event, "message"))],
  ["turn.failed", (event: Event, to: Transcript) => to.fail(textAt(objectAt(event, "error"), "message"))],
  ["turn.completed", turnCompleted],
]);

function turnCompleted(event: Event, to: Transcript): void {
  to.recover();
  const usage = objectAt(event, "usage");
  to.spent({
    input_tokens: numberAt(usage, "input_tokens"),
    cached_input_tokens: numberAt(usage, "cached_input_tokens"),
    output_tokens: numberAt(usage, "output_tokens"),
    cost_usd: null,
  });
}

function noteStart(event: Event, to: Transcript): void {
  const item = objectAt(event, "item");
  if (textAt(item, "type") === "command_execution") to.step("shell", textAt(item, "command"));
  if (textAt(item, "type") === "mcp_tool_call") {
    to.step(`${textAt(item, "server")}.${textAt(item, "tool")}`, aboutCall(objectAt(item, "arguments")));
  }
}

const ITEMS: ReadonlyMap<string, (item: Event, to: Transcript) => void> = new Map([
  ["agent_message", (item: Event, to: Transcript) => to.say(textAt(item, "text"))],
  ["command_execution", noteCommandEnd],
  ["mcp_tool_call", noteCallEnd],
  ["file_change", noteFileChanges],
  ["web_search", (item: Event, to: Transcript) => to.step("web_search", textAt(item, "query"))],
  ["error", (item: Event, to: Transcript) => to.note("warning", textAt(item, "message"))],
]);

function noteEnd(event: Event, to: Transcript): void {
  const item = objectAt(event, "item");
  ITEMS.get(textAt(item, "type"))?.(item, to);
}

function noteCommandEnd(item: Event, to: Transcript): void {
  const code = ownValue(item, "exit_code");
  const status = textAt(item, "status");
  if (typeof code === "number" && code !== 0) to.stepFailed(`exit status ${code}`);
  else if (status === "failed" || status === "declined") to.stepFailed(status);
  if (status === "declined") to.deny(`shell ${textAt(item, "command")}`);
}

function noteCallEnd(item: Event, to: Transcript): void {
  if (textAt(item, "status") !== "failed") return;
  const why = textAt(objectAt(item, "error"), "message");
  to.stepFailed(why);
  if (/cancel+ed|rejected/i.test(why)) to.deny(`${textAt(item, "server")}.${textAt(item, "tool")}`);
}

function noteFileChanges(item: Event, to: Transcript): void {
  const paths = objectsAt(item, "changes").map((change) => textAt(change, "path"));
  to.step("edit", paths.join(", "));
  if (textAt(item, "status") === "failed") to.stepFailed("the change did not apply");
}
