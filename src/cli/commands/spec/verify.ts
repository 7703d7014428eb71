import type { PlannerContext } from "#planner/context.ts";
import { verify } from "#planner/operations/verify.ts";
import { runTool } from "#planner/service.ts";
import { type Args, type Cli, defineCommand, type Flags, type Positionals } from "../../command.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { plainLine } from "../../output/plain_text.ts";
import { printJson } from "../../output/print.ts";
import { printText } from "../../output/wrap_text.ts";
import { ANY_ID, JSON_FLAG } from "../../shared_arguments.ts";
import { UsageError } from "../../usage_error.ts";

const PLACES = {
  id: { ...ANY_ID, required: false },
  file: { summary: "File with the output; - reads standard input", required: false, completes: "file" },
} as const satisfies Positionals;

const FLAGS = {
  output: { type: "boolean", short: "o", summary: "Check the output against the spec's output_schema" },
  schema: {
    type: "string",
    value: "path",
    completes: "file",
    summary: "Check against this schema instead of the spec's",
  },
  "prompt-section": { type: "boolean", summary: "Print the Output Format section of the agent's prompt" },
  record: { type: "boolean", summary: "Compare the record of a run with the repository" },
  rerun: { type: "boolean", summary: "With --record: repeat the commands on its commit" },
  run: { type: "string", value: "n", summary: "With --record: number of the run (default: the latest)" },
  since: { type: "string", value: "ref", summary: "Judge the specs that were completed since a commit" },
  checks: {
    type: "enum",
    value: "which",
    options: ["base", "head"],
    summary: "With --since: head runs new checks too",
  },
  strict: { type: "boolean", summary: "With --since: exit with 1 unless all are proven" },
  junit: { type: "string", value: "file", completes: "file", summary: "With --since: write JUnit XML" },
  attest: { type: "boolean", summary: "Print a signed attestation of the spec's checks" },
  "check-attestation": {
    type: "string",
    value: "file",
    completes: "file",
    summary: "Check an attestation against git's allowed signers",
  },
  json: JSON_FLAG,
} as const satisfies Flags;

type Words = Args<typeof PLACES, typeof FLAGS>;

export const command = defineCommand({
  summary: "Check a spec's criteria, records and output",
  details:
    "Exits with 1 unless all criteria are checked or, with --output, the output matches. The output is the log of the last run, otherwise the ## Output section, or the file that is given after the id. With --schema and without --output the only argument is a file.",
  positionals: PLACES,
  flags: FLAGS,
  examples: [
    { line: "planner verify 003", shows: "List the unchecked criteria of today's third spec" },
    { line: "planner verify 003 --output", shows: "Check the agent's output against the schema" },
    { line: "planner verify 003 --record --rerun", shows: "Check the last run's record and repeat its commands" },
    { line: "planner verify 003 --attest", shows: "Print a signed statement about the spec's checks" },
    { line: "planner verify --since origin/main", shows: "Judge the specs that this branch completes" },
  ],
  async run(words, cli): Promise<ExitStatus> {
    if (words["prompt-section"]) refuseBesidePrompt(words);
    if (words.since === undefined) refuseWithoutSince(words);
    if (words.attest || words["check-attestation"] !== undefined) return verifyAttestation(words, cli);
    if (words.since !== undefined) return verifyCompleted({ ...words, since: words.since }, cli);
    if (words.record) return verifyKept(words, cli);
    const needing = words.rerun ? "--rerun" : words.run === undefined ? null : "--run";
    if (needing !== null) throw new UsageError(`Flag "${needing}" goes with "--record"`, null);
    const context = await cli.planner();
    if (words.output || words.schema !== undefined || words["prompt-section"]) {
      const { verifyOutput } = await import("../../output/verify_output.ts");
      return verifyOutput(words, context, cli.cwd);
    }
    if (words.file !== undefined)
      throw new UsageError(`Unexpected argument "${words.file}": a file needs --output`, null);
    return verifyCriteria(context, words.id, words.json);
  },
});

