import { findNearest } from "#kernel/nearest.ts";
import type { PlannerConfig } from "../../config/config.ts";
import type { Spec } from "../../spec/spec.ts";
import { isMissingValue } from "../field_value.ts";
import { createFieldFinding, type Rule, type RuleFinding } from "../finding.ts";

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
