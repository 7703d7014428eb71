import type { OutputVerdict } from "#planner/work/judge_output.ts";
import type { Rule, RuleFinding } from "../finding.ts";

/** Requires a completed spec's last run output to match its `output_schema`. A spec without a log gets no finding. */
export const outputRule: Rule = {
  name: "output",
  summary: "The output of a completed spec fits its output schema",
  severity: "error",
  reports:
    "Error: the output of a completed spec does not fit its `output_schema`, or the schema cannot be used. See " +
    "docs/output-schemas.md.",
  *check(spec, { outputs }) {
    const verdict = outputs.get(spec.id);
    if (verdict === undefined) return;
    for (const { message, suggestion } of describeProblems(verdict, spec.outputSchema ?? "", spec.id)) {
      yield { severity: "error", field: "output_schema", message, path: ["output_schema"], suggestion };
    }
  },
};

function describeProblems(
  verdict: OutputVerdict,
  schema: string,
  id: string,
): Pick<RuleFinding, "message" | "suggestion">[] {
  const log = `Look into .planner/logs/${id}.log`;
  switch (verdict.kind) {
    case "passed":
      return [];
    case "no_json":
      return [
        { message: `output does not match schema '${schema}': no JSON in the last run's output`, suggestion: log },
      ];
    case "failed":
      return verdict.problems.map((problem) => ({
        message: `output does not match schema '${schema}': ${problem}`,
        suggestion: log,
      }));
    case "invalid_schema":
      return verdict.problems.map((problem) => ({ message: `schema '${schema}' is unusable: ${problem}` }));
  }
}