async function verifyKept({ id, file, output, schema, run = "last", ...words }: Words, cli: Cli) {
  if (output || schema !== undefined) {
    throw new UsageError(`Flags "--record" and "${output ? "--output" : "--schema"}" exclude each other`, null);
  }
  if (file !== undefined) throw new UsageError(`Unexpected argument "${file}": "--record" reads no output`, null);
  if (id === undefined) throw new UsageError("Missing argument <id>: full or partial id of a spec", null);
  const { verifyRunRecord } = await import("../../verify_record.ts");
  return verifyRunRecord(await cli.project(), cli, { id, run, ...words });
}

async function verifyAttestation(words: Words, cli: Cli): Promise<ExitStatus> {
  const { id, file, output, schema, record, rerun, run, since, json, attest: isMade } = words;
  const path = words["check-attestation"];
  const flag = isMade ? "--attest" : "--check-attestation";
  const other = { output, schema, record, rerun, run, since, "prompt-section": words["prompt-section"] };
  refuseOthers(flag, isMade ? { ...other, "check-attestation": path } : other);
  if (file !== undefined) throw new UsageError(`Unexpected argument "${file}": "${flag}" reads no output`, null);
  const { attest, checkAttestation } = await import("../../attest.ts");
  if (path !== undefined) return checkAttestation(await cli.project(), cli, { file: path, id, json });
  if (id === undefined) throw new UsageError("Missing argument <id>: full or partial id of a spec", null);
  return attest(await cli.project(), cli, id);
}

function refuseOthers(flag: string, others: Readonly<Record<string, unknown>>): void {
  const named = Object.entries(others).find(([, value]) => value !== undefined && value !== false)?.[0];
  if (named !== undefined) throw new UsageError(`Flags "${flag}" and "--${named}" exclude each other`, null);
}

async function verifyCompleted(words: Words & { readonly since: string }, cli: Cli): Promise<ExitStatus> {
  const { id, since, output, schema, record, rerun, run, checks = "base", strict, junit, json } = words;
  refuseOthers("--since", { output, schema, record, rerun, run, "prompt-section": words["prompt-section"] });
  if (id !== undefined) throw new UsageError(`Unexpected argument "${id}": "--since" judges all specs`, null);
  const { verifyChange } = await import("../../verify_since.ts");
  return verifyChange(await cli.project(), cli, { since, checks, strict, junit, json });
}

function refuseWithoutSince({ checks, strict, junit }: Pick<Words, "checks" | "strict" | "junit">): void {
  const flag = checks !== undefined ? "--checks" : strict ? "--strict" : junit === undefined ? null : "--junit";
  if (flag !== null) throw new UsageError(`Flag "${flag}" goes with "--since"`, null);
}

/** The section describes a schema; no output is read for it. */
function refuseBesidePrompt({
  output,
  file,
  json,
}: Readonly<Record<"output" | "json", boolean>> & { file?: string | undefined }): void {
  const flag = output ? "--output" : json ? "--json" : null;
  if (flag !== null) throw new UsageError(`Flags "--prompt-section" and "${flag}" exclude each other`, null);
  if (file !== undefined)
    throw new UsageError(`Unexpected argument "${file}": "--prompt-section" reads no output`, null);
}

async function verifyCriteria(context: PlannerContext, id: string | undefined, json: boolean): Promise<ExitStatus> {
  if (id === undefined) throw new UsageError("Missing argument <id>: full or partial id of a spec", null);
  const { value } = await runTool(context, verify, { id });
  if (json) printJson(value);
  else {
    const { checked, total } = value.criteria;
    const lines = [`${value.spec_id}: ${checked} of ${total} criteria checked`, ...value.unchecked_items];
    printText([...lines, value.verification_notes, ""].map(plainLine).join("\n"));
  }
  return value.verified ? EXIT_STATUS.ok : EXIT_STATUS.refused;
}
