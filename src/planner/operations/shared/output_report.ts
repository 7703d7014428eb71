import type { PlannerContext } from "../../context.ts";
import { type CheckedOutput, formatOutputReport } from "../../output/report.ts";
import type { Spec } from "../../spec/spec.ts";
import { judgeOutput } from "../../work/judge_output.ts";
import type { RejectedRun } from "../../work/records/read_record.ts";
import { extractLaterOutput, readRejectedRun } from "./rejected_run.ts";

/** Result of comparing a spec's output with its schema. */
export interface OutputReport extends CheckedOutput {
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
