import { isJsonObject } from "#kernel/json_object.ts";
import type { SpecDocument } from "./document.ts";
import { findTitle } from "./sections.ts";
import { type Approval, isCalendarDay, normalizeStatus, parsePriority, type Spec } from "./spec.ts";
import type { SpecId } from "./spec_id.ts";

/** Location of a spec's file. */
export interface SpecLocation {
  readonly id: SpecId;
  /** Path from the project root, with forward slashes. */
  readonly file: string;
  readonly archived: boolean;
}

/**
 * Reads the known fields. A list may be written as one text (`labels: web`). A value of another type than its field
 * counts as absent, a status as a word that planner does not know; lint reports it. Source: docs/decisions.md#s-05, docs/decisions.md#s-09;
 * docs/contract/spec-tool.md#spec: the title is the body's first heading, else the field `title`.
 */
export function buildSpec(place: SpecLocation, document: SpecDocument & { readonly ok: true }): Spec {
  const { frontmatter, body, bodyLine } = document;
  return {
    ...place,
    title: findTitle(body) ?? readFieldText(frontmatter["title"]),
    status: readStatus(frontmatter["status"]),
    type: readFieldText(frontmatter["type"]) ?? "code",
    dependsOn: readFieldList(frontmatter["depends_on"]),
    labels: readFieldList(frontmatter["labels"]),
    targetFiles: readFieldList(frontmatter["target_files"]),
    members: readFieldList(frontmatter["members"]),
    model: readFieldText(frontmatter["model"]),
    outputSchema: readFieldText(frontmatter["output_schema"]),
    approval: readApproval(frontmatter["approval"]),
    priority: parsePriority(readFieldText(frontmatter["priority"])),
    assignee: readFieldText(frontmatter["assignee"]),
    due: readFieldDay(frontmatter["due"]),
    frontmatter,
    body,
    bodyLine,
  };
}

function readStatus(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : normalizeStatus(readFieldText(value));
}

function readFieldText(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

function readFieldDay(value: unknown): string | null {
  const text = readFieldText(value);
  return text !== null && isCalendarDay(text) ? text : null;
}

function readFieldList(value: unknown): readonly string[] {
  const items = Array.isArray(value) ? value : [value];
  return items.filter((item): item is string => typeof item === "string" && item !== "");
}

function readApproval(value: unknown): Approval | null {
  if (!isJsonObject(value)) return null;
  return {
    required: isAffirmative(value["required"]),
    status: readFieldText(value["status"]),
    by: readFieldText(value["by"]),
    at: readFieldText(value["at"]),
  };
}

/** Returns whether a value means yes. Also accepts the texts `yes`, `on` and `"true"`, so no approval is skipped. */
function isAffirmative(value: unknown): boolean {
  return value === true || (typeof value === "string" && /^(?:true|yes|on)$/i.test(value.trim()));
}
