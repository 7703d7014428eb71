import { findNearest } from "#kernel/nearest.ts";
import type { FieldRule } from "../../config/config.ts";
import { findCopiedId, findNearFields } from "../../spec/near.ts";
import { isCalendarDay, type Spec } from "../../spec/spec.ts";
import { parseSpecIdParts } from "../../spec/spec_id.ts";
import { normalizeStatus, OTHER_STATUSES } from "../../spec/status.ts";
import { describeTypeMismatch, findMistypedItems, isMissingValue, nameType, saysElsewhere } from "../field_value.ts";
import { createFieldFinding, type Rule, type RuleFinding } from "../finding.ts";
import { createNearFieldFinding } from "./parse.ts";

/** Requires fields in `schema.spec.required`, values matching `schema.spec.fields`, an id matching the file name. */
export const requiredRule: Rule = {
  name: "required",
  summary: "Required fields are there and every field fits the schema",
  severity: "error",
  reports:
    "Error: the frontmatter does not fit `schema.spec` of the settings, the id is not the file's, or the file is a " +
    "copy that a synchroniser left. Warning: missing labels, a file name of another shape, a key that is a slip of a " +
    "field (`depends-on`); with one of `status`, `depends_on` or `approval` the spec is not ready. A field without a value is missing, an empty list is not. `blocked`, " +
    "`cancelled` and `needs_attention`, which the tool writes, and `ready`, read as pending, are accepted. A missing `id` is no fault unless it is " +
    "required; a required `title` may be the heading.",
  *check(spec, { config, knownIds }) {
    const { required: names, fields } = config.schema.spec;
    yield* findMissingFields(spec, names);
    yield* checkSpecIdField(spec, knownIds);
    yield* checkValues(spec, fields);
    yield* findNearFieldFindings(spec, [...names, ...Object.keys(fields)]);
    yield* checkDueDay(spec);
    if (!names.includes("labels") && isMissingValue(spec.frontmatter["labels"])) {
      yield createFieldFinding("warning", "labels", "missing optional field 'labels'");
    }
  },
};

function* checkValues({ frontmatter }: Spec, fields: Readonly<Record<string, FieldRule>>): Iterable<RuleFinding> {
  for (const [field, rule] of Object.entries(fields)) {
    const value = frontmatter[field];
    if (!isMissingValue(value)) yield* checkField(field, rule, value);
  }
}

export function* findMissingFields(spec: Spec, names: readonly string[]): Iterable<RuleFinding> {
  for (const field of names) {
    // The title is the body's first heading; rule `title` reports a missing one.
    if (field === "title" || !isMissingValue(spec.frontmatter[field])) continue;
    const fixable = (field === "status" || field === "id") && !saysElsewhere(spec, field);
    const suggestion = fixable ? "Run `planner lint --fix` to fill it in" : undefined;
    yield createFieldFinding("error", field, `missing required field '${field}'`, suggestion);
  }
}

/** Finds keys that look like a field of planner and that the project does not declare; rule `parse` reports their case. */
function* findNearFieldFindings({ frontmatter }: Spec, declared: readonly string[]): Iterable<RuleFinding> {
  for (const { key, meant, isCase } of findNearFields(frontmatter)) {
    if (!isCase && !declared.includes(key)) yield createNearFieldFinding("warning", key, meant);
  }
}

/** Finds a file that a synchroniser left beside another one. */
export function* findCopyFinding(spec: Spec, isKnown: (id: string) => boolean): Iterable<RuleFinding> {
  const original = findCopiedId(spec, isKnown);
  if (original === null) return;
  const message = `'${spec.id}' is a copy of spec '${original}'`;
  yield createFieldFinding("error", "id", message, `Compare it with ${original}.md, then delete it`);
}

function* checkSpecIdField(spec: Spec, knownIds: ReadonlySet<string>): Iterable<RuleFinding> {
  const { id, frontmatter } = spec;
  const written = frontmatter["id"];
  const copy = [...findCopyFinding(spec, (known) => knownIds.has(known))];
  if (copy.length > 0) {
    yield* copy;
    return;
  }
  if (typeof written === "string" && written !== "" && written !== id) {
    const message = `id '${written}' differs from the file name '${id}'`;
    yield createFieldFinding("error", "id", message, `Write id: ${id}, or rename the file`);
  }
  if (parseSpecIdParts(id) === undefined) {
    const message = `id '${id}' does not have the shape <YYYY-MM-DD>-<NNN>-<suffix>`;
    yield createFieldFinding("warning", "id", message, "Rename the file");
  }
}

export function* checkField(field: string, rule: FieldRule, value: unknown): Iterable<RuleFinding> {
  const expected = describeTypeMismatch(rule, value);
  if (expected !== undefined) {
    yield createMismatchFinding(field, [field], expected, value);
    return;
  }
  for (const { index, item, expected: type } of findMistypedItems(rule, value)) {
    yield createMismatchFinding(`${field}[${index}]`, [field, index], type, item);
  }
  if (rule.enum !== undefined) yield* checkEnum(field, rule.enum, value);
}

// Checks the day in `due`, unless the project gives the field another type.
function* checkDueDay({ frontmatter }: Spec): Iterable<RuleFinding> {
  const due = frontmatter["due"];
  if (typeof due !== "string" || due.trim() === "" || isCalendarDay(due.trim())) return;
  yield createFieldFinding("error", "due", `due '${due}' is no day: expected YYYY-MM-DD`);
}

function createMismatchFinding(
  name: string,
  path: readonly [string, number?],
  expected: string,
  value: unknown,
): RuleFinding {
  const [field] = path;
  const quotes = expected === "a string" && typeof value !== "object" ? "Put quotes around it" : undefined;
  const list = expected.startsWith("an array") && typeof value === "string" ? `Write ${field}: [${value}]` : undefined;
  return {
    severity: "error",
    field,
    message: `${name} must be ${expected}, got ${nameType(value)}`,
    path: path.filter((step) => step !== undefined),
    suggestion: quotes ?? list,
  };
}

function* checkEnum(field: string, allowed: readonly string[], value: unknown): Iterable<RuleFinding> {
  const accepted = field === "status" ? [...allowed, ...OTHER_STATUSES] : allowed;
  const items = Array.isArray(value) ? value : [value];
  for (const [index, item] of items.entries()) {
    const text = String(item).trim();
    if (accepted.includes(text)) continue;
    yield {
      severity: "error",
      field,
      message: `${field} '${text}' not in enum [${allowed.join(", ")}]`,
      allowed,
      path: Array.isArray(value) ? [field, index] : [field],
      suggestion: suggestValue(field, text, accepted),
    };
  }
}

function suggestValue(field: string, text: string, accepted: readonly string[]): string | undefined {
  const read = field === "status" ? normalizeStatus(text) : text;
  if (read !== text) return `Write ${read}, which it is read as`;
  const near = findNearest(text, accepted);
  return near === undefined ? undefined : `Did you mean '${near}'?`;
}
