import { findNearest } from "#kernel/nearest.ts";
import { isMissing, typeName } from "../field_value.ts";
import type { RuleFinding } from "../finding.ts";
import type { Rule } from "../rule.ts";

const STATUSES = ["pending", "approved", "rejected"] as const;

/** The `approval` block is whole and does not contradict itself. Source: docs/decisions.md#s-05. */
export const approval: Rule = {
  name: "approval",
  *check(spec) {
    const written = spec.frontmatter["approval"];
    if (isMissing(written)) return;
    if (spec.approval === null) {
      yield {
        severity: "error",
        field: "approval",
        message: `approval must be an object, got ${typeName(written)}`,
        path: ["approval"],
        suggestion: "Write required, status, by and at below it",
      };
      return;
    }
    const { required } = written as { readonly required?: unknown };
    if (!isMissing(required) && typeof required !== "boolean") {
      yield error("required", `approval.required must be a boolean, got ${typeName(required)}`);
    }
    yield* statusFindings(spec.approval.status ?? "pending", spec.approval);
  },
};

function* statusFindings(
  status: string,
  { by, at }: { readonly by: string | null; readonly at: string | null },
): Iterable<RuleFinding> {
  if (status === "pending") {
    if (by !== null) yield error("by", `approval.by is '${by}' while approval.status is 'pending'`);
    return;
  }
  if (!STATUSES.some((known) => known === status)) {
    const near = findNearest(status, STATUSES);
    yield {
      ...error("status", `approval.status '${status}' not in enum [${STATUSES.join(", ")}]`),
      allowed: STATUSES,
      suggestion: near === undefined ? undefined : `Did you mean '${near}'?`,
    };
    return;
  }
  if (by === null) yield error("by", `approval.status is '${status}' but approval.by is missing`, "Say who decided");
  if (at === null) yield error("at", `approval.status is '${status}' but approval.at is missing`, "Say when");
}

function error(key: string, message: string, suggestion?: string): RuleFinding {
  return { severity: "error", field: `approval.${key}`, message, path: ["approval", key], suggestion };
}
