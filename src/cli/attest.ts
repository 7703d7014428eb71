import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { findSpec } from "#planner/operations/shared/find_spec.ts";
import { attestSpec } from "#planner/runs/proof/prove_spec.ts";
import { describeSystemError } from "#planner/store/files/disk_error.ts";
import { Git } from "#planner/store/git/git.ts";
import {
  computeFingerprint,
  readSigningKey,
  signBytesWithSsh,
  verifySshSignature,
} from "#planner/store/git/ssh_signature.ts";
import { buildCheckLines } from "#planner/work/acceptance.ts";
import {
  type AttestationEnvelope,
  type AttestationStatement,
  type AttestedSubject,
  encodeSigningBytes,
  PAYLOAD_TYPE,
  parseEnvelope,
  SIGNATURE_NAMESPACE,
} from "#planner/work/attestation.ts";
import type { VerifyArgs } from "./commands/spec/verify.ts";
import { askToAcceptCommands, requireOutsideRun } from "./consent.ts";
import type { Cli } from "./declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "./exit_status.ts";
import type { OpenedProject } from "./open_project.ts";
import { print, printJson, sanitizeLine } from "./output/print.ts";
import { createProgressPrinter } from "./with_proofs.ts";
import { openProofDeps } from "./work/run_deps.ts";
import { listenForSignals } from "./work/signals.ts";

/** Prints the attestation of a spec, signed with git's signing key. */
export async function printAttestation(project: OpenedProject, cli: Cli, id: string): Promise<ExitStatus> {
  requireOutsideRun(project.root, "attest a spec");
  const spec = await findSpec(project.context, id, { archived: true });
  await askToAcceptCommands(project, buildCheckLines(spec.body));
  const stop = listenForSignals(() => cli.note("Ending the checks"));
  try {
    const deps = await openProofDeps(project, createProgressPrinter(cli));
    const statement = await attestSpec(deps, spec, stop);
    const payload = Buffer.from(JSON.stringify(statement));
    const signatures = await signPayload(project.root, cli, payload);
    const envelope: AttestationEnvelope = {
      payloadType: PAYLOAD_TYPE,
      payload: payload.toString("base64"),
      signatures,
    };
    printJson(envelope);
    return statement.predicate.result === "FAILED" ? EXIT_STATUS.refused : EXIT_STATUS.ok;
  } finally {
    stop.close();
  }
}

async function signPayload(root: string, cli: Cli, payload: Uint8Array): Promise<AttestationEnvelope["signatures"]> {
  const key = await readSigningKey(root);
  if (key.kind === "none") {
    cli.warn(`The attestation is unsigned: ${sanitizeLine(key.why)}`);
    return [];
  }
  const armoured = await signBytesWithSsh(key.key, SIGNATURE_NAMESPACE, encodeSigningBytes(PAYLOAD_TYPE, payload));
  return [{ keyid: computeFingerprint(armoured) ?? "", sig: Buffer.from(armoured).toString("base64") }];
}

/**
 * Verifies an attestation against the signers that git allows, and prints its statement. It must be about the spec `id`,
 * if there is one.
 */
export async function checkAttestation(
  { context, root }: OpenedProject,
  cli: Cli,
  file: string,
  { id, json }: VerifyArgs,
): Promise<ExitStatus> {
  const envelope = parseEnvelope(readAttestationFile(resolve(cli.cwd, file), file));
  if (typeof envelope === "string") throw createAttestationError(file, envelope);
  const { statement, payload, signatures } = envelope;
  const { name = "" } = statement.subject[0] ?? {};
  if (id !== undefined) {
    const spec = await findSpec(context, id, { archived: true });
    if (spec.id !== name) throw createAttestationError(file, `it is about "${name}", expected "${spec.id}"`);
  }
  if (signatures.length === 0) throw createAttestationError(file, "it is unsigned");
  const bytes = encodeSigningBytes(PAYLOAD_TYPE, payload);
  const signers: string[] = [];
  for (const { keyid, armoured } of signatures) {
    if (keyid !== computeFingerprint(armoured))
      throw createAttestationError(file, `keyid "${keyid}" is not that of the signature`);
    signers.push(await verifySshSignature(root, { armoured, namespace: SIGNATURE_NAMESPACE, bytes }));
  }
  const { failedTests, result } = statement.predicate;
  if (result === "FAILED") throw createAttestationError(file, `it states that these failed: ${failedTests.join(", ")}`);
  const problem = await describeStatementDifference(new Git(root), statement);
  if (problem !== null) throw createAttestationError(file, problem);
  if ((await resolveCommit(new Git(root), "HEAD")) !== statement.subject[0]?.digest["gitCommit"]) {
    cli.warn("Another commit is checked out than the one that the attestation is about");
  }
  printStatement(statement, signers, json);
  return EXIT_STATUS.ok;
}

/** Describes the first difference between the statement and this repository; null if they agree. */
async function describeStatementDifference(
  git: Git,
  { subject, predicate }: AttestationStatement,
): Promise<string | null> {
  const commit = subject[0]?.digest["gitCommit"];
  if (typeof commit !== "string" || !/^[0-9a-f]{40,64}$/.test(commit)) return "it names no commit";
  if ((await resolveCommit(git, commit)) === null) return `commit ${commit} is not in this repository`;
  const configuration: unknown = predicate.configuration;
  if (!Array.isArray(configuration)) return "the statement has no configuration";
  for (const one of configuration) {
    const { name, digest } = one as Partial<AttestedSubject>;
    if (typeof name !== "string" || digest === undefined) return "the statement has a configuration without a name";
    const asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${commit}:./${name}`];
    const blob = await git.tryReadOutput(asked);
    if (blob !== digest["gitBlob"])
      return `"${name}" is ${String(digest["gitBlob"])} in it and ${blob ?? "missing"} in ${commit}`;
  }
  return null;
}

function resolveCommit(git: Git, name: string): Promise<string | null> {
  return git.tryReadOutput(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
}

function printStatement(
  { subject: [about], predicate }: AttestationStatement,
  signers: readonly string[],
  json: boolean,
): void {
  const commit = about?.digest["gitCommit"] ?? null;
  const { result, passedTests, warnedTests, failedTests } = predicate;
  if (json) {
    printJson({ spec_id: about?.name, commit, result, signers, passedTests, warnedTests, failedTests });
    return;
  }
  const lines = [
    `${about?.name}: ${result} on ${String(commit)}, signed by ${signers.join(", ")}`,
    ...passedTests.map((test) => `  passed  ${test}`),
    ...warnedTests.map((test) => `  warned  ${test}`),
    ...failedTests.map((test) => `  failed  ${test}`),
  ];
  print(`${lines.map(sanitizeLine).join("\n")}\n`);
}

function createAttestationError(file: string, why: string): OperationError {
  return new OperationError("failed_precondition", `The attestation "${file}" does not hold: ${why}`);
}

function readAttestationFile(path: string, named: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new OperationError("failed_precondition", `Cannot read "${named}": ${describeSystemError(error)}`);
  }
}
