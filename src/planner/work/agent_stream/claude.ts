import { aboutCall, contentText, type Event, objectAt, objectsAt, ownValue, textAt } from "./event.ts";
import type { Transcript } from "./transcript.ts";

/** Events of `claude -p --output-format stream-json --verbose`. */
export const CLAUDE_EVENTS: ReadonlyMap<string, (event: Event, to: Transcript) => void> = new Map([
  ["system", system],
  ["assistant", assistant],
  ["user", user],
  ["result", result],
]);

function system(event: Event, to: Transcript): void {
  for (const server of objectsAt(event, "mcp_servers")) {
    const status = textAt(server, "status");
    if (status !== "connected" && status !== "pending") to.note("mcp", `${textAt(server, "name")}: ${status}`);
  }
}

function assistant(event: Event, to: Transcript): void {
  const isOwn = textAt(event, "parent_tool_use_id") === "";
  for (const block of objectsAt(objectAt(event, "message"), "content")) {
    const text = textAt(block, "text");
    if (textAt(block, "type") === "tool_use") to.step(textAt(block, "name"), aboutCall(objectAt(block, "input")));
    else if (textAt(block, "type") === "text" && isOwn) to.say(text);
    else if (textAt(block, "type") === "text") to.quote(text);
  }
}

function user(event: Event, to: Transcript): void {
  for (const block of objectsAt(objectAt(event, "message"), "content")) {
    if (ownValue(block, "is_error") === true) to.stepFailed(contentText(block, "content"));
  }
}

function result(event: Event, to: Transcript): void {
  for (const denial of objectsAt(event, "permission_denials")) {
    to.note("denied", `${textAt(denial, "tool_name")} ${aboutCall(objectAt(denial, "tool_input"))}`);
  }
  const text = textAt(event, "result");
  const subtype = textAt(event, "subtype");
  if (ownValue(event, "is_error") !== true && (subtype === "success" || subtype === "")) {
    if (text !== "") to.finish(text);
    return;
  }
  const errors = ownValue(event, "errors");
  const told = Array.isArray(errors) ? errors.filter((each) => typeof each === "string").join("; ") : "";
  to.fail(text || told || subtype);
}
