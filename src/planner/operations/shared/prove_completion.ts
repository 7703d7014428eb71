import { createInvalidArgumentError, createPreconditionError } from "#kernel/errors.ts";
import { formatCountWithNoun } from "#words/names.ts";
import type { PlannerContext } from "../../context.ts";
import { describeNearItems, parseCriteria } from "../../spec/criteria.ts";
import type { FieldChanges } from "../../spec/edit/edit_fields.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { buildUnprovenLine } from "../../work/acceptance.ts";
import { listCommandResults, listCompletionObstacles, type Provenance } from "../../work/provenance.ts";
import { formatLostRules, readLostRules } from "./held_rules.ts";
import { findOutputObstacle, readRejectedRun } from "./output_report.ts";

export interface CompletionRequest {
  readonly id: SpecId;
  /** Body of the spec at completion, and the line of the file in which it begins. */
  readonly body: string;
  readonly bodyLine: number;
  /** Reason why a person completes the spec without proof; null to require proof. */
  readonly unproven: string | null;
  readonly signal?: AbortSignal | undefined;
}

export interface CompletionResult {
  /** Fields to set besides the status. */
  readonly fields: FieldChanges;
  /** Sentences about the proof for the answer. */
  readonly lines: readonly string[];
  /** Null for a spec without checks, which needs no proof. */
  readonly proof: Provenance | null;
}

/**
 * Runs the checks of a spec's criteria before it is completed. All rules that judged earlier runs must still apply.
 * @throws OperationError `failed_precondition` that says why the spec cannot be completed
 *
 * Source: docs/decisions.md#s-61.
 */
export async function proveCompletion(context: PlannerContext, request: CompletionRequest): Promise<CompletionResult> {
  const { id, body, unproven, signal } = request;
  if (unproven !== null) requireUnprovenReason(context, unproven);
  const lost = formatLostRules(await readLostRules(context, await context.specs.load(id)));
  if (lost !== null && unproven === null) {
    throw createPreconditionError(`Cannot complete spec '${id}': ${lost}`);
  }
  const near = unproven === null ? describeNearItems(request) : null;
  if (near !== null) throw createPreconditionError(`Cannot complete spec '${id}': ${near}`);
  const proof = await context.proveSpec({ id, body, commands: await listOpenCommands(context, request), signal });
  const excused = unproven === null ? null : { unproven };
  if (proof.state === null) return { fields: excused ?? { unproven: undefined }, lines: [], proof: null };
  signal?.throwIfAborted();
  const reasons = [...(lost === null ? [] : [lost]), ...listCompletionObstacles(id, proof)];
  if (reasons.length === 0) return { fields: { unproven: undefined }, lines: [formatPassedChecks(proof)], proof };
  if (unproven === null) {
    throw createPreconditionError(`Spec '${id}' is not proven: ${reasons.join("; ")}`);
  }
  await (await context.openAcceptance()).acceptLines([buildUnprovenLine(id, unproven)]);
  return { fields: { unproven }, lines: [`without proof (${unproven}): ${reasons.join("; ")}`], proof };
}

/**
 * Returns the commands of the settings if the latest run was refused for one of them: they have to pass first.
 * @throws OperationError `failed_precondition` if that run was refused for its output and no other one was written
 */
async function listOpenCommands(context: PlannerContext, { id, body, unproven }: CompletionRequest) {
  const rejected = unproven === null ? await readRejectedRun(context, id) : null;
  if (rejected === null) return [];
  const output = await findOutputObstacle(context, { ...(await context.specs.load(id)), body }, rejected);
  if (output !== null) throw createPreconditionError(`Cannot complete spec '${id}': ${output}`);
  return rejected.failedCommands.length > 0 ? (await context.readConfig()).verify.commands : [];
}

/** Stores the proof of a spec that a person completed; returns its record's number, or null without a proof. */
export async function recordCompletion(
  context: PlannerContext,
  { id, outputSchema }: Spec,
  { proof, unproven }: Pick<CompletionResult, "proof"> & Pick<CompletionRequest, "unproven">,
): Promise<number | null> {
  return proof === null ? null : context.storeManualRecord({ id, proof, unproven, outputSchema });
}

function requireUnprovenReason(context: PlannerContext, why: string): void {
  const run = context.findSurroundingRun();
  if (run !== null) {
    throw createPreconditionError(`Cannot leave out proof inside the run of spec '${run.spec_id}'`);
  }
  if (why.trim() !== "" && !/[\r\n\0]/.test(why)) return;
  throw createInvalidArgumentError(`Invalid reason "${why}": expected one line that says why`);
}

/** Returns a sentence about the passed checks and the commit on which they ran. */
export function formatPassedChecks(proof: Provenance): string {
  const checks = formatCountWithNoun(listCommandResults(proof).length, "check");
  const { commit = null, beside = [], where } = proof.state ?? {};
  if (commit === null) return `${checks} passed`;
  if (where !== "fresh" && beside.length > 0) {
    return `${checks} passed on ${commit.slice(0, 10)} with uncommitted or ignored files (${beside.slice(0, 3).join(", ")}${beside.length > 3 ? ", …" : ""})`;
  }
  return `${checks} passed on ${commit.slice(0, 10)}`;
}

/** Returns the criteria of a body and their checks as JSON, to detect changes that make a proof invalid. */
export function serializeCriteria(body: string): string {
  return JSON.stringify(parseCriteria(body).map(({ label, verify }) => [label, verify]));
}
