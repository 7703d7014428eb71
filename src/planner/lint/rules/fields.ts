import { isJsonObject } from "#kernel/json_object.ts";
import { findNearest } from "#kernel/nearest.ts";
import type { OutputVerdict } from "#planner/work/judge_output.ts";
import type { FieldRule, PlannerConfig } from "../../config/config.ts";
import { CONFLICT_MESSAGE, findConflictLine } from "../../spec/document.ts";
import { findCopiedId, findNearFields, findSecondBlock } from "../../spec/near.ts";
import { isCalendarDay, normalizeStatus, OTHER_STATUSES, type Spec } from "../../spec/spec.ts";
import { parseSpecIdParts } from "../../spec/spec_id.ts";
import { createFieldFinding, type Rule, type RuleFinding, type Severity } from "../finding.ts";

/** Requires a readable file, parsable frontmatter and no git conflict. An unreadable file gets no other finding. */
export const parsingRule: Rule = {
  name: "parse",
  summary: "The file can be read and its YAML frontmatter parsed",
  severity: "error",
  reports:
    "Error: the frontmatter does not parse, a block of fields near the beginning does not open in line 1 with `---`, a " +
    "key differs from a field in case alone, or a conflict of git is left outside of code fences and `## Output`. " +
    "Warning: a folder in `.planner/specs`, or a file that ends with `.MD`; no command reads them.",
  *check(spec) {
    yield* findConflictFinding(spec);
    yield* findSecondBlockFinding(spec);
    for (const { key, meant, isCase } of findNearFields(spec.frontmatter)) {
      if (isCase) yield createNearFieldFinding("error", key, meant);
    }
  },
  *checkUnreadable({ line, message }) {
    yield line === null
      ? { severity: "error", field: "file", message: `cannot be read: ${message}` }
      : { severity: "error", field: "frontmatter", message: `cannot be parsed: ${message}` };
  },
};

/** Finds a git conflict in the body. The spec can still be read and edited. */
export function* findConflictFinding({ body }: Spec): Iterable<RuleFinding> {
  const line = findConflictLine(body);
  if (line !== undefined) yield { severity: "error", field: "body", message: CONFLICT_MESSAGE, bodyLine: line };
}

/** Finds a block of fields below the frontmatter. The spec can be read, but may not be what its file says. */
export function* findSecondBlockFinding({ body }: Spec): Iterable<RuleFinding> {
  const line = findSecondBlock(body);
  if (line === undefined) return;
  const message = "a second block of fields below the frontmatter is not read";
  yield { severity: "error", field: "frontmatter", message, bodyLine: line, suggestion: "Join both blocks into one" };
}

/** Returns the finding about a key that looks like a field of planner. */
export function createNearFieldFinding(severity: Severity, key: string, meant: string): RuleFinding {
  return createFieldFinding(severity, key, `field '${key}' is not read`, `Did you mean '${meant}'?`);
}

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

/** Types that lint accepts without a warning. Source: docs/decisions.md#s-05. */
const KNOWN_TYPES = ["code", "task", "docs", "documentation", "fix", "research", "driver", "group"] as const;

/** Requires a known type and the fields that a spec of this type needs. */
export const typeRule: Rule = {
  name: "type",
  summary: "The type is known and the spec has what its type needs",
  severity: "warning",
  reports:
    "Warning: no type (it counts as `code`), an unknown one, or one without what it needs: documentation `tracks` and " +
    "`target_files`, research `informed_by` or `origin` and `target_files`, a driver or group members. A configured " +
    "enum of `type` takes the place of the list.",
  *check(spec, world) {
    yield* checkTypeName(spec, world.config.schema.spec);
    switch (spec.type) {
      case "docs":
      case "documentation":
        yield* requireOneOf(spec, ["tracks"]);
        yield* requireOneOf(spec, ["target_files"]);
        break;
      case "research":
        yield* requireOneOf(spec, ["informed_by", "origin"]);
        yield* requireOneOf(spec, ["target_files"]);
        break;
      case "driver":
      case "group":
        if (spec.members.length === 0 && !world.hasMembers(spec.id)) {
          const message = `type '${spec.type}' without members`;
          yield createFieldFinding("warning", "members", message, "List the member specs under members");
        }
    }
  },
};

