import { createInvalidArgumentError, createPreconditionError } from "#kernel/errors.ts";
import type { PlannerContext } from "../context.ts";
import { appendSectionEntry } from "../spec/edit/edit_body.ts";
import { editFields, type FieldValue } from "../spec/edit/edit_fields.ts";
import { isDoneStatus, type Spec } from "../spec/spec.ts";
import { changeSpec } from "./shared/change_spec.ts";
import { findSpecId } from "./shared/find_spec.ts";
import { refuseSpecInWork } from "./shared/live_worker.ts";

/** A person's decision on a spec that needs approval before work. */
export interface ApprovalDecision {
  readonly status: "approved" | "rejected";
  /** Name of the person, on one line. */
  readonly by: string;
  /** Reason of the decision; required for a rejection. */
  readonly reason: string | null;
}

const DISCUSSION_SECTION = "Approval Discussion";
/**
 * Writes a decision into the spec: field `approval` and an entry under `## Approval Discussion`, in one edit. No MCP
 * tool calls it, so that agents cannot approve their own work.
 * @param text full or partial id of an active spec
 * @throws OperationError `failed_precondition` if there is nothing to decide, `invalid_argument` without a name or, for
 * a rejection, without a reason
 *
 * Source: docs/decisions.md#s-05, docs/decisions.md#s-28.
 */
export async function decideApproval(context: PlannerContext, text: string, decision: ApprovalDecision) {
  const { status, by, reason } = normalizeDecision(decision);
  const id = await findSpecId(context, text, { archived: false });
  if (status === "rejected") await refuseSpecInWork(context, id, "reject");
  const at = context.clock.now().toISOString();
  await changeSpec(context, id, (before, spec) => {
    refuseUndecidableSpec(spec, status);
    const edited = editFields(before, {
      approval: { ...castApprovalFields(spec.frontmatter["approval"]), status, by, at },
    });
    return appendSectionEntry(edited, DISCUSSION_SECTION, formatDecisionEntry({ status, by, reason }, at));
  });
  return { spec_id: id, approval: status, by, at };
}

function normalizeDecision({ status, by: given, reason: why }: ApprovalDecision): ApprovalDecision {
  const throwArgumentError = (message: string): never => {
    throw createInvalidArgumentError(message);
  };
  const by = given.trim();
  const reason = why?.trim() ?? "";
  if (by === "" || /\p{Cc}/u.test(by)) throwArgumentError("Invalid name of who decides: expected one line of text");
  if (status === "rejected" && reason === "") throwArgumentError("Missing reason of the rejection: expected a text");
  return { status, by, reason: reason === "" ? null : reason };
}

function refuseUndecidableSpec({ id, status, approval }: Spec, wanted: ApprovalDecision["status"]): void {
  const throwPreconditionError = (message: string): never => {
    throw createPreconditionError(`Spec '${id}' ${message}`);
  };
  if (isDoneStatus(status)) throwPreconditionError(`is ${status}: there is nothing left to decide`);
  if (approval?.required !== true)
    throwPreconditionError('needs no approval: set "approval.required" to true where it shall');
  if (approval?.status === wanted)
    throwPreconditionError(`is already ${wanted}${approval.by === null ? "" : ` by ${approval.by}`}`);
}

/** Returns the current fields of `approval`, typed as scalars, because an edit rejects other values. */
function castApprovalFields(approval: unknown): Readonly<Record<string, string | boolean | number>> {
  return (approval ?? {}) as Readonly<Record<string, Extract<FieldValue, string | boolean | number>>>;
}

/** Formats an entry as a quotation, so no line of the reason counts as the spec's heading, criterion or code fence. */
function formatDecisionEntry({ status, by, reason }: ApprovalDecision, at: string): string {
  const heading = `**${status === "approved" ? "Approved" : "Rejected"}** by ${by}, ${at}`;
  if (reason === null) return heading;
  return [heading, "", ...reason.split(/\r\n|\r|\n/).map((line) => `> ${line}`.trimEnd())].join("\n");
}
