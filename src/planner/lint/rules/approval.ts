import { findNearest } from "#kernel/nearest.ts";
import { isMissingValue, nameType } from "../field_value.ts";
import { createFieldFinding, type Rule, type RuleFinding } from "../finding.ts";

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