/** Reports an unknown type. Rule `required` checks a configured enum, and a type that `schema.spec.required` lists. */
function* checkTypeName(spec: Spec, { required, fields }: PlannerConfig["schema"]["spec"]): Iterable<RuleFinding> {
  const allowed = fields["type"]?.enum;
  if (isMissingValue(spec.frontmatter["type"])) {
    if (required.includes("type")) return;
    const finding = createFieldFinding("warning", "type", "missing optional field 'type'");
    yield { ...finding, allowed: allowed ?? KNOWN_TYPES };
  } else if (allowed === undefined && !KNOWN_TYPES.some((known) => known === spec.type)) {
    const near = findNearest(spec.type, KNOWN_TYPES);
    const message = `type '${spec.type}' not in enum [${KNOWN_TYPES.join(", ")}]`;
    const suggestion = near === undefined ? undefined : `Did you mean '${near}'?`;
    yield { ...createFieldFinding("warning", "type", message, suggestion), allowed: KNOWN_TYPES };
  }
}

/** Requires that at least one of the fields has a value. */
function* requireOneOf(spec: Spec, fields: readonly [string, ...string[]]): Iterable<RuleFinding> {
  if (fields.some((field) => hasValue(spec.frontmatter[field]))) return;
  const [field] = fields;
  const suggestion = `Say in ${fields.join(" or ")} ${FIELD_PURPOSES[field] ?? ""}`.trimEnd();
  yield createFieldFinding("warning", field, `type '${spec.type}' without ${fields.join(" or ")}`, suggestion);
}

const FIELD_PURPOSES: Readonly<Record<string, string>> = {
  tracks: "which files the text describes",
  target_files: "which files the work changes",
  informed_by: "what the research draws on",
};

function hasValue(value: unknown): boolean {
  return !isMissingValue(value) && !(Array.isArray(value) && value.length === 0);
}

const APPROVAL_STATUSES = ["pending", "approved", "rejected"] as const;

/** Requires a complete `approval` block without contradictions. Source: docs/decisions.md#s-05. */
export const approvalRule: Rule = {
  name: "approval",
  summary: "The approval is whole and does not contradict itself",
  severity: "error",
  reports: "Error: `approved` or `rejected` without by whom and when, `pending` with a person.",
  *check(spec) {
    const written = spec.frontmatter["approval"];
    if (isMissingValue(written)) return;
    if (spec.approval === null) {
      const message = `approval must be an object, got ${nameType(written)}`;
      yield createFieldFinding("error", "approval", message, "Write required, status, by and at below it");
      return;
    }
    const { required } = written as { readonly required?: unknown };
    if (!isMissingValue(required) && typeof required !== "boolean") {
      yield createApprovalError("required", `approval.required must be a boolean, got ${nameType(required)}`);
    }
    yield* checkApprovalStatus(spec.approval.status ?? "pending", spec.approval);
  },
};

function* checkApprovalStatus(
  status: string,
  { by, at }: { readonly by: string | null; readonly at: string | null },
): Iterable<RuleFinding> {
  if (status === "pending") {
    if (by !== null) yield createApprovalError("by", `approval.by is '${by}' while approval.status is 'pending'`);
    return;
  }
  if (!APPROVAL_STATUSES.some((known) => known === status)) {
    const near = findNearest(status, APPROVAL_STATUSES);
    yield {
      ...createApprovalError("status", `approval.status '${status}' not in enum [${APPROVAL_STATUSES.join(", ")}]`),
      allowed: APPROVAL_STATUSES,
      suggestion: near === undefined ? undefined : `Did you mean '${near}'?`,
    };
    return;
  }
  if (by === null)
    yield createApprovalError("by", `approval.status is '${status}' but approval.by is missing`, "Say who decided");
  if (at === null)
    yield createApprovalError("at", `approval.status is '${status}' but approval.at is missing`, "Say when");
}

function createApprovalError(key: string, message: string, suggestion?: string): RuleFinding {
  return { severity: "error", field: `approval.${key}`, message, path: ["approval", key], suggestion };
}

