import { isJsonObject } from "#kernel/json_object.ts";
import type { SpecDocument } from "./document.ts";
import { isDay, readPriority } from "./planning.ts";
import { titleOf } from "./sections.ts";
import type { Approval, Spec } from "./spec.ts";
import type { SpecId } from "./spec_id.ts";
import { readStatus } from "./status.ts";

/** Location of a spec's file. */
export interface SpecPlace {
  readonly id: SpecId;
  /** Path from the project root, with forward slashes. */
  readonly file: string;
  readonly archived: boolean;
}

/**
 * Reads the known fields. A list may be written as one text (`labels: web`); what has another shape than its field
 * reads as absent, which is for lint to say.
 *
 * Source: docs/decisions.md#s-05, docs/decisions.md#s-09; docs/contract/spec-tool.md#spec: the title is the body's
 * first heading, else the field `title`.
 */
export function buildSpec(place: SpecPlace, document: SpecDocument & { readonly ok: true }): Spec {
  const { frontmatter, body, bodyLine } = document;
  return {
    ...place,
    title: titleOf(body) ?? textOf(frontmatter["title"]),
    status: readStatus(textOf(frontmatter["status"])),
    type: textOf(frontmatter["type"]) ?? "code",
    dependsOn: listOf(frontmatter["depends_on"]),
    labels: listOf(frontmatter["labels"]),
    targetFiles: listOf(frontmatter["target_files"]),
    members: listOf(frontmatter["members"]),
    model: textOf(frontmatter["model"]),
    outputSchema: textOf(frontmatter["output_schema"]),
    approval: approvalOf(frontmatter["approval"]),
    priority: readPriority(textOf(frontmatter["priority"])),
    assignee: textOf(frontmatter["assignee"]),
    due: dayOf(frontmatter["due"]),
    frontmatter,
    body,
    bodyLine,
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

function dayOf(value: unknown): string | null {
  const text = textOf(value);
  return text !== null && isDay(text) ? text : null;
}

function listOf(value: unknown): readonly string[] {
  const items = Array.isArray(value) ? value : [value];
  return items.filter((item): item is string => typeof item === "string" && item !== "");
}

function approvalOf(value: unknown): Approval | null {
  if (!isJsonObject(value)) return null;
  return {
    required: isYes(value["required"]),
    status: textOf(value["status"]),
    by: textOf(value["by"]),
    at: textOf(value["at"]),
  };
}

/** `yes` and `"true"` are texts in YAML 1.2; to take them for no would open a gate that someone meant to close. */
function isYes(value: unknown): boolean {
  return value === true || (typeof value === "string" && /^(?:true|yes|on)$/i.test(value.trim()));
}
