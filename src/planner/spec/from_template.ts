import { withoutControls } from "#kernel/control_pictures.ts";
import { OperationError } from "#kernel/errors.ts";
import { readableDocument } from "./document.ts";
import { editFields, type FieldValue } from "./edit/edit_fields.ts";
import { titleHeading } from "./sections.ts";
import type { SpecId } from "./spec_id.ts";
import { lineBreakOf } from "./text_lines.ts";

export interface TemplateParts {
  readonly id: SpecId;
  /** One line that is not empty; takes the place of the template's heading. */
  readonly title: string;
  /** Comes behind the title, before the template's text. */
  readonly body: string;
  /** In place of the template's fields. */
  readonly fields: Readonly<Record<string, FieldValue>>;
}

/**
 * The text of a new spec made from a template: the template as it is, with its own title, id and fields.
 *
 * @throws OperationError `failed_precondition` with line and column if the template does not parse, `invalid_argument`
 *   for text that no spec file can hold
 */
export function specFromTemplate(template: string, { id, title, body, fields }: TemplateParts): string {
  if (`${title}${body}`.includes("\0") || !`${title}\n${body}`.isWellFormed()) {
    throw new OperationError("invalid_argument", "Invalid description: expected text without NUL characters");
  }
  const text = editFields(template, { id, status: "pending", ...fields });
  const document = readableDocument(text);
  const br = lineBreakOf(text);
  const heading = titleHeading(document.body);
  const before = document.body.slice(0, heading?.start ?? 0);
  const after = document.body.slice(heading?.next ?? 0);
  const added = body === "" ? "" : `${br}${withoutControls(body).replaceAll("\n", br)}${br}`;
  const gap = heading === undefined && !/^\s*(?:\r|\n)/.test(after) ? br : "";
  const head = text.slice(0, text.length - document.body.length);
  return `${head}${before === "" ? br : before}# ${withoutControls(title)}${br}${added}${gap}${after}`;
}
