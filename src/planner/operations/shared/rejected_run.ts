import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "../../context.ts";
import { formatOutputReport } from "../../output/report.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { extractOutput } from "../../work/default_evidence.ts";
import { parseRejectedRun, type RejectedRun } from "../../work/records/read_record.ts";

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
export async function extractLaterOutput(body: string, { oldOutput }: RejectedRun): Promise<string> {
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
