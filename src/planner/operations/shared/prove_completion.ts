import { createInvalidArgumentError, createPreconditionError, OperationError } from "#kernel/errors.ts";
import { formatCountWithNoun } from "#words/names.ts";
import type { PlannerContext } from "../../context.ts";
import { type CheckedOutput, formatOutputReport } from "../../output/report.ts";
import { describeNearItems, parseCriteria } from "../../spec/criteria.ts";
import type { FieldChanges } from "../../spec/edit/edit_fields.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { buildUnprovenLine } from "../../work/acceptance.ts";
import { extractOutput } from "../../work/default_evidence.ts";
import { judgeOutput } from "../../work/judge_output.ts";
import { listCommandResults, listCompletionObstacles, type Provenance } from "../../work/provenance.ts";
import { parseRejectedRun, type RejectedRun } from "../../work/records/read_record.ts";
import { formatLostRules, readLostRules } from "./held_rules.ts";

export interface CompletionRequest {
  readonly id: SpecId;
  /** Body of the spec at completion, and the line of the file in which it begins. */
  readonly body: string;
  readonly bodyLine: number;
  /** Reason why a person completes the spec without proof; null to require proof. */
  readonly unproven: string | null;
  readonly signal?: AbortSignal | undefined;
}

interface CompletionResult {
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

/** Result of comparing a spec's output with its schema. */
interface OutputReport extends CheckedOutput {
  /** A sentence, one line per problem, then the log's path. Source: docs/contract/spec-tool.md#output-4. */
  readonly lines: readonly string[];
}

/**
 * Compares a spec's output with its `output_schema`. Returns null without a schema. A spec without output fails, and
 * what a refused run left does not count.
 * @param schemaPath schema to use instead of the spec's own
 *
 * Source: docs/contract/spec-tool.md#output-4.
 */
export async function reportOutput(
  context: PlannerContext,
  spec: Spec,
  schemaPath = spec.outputSchema,
): Promise<OutputReport | null> {
  if (schemaPath === null) return null;
  const rejected = await readRejectedRun(context, spec.id);
  const verdict = (await judgeLaterOutput(context, { ...spec, outputSchema: schemaPath }, rejected)) ?? {
    kind: "no_json",
  };
  const log = (await context.logs.open(spec.id))?.file ?? null;
  return { schemaPath, verdict, log, lines: formatOutputReport({ schemaPath, verdict, log }) };
}

async function judgeLaterOutput(context: PlannerContext, spec: Spec, rejected: RejectedRun | null) {
  if (rejected === null || rejected.oldOutput === null) return judgeOutput(context, spec);
  const later = { ...spec, body: `## Output\n\n${await extractLaterOutput(spec.body, rejected)}\n` };
  // The log holds the output for which the run was refused.
  const { logs, outputs } = context;
  return judgeOutput({ logs: rejected.outputProblem === null ? logs : { open: async () => null }, outputs }, later);
}

/**
 * Returns the latest run of a spec if it did not complete the spec, because what that run was refused for must not
 * complete it later; else null. Inside a run, returns null: the run's own end judges.
 */
export async function readRejectedRun(context: PlannerContext, id: SpecId): Promise<RejectedRun | null> {
  if (context.findSurroundingRun() !== null) return null;
  try {
    const kept = await (await context.openRuns()).worktrees.readRecord(id, null);
    return kept === null ? null : parseRejectedRun(id, kept);
  } catch (error) {
    // There is no record without a repository.
    if (error instanceof OperationError) return null;
    throw error;
  }
}

/** Web Crypto, typed here because one of the type checkers does not know the global. */
const { crypto: WEB_CRYPTO } = globalThis as unknown as {
  readonly crypto: { readonly subtle: { digest(algorithm: string, bytes: Uint8Array): Promise<ArrayBuffer> } };
};

/** Returns the output of a body that may be evidence after a refused run, trimmed. */
async function extractLaterOutput(body: string, { oldOutput }: RejectedRun): Promise<string> {
  const now = extractOutput(body);
  if (oldOutput === null) return now;
  const { chars, sha256 } = oldOutput;
  const digest = await WEB_CRYPTO.subtle.digest("SHA-256", new TextEncoder().encode(now.slice(0, chars)));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const isKept = hex === sha256;
  return (isKept ? now.slice(chars) : now).trim();
}

/** Returns why the output of a spec is no evidence after a refused run that lacked one; null if it is. */
export async function findOutputObstacle(
  context: PlannerContext,
  spec: Pick<Spec, "id" | "body" | "outputSchema" | "frontmatter">,
  rejected: RejectedRun,
): Promise<string | null> {
  const { run, outputProblem } = rejected;
  const isAsked = spec.frontmatter["evidence"] === "output" || outputProblem !== null;
  if (!isAsked) return null;
  const output = await extractLaterOutput(spec.body, rejected);
  const advice = `write a new one with "planner update ${spec.id} --output <text>"`;
  if (output === "") return `run ${run} left no output that counts, and none was written since: ${advice}`;
  if (outputProblem === null || spec.outputSchema === null) return null;
  const verdict = await context.outputs.validateOutput(spec.outputSchema, output);
  if (verdict.kind === "passed") return null;
  return `${formatOutputReport({ schemaPath: spec.outputSchema, verdict, log: null }).join("; ")}: ${advice}`;
}
