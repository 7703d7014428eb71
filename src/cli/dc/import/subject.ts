import { isJsonObject } from "#kernel/json_object.ts";
import { KIND_NAMES } from "../kinds.ts";
import type { BadLine, Subject } from "./source.ts";

/** Names the resource of a line that was refused. */
export function subjectOf({ subject, text }: BadLine): Subject {
  if (subject !== undefined) return subject;
  const item = parsed(text);
  const kind = KIND_NAMES.find((name) => Object.hasOwn(item, name));
  if (kind === undefined) return {};
  const resource = fieldsOf(item[kind]);
  const ends = [resource["a"], resource["b"]].map(endText);
  const code = typeof resource["code"] === "string" ? resource["code"] : ends.includes("") ? "" : ends.join("~");
  return { kind, ...(code !== "" && { code }) };
}

function endText(end: unknown): string {
  const fields = fieldsOf(end);
  const device = fields["device_code"] ?? fields["deviceCode"];
  const port = fields["port_name"] ?? fields["portName"];
  return typeof device === "string" && typeof port === "string" ? `${device}/${port}` : "";
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}
