import type { PlannerContext } from "#planner/context.ts";
import { verifyTool } from "#planner/operations/verify.ts";
import { runTool } from "#planner/service.ts";
import {
  ANY_ID,
  type Args,
  type ArgValues,
  booleanFlag,
  enumFlag,
  fileFlag,
  JSON_FLAG,
  optionalArgument,
  textFlag,
} from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { printJson, sanitizeLine } from "../../output/print.ts";
import { printText } from "../../output/wrap_text.ts";

const OUTPUT_ARGUMENTS = ["--output", "--schema", "--prompt-section", "<file>"] as const;
const OTHER_MODES = ["--since", "--record", ...OUTPUT_ARGUMENTS] as const;

const VERIFY_ARGS = {
  id: { ...ANY_ID, required: false, replacedBy: ["--schema", "--since", "--check-attestation"] },
  file: optionalArgument("File with the output; - reads standard input", { completes: "file", needs: ["--output"] }),
  output: booleanFlag("Check the output against the spec's output_schema", { alias: "o" }),
  schema: textFlag("path", "Check against this schema instead of the spec's", { completes: "file" }),
  "prompt-section": booleanFlag("Print the Output Format section of the agent's prompt", {
    excludes: ["--output", "--json", "<file>"],
  }),
  record: booleanFlag("Compare the record of a run with the repository", {
    needs: ["<id>"],
    excludes: OUTPUT_ARGUMENTS,
  }),
  rerun: booleanFlag("Repeat the commands on its commit", { needs: ["--record"] }),
  run: textFlag("n", "Number of the run (default: the latest)", { needs: ["--record"] }),
  since: textFlag("ref", "Judge the specs that were completed since a commit", {
    excludes: ["<id>", "--record", ...OUTPUT_ARGUMENTS],
  }),
  checks: enumFlag(["base", "head"], "Head runs new checks too", { valueHint: "which", needs: ["--since"] }),
  strict: booleanFlag("Exit with 1 unless all are proven", { needs: ["--since"] }),
  junit: fileFlag("Write JUnit XML", { needs: ["--since"] }),
  attest: booleanFlag("Print a signed attestation of the spec's checks", {
    needs: ["<id>"],
    excludes: ["--check-attestation", ...OTHER_MODES],
  }),
  "check-attestation": fileFlag("Check an attestation against git's allowed signers", { excludes: OTHER_MODES }),
  json: JSON_FLAG,
} as const satisfies Args;

export type VerifyArgs = ArgValues<typeof VERIFY_ARGS>;

export const command = defineCommand({
  meta: { name: "verify", description: "Check a spec's criteria, records and output" },
  details:
    "Exits with 1 unless all criteria are checked or, with --output, the output matches. The output is the last run's log, else the ## Output section, or the file after the id. With --schema alone the only argument is a file.",
  args: VERIFY_ARGS,
  examples: {
    "planner verify 003": "List the unchecked criteria of today's third spec",
    "planner verify 003 --output": "Check the agent's output against the schema",
    "planner verify 003 --record --rerun": "Check the last run's record and repeat its commands",
    "planner verify 003 --attest": "Print a signed statement about the spec's checks",
    "planner verify --since origin/main": "Judge the specs that this branch completes",
  },
  async run({ args: words, cli }): Promise<ExitStatus> {
    // Every mode except those with a schema, a commit or an attestation requires the id.
    const { id = "", output, schema, since, record, json, "check-attestation": attestation } = words;
    if (words.attest || attestation !== undefined) {
      const { printAttestation, checkAttestation } = await import("../../attest.ts");
      if (attestation === undefined) return printAttestation(await cli.openProject(), cli, id);
      return checkAttestation(await cli.openProject(), cli, attestation, words);
    }
    if (since !== undefined) {
      const { verifyChangedSpecs } = await import("../../verify_since.ts");
      return verifyChangedSpecs(await cli.openProject(), cli, since, words);
    }
    if (record) {
      const { verifyRunRecord } = await import("../../verify_record.ts");
      return verifyRunRecord(await cli.openProject(), cli, words);
    }
    const context = await cli.openContext();
    if (output || schema !== undefined || words["prompt-section"]) {
      const { verifyOutput } = await import("../../output/verify_output.ts");
      return verifyOutput(words, context, cli.cwd);
    }
    return verifyCriteria(context, id, json);
  },
});

async function verifyCriteria(context: PlannerContext, id: string, json: boolean): Promise<ExitStatus> {
  const { value } = await runTool(context, verifyTool, { id });
  if (json) printJson(value);
  else {
    const { checked, total } = value.criteria;
    const lines = [`${value.spec_id}: ${checked} of ${total} criteria checked`, ...value.unchecked_items];
    printText([...lines, value.verification_notes, ""].map(sanitizeLine).join("\n"));
  }
  return value.verified ? EXIT_STATUS.ok : EXIT_STATUS.refused;
}
