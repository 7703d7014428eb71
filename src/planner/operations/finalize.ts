import { Type } from "@sinclair/typebox";
import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { SharedClaimOptions } from "#planner/store/remote_claims/remote_claims.ts";
import type { PlannerContext } from "../context.ts";
import { decideOutputConsequence } from "../output/report.ts";
import { describeNearItems, parseCriteria } from "../spec/criteria.ts";
import { editFields } from "../spec/edit/edit_fields.ts";
import { isDoneStatus, isMemberOf, type Spec } from "../spec/spec.ts";
import { listCommandResults } from "../work/provenance.ts";
import { changeSpec } from "./shared/change_spec.ts";
import { findSpec } from "./shared/find_spec.ts";
import { finishSharedClaim, TOOL_CLAIM_OPTIONS } from "./shared/finish_shared.ts";
import { sharedClaimParams, specIdParam } from "./shared/params.ts";
import {
  type CompletionRequest,
  proveCompletion,
  recordCompletion,
  reportOutput,
  serializeCriteria,
} from "./shared/prove_completion.ts";
import { refuseInvalidSpec } from "./shared/spec_findings.ts";

const FINALIZABLE_STATUSES: readonly string[] = ["in_progress", "completed", "failed", "needs_attention"];
export const finalizeTool = defineTool<PlannerContext>()({
  name: "planner_finalize",
  summary:
    "Complete a spec if its criteria are checked, their checks succeed and its output fits, else say what is missing. planner_verify only looks.",
  resultDescription:
    "`Finalized spec: <id>`. The spec must be in_progress, completed, failed or needs_attention, or pending with criteria, with every criterion checked, every check (docs/work.md#checks) successful, every member done, and approval. With an `output_schema` the answer goes on with `Output validation passed (schema: <path>)`, or `failed` and a line for each problem; with strict validation a failure is refused and the spec becomes needs_attention.",
  effect: "write",
  idempotent: true,
  slow: true,
  params: Type.Object({ id: specIdParam }),
  run: (context, { id }, { signal } = {}) =>
    finalizeSpec(context, { id, unproven: null, shared: TOOL_CLAIM_OPTIONS, signal }),
});

/** The command `finalize`: the same tool for a person, who may complete a spec without proof. */
export const finalizeCommand = defineTool<PlannerContext>()({
  ...finalizeTool,
  name: "finalize",
  params: Type.Object({ id: specIdParam, unproven: Type.Optional(Type.String()), ...sharedClaimParams }),
  run: (context, { id, unproven = null, steal = false, offline = false }, { signal } = {}) =>
    finalizeSpec(context, { id, unproven, shared: { steal, offline }, signal }),
});

interface FinalizeRequest extends Pick<CompletionRequest, "unproven" | "signal"> {
  /** Full or partial id. */
  readonly id: string;
  readonly shared: SharedClaimOptions;
}

async function finalizeSpec(context: PlannerContext, { id, unproven, shared, signal }: FinalizeRequest) {
  const spec = await findSpec(context, id, { archived: false });
  await refuseInvalidSpec(context, spec, "finalize");
  const ticks = { open: unproven !== null };
  refuseUnfinishedSpec(spec, ticks);
  await refuseOpenMembers(context, spec);
  const lines = await validateOutput(context, spec, ticks.open);
  signal?.throwIfAborted();
  const done = await proveCompletion(context, {
    id: spec.id,
    body: spec.body,
    bodyLine: spec.bodyLine,
    unproven,
    signal,
  });
  const notes = await finishSharedClaim(context, spec, { ...shared, command: `finalize ${spec.id}` });
  const now = context.clock.now().toISOString();
  await changeSpec(context, spec.id, (text, current) => {
    refuseUnfinishedSpec(current, ticks);
    refuseChangedCriteria(spec, current);
    const since = current.status === "completed" ? current.frontmatter["completed_at"] : undefined;
    const fields = { ...done.fields, status: "completed", completed_at: typeof since === "string" ? since : now };
    return editFields(text, fields);
  });
  const run = done.proof === null ? null : await recordCompletion(context, spec, { ...done, unproven });
  return {
    value: {
      ...{ spec_id: spec.id, status: "completed", output: lines },
      ...(run === null ? {} : { run }),
      ...(done.proof === null ? {} : { proof: done.proof.state, checks: listCommandResults(done.proof) }),
      ...(notes.length === 0 ? {} : { notes }),
      ...(typeof done.fields["unproven"] === "string" ? { unproven: done.fields["unproven"] } : {}),
    },
    text: [
      `Finalized spec: ${spec.id}`,
      ...lines,
      ...done.lines,
      ...(run === null ? [] : [`record: run ${run}`]),
      ...notes,
    ].join("\n"),
  };
}

/** Throws if the criteria changed while their checks ran, because the proof is valid only for the criteria as read. */
function refuseChangedCriteria({ id, body }: Spec, current: Spec): void {
  if (serializeCriteria(body) === serializeCriteria(current.body)) return;
  throw new OperationError("aborted", `The criteria of spec '${id}' changed while its checks ran: finalize it again`);
}

function refuseUnfinishedSpec(spec: Spec, { open: mayBeOpen }: { readonly open: boolean }): void {
  const throwPreconditionError = (message: string): never => {
    throw createPreconditionError(message);
  };
  const criteria = parseCriteria(spec.body);
  const open = criteria.filter(({ checked }) => !checked).length;
  // Work that was done without a run is pending: only its checked criteria say that it was done.
  const isDoneByHand = spec.status === "pending" && criteria.length > 0 && open === 0;
  if (!isDoneByHand && !FINALIZABLE_STATUSES.includes(spec.status)) {
    throwPreconditionError(
      `Spec '${spec.id}' must be in_progress, completed, failed, or needs_attention to finalize. Current status: ${spec.status}`,
    );
  }
  if (open > 0 && !mayBeOpen) {
    throwPreconditionError(
      `Spec '${spec.id}' has ${open} unchecked acceptance criteria. All criteria must be checked before finalization.`,
    );
  }
  const near = mayBeOpen ? null : describeNearItems(spec);
  if (near !== null) throwPreconditionError(`Spec '${spec.id}' cannot be finalized: ${near}`);
  if (spec.approval?.required === true && spec.approval.status !== "approved") {
    throwPreconditionError(
      `Spec '${spec.id}' must be approved before finalization: approval is ${spec.approval.status ?? "pending"}`,
    );
  }
}

async function refuseOpenMembers({ specs }: PlannerContext, spec: Spec): Promise<void> {
  const members = (await specs.listIds()).filter((id) => isMemberOf(id, spec));
  const open: string[] = [];
  for (const id of members) {
    if (!isDoneStatus((await specs.load(id)).status)) open.push(id);
  }
  if (open.length === 0) return;
  throw createPreconditionError(`Spec '${spec.id}' has unfinished members: ${open.join(", ")}`);
}

/**
 * Checks the output against `output_schema` and returns lines about it; empty for a spec without a schema.
 * @param isExcused whether a person completes the spec without proof, so that a mismatch only adds lines
 * @throws OperationError for a mismatch in strict mode, after setting the status needs_attention
 */
async function validateOutput(context: PlannerContext, spec: Spec, isExcused: boolean): Promise<readonly string[]> {
  const report = await reportOutput(context, spec);
  if (report === null) return [];
  const { validation } = await context.readConfig();
  const { status } = decideOutputConsequence(report.verdict, validation.strict_output_validation);
  if (status === "completed" || isExcused) return report.lines;
  await changeSpec(context, spec.id, (text) => editFields(text, { status }));
  throw createPreconditionError(report.lines.join("\n"));
}
