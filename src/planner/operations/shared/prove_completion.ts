import { OperationError } from "#kernel/errors.ts";
import { formatCountOf } from "#words/names.ts";
import type { PlannerContext } from "../../context.ts";
import { criteriaOf } from "../../spec/criteria.ts";
import type { FieldChanges } from "../../spec/edit/edit_fields.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { unprovenLine } from "../../work/acceptance.ts";
import { type Provenance, reasonsAgainst, resultsIn } from "../../work/provenance.ts";
import { lostRulesText, rulesLost } from "./held_rules.ts";

export interface Completing {
  readonly id: SpecId;
  /** The body that the spec is to be completed with. */
  readonly body: string;
  /** Why a person completes the spec without proof; null if it has to be proven. */
  readonly unproven: string | null;
  readonly signal?: AbortSignal | undefined;
}

export interface Completion {
  /** What is set beside the status. */
  readonly fields: FieldChanges;
  /** What the answer says about it, a sentence each. */
  readonly lines: readonly string[];
  /** Null for a spec without checks, about which nothing is to be proven. */
  readonly proof: Provenance | null;
}

/**
 * Runs the checks that a spec's criteria name, before it is completed. What judged runs has to judge it as well.
 *
 * @throws OperationError `failed_precondition` with what speaks against it
 *
 * Source: docs/decisions.md#s-61.
 */
export async function proveCompletion(context: PlannerContext, completing: Completing): Promise<Completion> {
  const { id, body, unproven, signal } = completing;
  if (unproven !== null) refuseExcuse(context, unproven);
  const lost = lostRulesText(await rulesLost(context));
  if (lost !== null && unproven === null) {
    throw new OperationError("failed_precondition", `Cannot complete spec '${id}': ${lost}`);
  }
  const proof = await context.prove({ id, body, signal });
  const excused = unproven === null ? null : { unproven };
  if (proof.state === null) return { fields: excused ?? { unproven: undefined }, lines: [], proof: null };
  signal?.throwIfAborted();
  const reasons = [...(lost === null ? [] : [lost]), ...reasonsAgainst(id, proof)];
  if (reasons.length === 0) return { fields: { unproven: undefined }, lines: [passedText(proof)], proof };
  if (unproven === null) {
    throw new OperationError("failed_precondition", `Spec '${id}' is not proven: ${reasons.join("; ")}`);
  }
  await (await context.accepted()).accept([unprovenLine(id, unproven)]);
  return { fields: { unproven }, lines: [`without proof (${unproven}): ${reasons.join("; ")}`], proof };
}

/** Keeps what proves a spec that was completed by hand. @returns the number of its record, or null without one */
export async function recordCompletion(
  context: PlannerContext,
  { id, outputSchema }: Spec,
  { proof, unproven }: Pick<Completion, "proof"> & Pick<Completing, "unproven">,
): Promise<number | null> {
  return proof === null ? null : context.keepManual({ id, proof, unproven, outputSchema });
}

function refuseExcuse(context: PlannerContext, why: string): void {
  const run = context.insideRun();
  if (run !== null) {
    throw new OperationError("failed_precondition", `Cannot leave out proof inside the run of spec '${run.spec_id}'`);
  }
  if (why.trim() !== "" && !/[\r\n\0]/.test(why)) return;
  throw new OperationError("invalid_argument", `Invalid reason "${why}": expected one line that says why`);
}

/** What the checks of a spec came to, for people. */
export function passedText(proof: Provenance): string {
  const checks = formatCountOf(resultsIn(proof).length, "check");
  const { commit = null, beside = [], where } = proof.state ?? {};
  if (commit === null) return `${checks} passed`;
  if (where !== "fresh" && beside.length > 0) {
    return `${checks} passed on ${commit.slice(0, 10)} with uncommitted or ignored files (${beside.slice(0, 3).join(", ")}${beside.length > 3 ? ", …" : ""})`;
  }
  return `${checks} passed on ${commit.slice(0, 10)}`;
}

/** The checks and criteria of a body: what a proof is about. */
export function judgedText(body: string): string {
  return JSON.stringify(criteriaOf(body).map(({ label, verify }) => [label, verify]));
}