/** Requires a completed spec's last run output to match its `output_schema`. A spec without a log gets no finding. */
export const outputRule: Rule = {
  name: "output",
  summary: "The output of a completed spec fits its output schema",
  severity: "error",
  reports:
    "Error: the output of a completed spec does not fit its `output_schema`, or the schema cannot be used. See " +
    "docs/output-schemas.md.",
  *check(spec, { outputs }) {
    const verdict = outputs.get(spec.id);
    if (verdict === undefined) return;
    for (const { message, suggestion } of describeProblems(verdict, spec.outputSchema ?? "", spec.id)) {
      yield { severity: "error", field: "output_schema", message, path: ["output_schema"], suggestion };
    }
  },
};

function describeProblems(
  verdict: OutputVerdict,
  schema: string,
  id: string,
): Pick<RuleFinding, "message" | "suggestion">[] {
  const log = `Look into .planner/logs/${id}.log`;
  switch (verdict.kind) {
    case "passed":
      return [];
    case "no_json":
      return [
        { message: `output does not match schema '${schema}': no JSON in the last run's output`, suggestion: log },
      ];
    case "failed":
      return verdict.problems.map((problem) => ({
        message: `output does not match schema '${schema}': ${problem}`,
        suggestion: log,
      }));
    case "invalid_schema":
      return verdict.problems.map((problem) => ({ message: `schema '${schema}' is unusable: ${problem}` }));
  }
}

type FieldType = NonNullable<FieldRule["type"]>;

const TYPE_TESTS: Record<FieldType, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number",
  array: (value) => Array.isArray(value),
  object: (value) => isJsonObject(value),
};

const TYPE_NAMES: Record<FieldType, string> = {
  string: "a string",
  boolean: "a boolean",
  integer: "an integer",
  number: "a number",
  array: "an array",
  object: "an object",
};

/** Returns whether a frontmatter value is missing: the key is absent, or its value is empty. */
export function isMissingValue(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** Describes the required type if `value` has another one, else undefined. `items` alone requires an array. */
export function describeTypeMismatch({ type, items }: FieldRule, value: unknown): string | undefined {
  const demanded = type ?? (items === undefined ? undefined : "array");
  if (demanded === undefined || TYPE_TESTS[demanded](value)) return undefined;
  return demanded === "array" && items !== undefined ? `an array of ${items}` : TYPE_NAMES[demanded];
}

/** Returns the items of an array that have another type than the rule requires. */
export function findMistypedItems(
  { items }: FieldRule,
  value: unknown,
): readonly { readonly index: number; readonly item: unknown; readonly expected: string }[] {
  if (items === undefined || !Array.isArray(value) || value.every(TYPE_TESTS[items])) return [];
  return value.flatMap((item, index) =>
    TYPE_TESTS[items](item) ? [] : [{ index, item, expected: TYPE_NAMES[items] }],
  );
}

/** Returns the name of a value's type as the configuration spells it. */
function nameType(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/** Fields by which people and other programs say that work is done or held, in place of `status`. */
const HOLDING_FIELDS: ReadonlySet<string> = new Set([
  ..."state stage done completed completed_at unproven closed cancelled canceled archived resolved".split(" "),
  ..."finished hold held on_hold paused blocked deferred".split(" "),
]);

/** Number of lines of a body in which a line `Status: …` is meant as the spec's. Our choice. */
const MAX_STATUS_LINES = 10;

/**
 * Returns whether a text without a value for `id` or `status` says it in another way: by a similar key, a key of
 * another program, or a line at the body's beginning. Only a person may then write the field, because a status of
 * pending could start work that a person had ended.
 */
export function saysElsewhere(
  { frontmatter, body }: { readonly frontmatter: Readonly<Record<string, unknown>>; readonly body: string },
  field: string,
): boolean {
  if (findNearFields(frontmatter).some(({ meant }) => meant === field)) return true;
  if (field !== "status") return false;
  const isStatus = ([key, value]: [string, unknown]): boolean =>
    HOLDING_FIELDS.has(normalizeKey(key)) || (key !== "approval" && isJsonObject(value) && "status" in value);
  if (Object.entries(frontmatter).some(isStatus)) return true;
  const lines = body.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "");
  return lines.slice(0, MAX_STATUS_LINES).some((line) => /^[\s>*_|#-]*(?:status|state)[\s*_]*[:=|]/i.test(line));
}

function normalizeKey(key: string): string {
  return key.toLowerCase().replace(/[\s-]+/g, "_");
}
