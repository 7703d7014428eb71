import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { text as readText } from "node:stream/consumers";
import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "#planner/context.ts";
import { findSpec } from "#planner/operations/shared/find_spec.ts";
import { reportOutput } from "#planner/operations/shared/prove_completion.ts";
import { formatOutputReport, listOutputProblems } from "#planner/output/report.ts";
import type { Spec } from "#planner/spec/spec.ts";
import type { OutputVerdict } from "#planner/work/judge_output.ts";
import type { VerifyArgs } from "../commands/spec/verify.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import { UsageError } from "../usage_error.ts";
import { print, printJson, sanitizeLine, sanitizeLines } from "./print.ts";

interface JudgedOutput {
  readonly spec: Spec | null;
  readonly schemaPath: string;
  readonly verdict: OutputVerdict;
  readonly log: string | null;
}

/** Maximum size of an output file in bytes. The validator applies a lower limit to the parsed output. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** Checks an output against its schema and prints the result, or prints the prompt's section about the output. */
export async function verifyOutput(words: VerifyArgs, context: PlannerContext, cwd: string): Promise<ExitStatus> {
  // `verify --schema <path> <file>` needs no spec; with --output the first word is a spec.
  const withoutSpec = words.schema !== undefined && !words.output && !words["prompt-section"];
  const { id, file } = withoutSpec ? { id: undefined, file: words.id } : words;
  const spec = id === undefined ? null : await findSpec(context, id, { archived: true });
  const schemaPath = words.schema ?? spec?.outputSchema ?? null;
  if (schemaPath === null) throw new OperationError("failed_precondition", `Spec "${spec?.id}" names no output_schema`);
  if (words["prompt-section"]) {
    print(sanitizeLines(await context.outputs.promptSection(schemaPath)));
    return EXIT_STATUS.ok;
  }
  const output = file === undefined ? undefined : await readOutput(file, cwd);
  const judged = await judgeOutput(context, { spec, schemaPath }, output);
  if (words.json) printJson(convertVerdictToJson(judged));
  else
    print(
      formatOutputReport(judged)
        .map((line) => `${sanitizeLine(line)}\n`)
        .join(""),
    );
  return judged.verdict.kind === "passed" ? EXIT_STATUS.ok : EXIT_STATUS.refused;
}

async function judgeOutput(
  context: PlannerContext,
  { spec, schemaPath }: Pick<JudgedOutput, "spec" | "schemaPath">,
  output: string | undefined,
): Promise<JudgedOutput> {
  if (output !== undefined)
    return { spec, schemaPath, verdict: await context.outputs.validateOutput(schemaPath, output), log: null };
  const report = spec === null ? null : await reportOutput(context, spec, schemaPath);
  if (report === null) throw new UsageError("Missing argument: expected a spec or a file with the output");
  return { spec, ...report };
}

async function readOutput(shown: string, cwd: string): Promise<string> {
  if (shown === "-") return readText(process.stdin);
  const path = resolve(cwd, shown);
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) throw new OperationError("not_found", `Cannot read "${shown}": no such file`);
  if (!info.isFile()) throw new OperationError("invalid_argument", `Cannot read "${shown}": not a file`);
  if (info.size > MAX_FILE_BYTES)
    throw new OperationError("resource_exhausted", `Cannot read "${shown}": larger than ${MAX_FILE_BYTES} bytes`);
  return readFileSync(path, "utf8");
}

function convertVerdictToJson({ spec, schemaPath, verdict, log }: JudgedOutput): unknown {
  return {
    spec_id: spec?.id ?? null,
    schema: schemaPath,
    valid: verdict.kind === "passed",
    result: verdict.kind,
    problems: listOutputProblems(verdict),
    log,
  };
}
