import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "../../context.ts";
import { type CheckedOutput, formatOutputReport } from "../../output/report.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { extractOutput } from "../../work/default_evidence.ts";
import { judgeOutput } from "../../work/judge_output.ts";
import { parseRejectedRun, type RejectedRun } from "../../work/records/read_record.ts";

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
