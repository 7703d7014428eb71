import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import type { CommittedState, SpecChanges } from "#planner/store/worktrees/differences.ts";
import type { OutputValidator } from "#planner/work/judge_output.ts";
import { parseConfig } from "../../config/check_config.ts";
import type { PlannerConfig } from "../../config/config.ts";
import type { PlannerContext } from "../../context.ts";
import { formatOutputReport } from "../../output/report.ts";
import { parseCriteria, readCriteria } from "../../spec/criteria.ts";
import { buildSpec, parseDocument } from "../../spec/document.ts";
import { isDoneStatus, type Spec } from "../../spec/spec.ts";
import { compareSpecIds, type SpecId } from "../../spec/spec_id.ts";
import { type AcceptanceStore, type JudgedCriterion, judgeCriteria } from "../../work/acceptance.ts";
import { extractNewOutput } from "../../work/default_evidence.ts";
import {
  type CriterionProof,
  type CriterionVerdict,
  deriveTickVerdict,
  type EditedFile,
  hasChecks,
} from "../../work/provenance.ts";
import type { RecordCheck } from "../../work/records/run_record.ts";
import { openJob } from "../job.ts";
import type { RunDeps, StopSignals } from "../run_types.ts";
import { verifyRecord } from "../verify_record.ts";
import { judgeProvenance } from "./prove_spec.ts";

export interface VerifySinceOptions {
  /** Any git revision that names a commit. */
  readonly since: string;
  /** Whether checks that the change adds or alters run as well. */
  readonly head: boolean;
  readonly stop: StopSignals;
  /** Returns a validator that uses the schemas of another folder, given by its absolute path. */
  readonly createOutputValidator: (root: string) => OutputValidator;
}

export interface VerifySinceReport {
  /** Full hash of the commit before the change. */
  readonly since: string;
  readonly commit: string;
  readonly specs: readonly SpecVerdict[];
}

/** Verdict on one spec that a change completed, or deleted although its checks had not passed. */
export interface SpecVerdict {
  readonly spec_id: SpecId;
  readonly title: string | null;
  /** `unchecked`: no criterion names a check, or a criterion without a check is not ticked. */
  readonly verdict: Exclude<CriterionVerdict, "checked">;
  /** Reason for the verdict, if neither a criterion nor the record states it; else null. */
  readonly problem: string | null;
  readonly criteria: readonly CriterionProof[];
  readonly edited: readonly EditedFile[];
  readonly proposed: readonly ProposedCheck[];
  /** A person's reason, stored in the spec, for completing it without proof; null if it has none. */
  readonly unproven: string | null;
  /** Why the output does not match its schema, and whether the settings reject that; null if it matches. */
  readonly output: { readonly problem: string; readonly refused: boolean } | null;
  /** Checks of the latest run record; null if the repository has none. */
  readonly record: { readonly run: number; readonly checks: readonly RecordCheck[] } | null;
}

/**
 * Judges every spec that became completed between a commit and the checked-out one. Each check runs in a new worktree
 * of the checked-out commit. Checks, settings and the files on which checks depend come from the earlier commit, so
 * that a change cannot alter its own judgement. No command has to be accepted. Source: docs/decisions.md#s-61.
 */
export async function verifySince(deps: RunDeps, options: VerifySinceOptions): Promise<VerifySinceReport> {
  const { since, head } = options;
  const changes = await deps.ports.worktrees.readSpecChanges(since);
  const { before, after } = changes;
  const settings = parseConfig(before.config).config;
  // An altered check may need an altered setup.
  const config = head ? { ...settings, worktree: parseConfig(after.config).config.worktree } : settings;
  const context: PlannerContext = {
    ...deps.context,
    readConfig: async () => config,
    openAcceptance: async () => ACCEPT_ALL_COMMANDS,
  };
  const completed = findCompletedSpecs(changes);
  const change = {
    ...options,
    config,
    changes,
    outputs: new Map(await findMismatchedOutputs(deps, completed, { wanted: options, changes })),
  };
  const specs = judgeDeletedSpecs(changes);
  for (const spec of completed) specs.push(await judgeCompletedSpec({ ...deps, context }, spec, change));
  specs.sort((a, b) => compareSpecIds(a.spec_id, b.spec_id));
  return { since: before.commit, commit: after.commit, specs };
}

/** Accepts every command and no changed file. */
const ACCEPT_ALL_COMMANDS: AcceptanceStore = {
  file: "",
  read: async () => ({ isTrusted: true, prefixes: [], heldRules: [], hasLine: () => false }),
  acceptLines: async () => {},
  holdRules: async () => {},
  acceptPrefix: async () => {},
  setTrusted: async () => {},
};

function parseReadableSpecs({ specs }: CommittedState): ReadonlyMap<SpecId, Spec> {
  const read = [...specs].flatMap(([id, { file, text }]): readonly (readonly [SpecId, Spec])[] => {
    const document = parseDocument(text);
    return document.ok ? [[id, buildSpec({ id, file, archived: false }, document)]] : [];
  });
  return new Map(read);
}

interface CompletedSpec {
  readonly spec: Spec;
  /** The spec before the change; null if it did not exist or could not be read. */
  readonly before: Spec | null;
}

function findCompletedSpecs({ before, after }: SpecChanges): readonly CompletedSpec[] {
  const old = parseReadableSpecs(before);
  return [...parseReadableSpecs(after).values()]
    .map((spec) => ({ spec, before: old.get(spec.id) ?? null }))
    .filter((one) => one.spec.status === "completed" && one.before?.status !== "completed");
}

/** Returns verdicts on unfinished specs with checks whose file the change deletes or makes unreadable. */
function judgeDeletedSpecs({ before, after }: SpecChanges): SpecVerdict[] {
  const left = parseReadableSpecs(after);
  return [...parseReadableSpecs(before).values()].flatMap(({ id, title, status, body }): readonly SpecVerdict[] => {
    const criteria = judgeCriteria(body, body);
    if (left.has(id) || isDoneStatus(status) || !hasChecks(criteria)) return [];
    const change = after.specs.has(id) ? "makes its file unreadable" : "deletes it";
    return [
      {
        ...{ spec_id: id, title, verdict: "proposed", problem: `its status was ${status}, and the change ${change}` },
        criteria: criteria.map((one) => (one.verify === null ? markCriterionNotRun(one) : markCriterionProposed(one))),
        ...{ edited: [], proposed: compareCriteria(body, "").proposed, unproven: null, output: null, record: null },
      },
    ];
  });
}

/** Statuses of work in progress, whose earlier output belongs to the same work. */
const BEGUN_STATUSES: ReadonlySet<string> = new Set(["in_progress", "needs_attention"]);

/** Returns problems of outputs that do not match their schemas. Prefers the schemas of the earlier commit. */
async function findMismatchedOutputs(
  deps: RunDeps,
  completed: readonly CompletedSpec[],
  { wanted, changes }: { readonly wanted: VerifySinceOptions; readonly changes: SpecChanges },
): Promise<readonly (readonly [SpecId, string])[]> {
  const judged = completed.flatMap(({ spec, before }) => {
    const schemaPath = before?.outputSchema ?? spec.outputSchema;
    const old = before === null || BEGUN_STATUSES.has(before.status) ? "" : before.body;
    return schemaPath === null ? [] : [{ id: spec.id, schemaPath, output: extractNewOutput(spec.body, old) }];
  });
  const first = judged[0];
  if (first === undefined) return [];
  return deps.ports.worktrees.runInFreshWorktree(first.id, changes.before.commit, async ({ root }) => {
    const old = wanted.createOutputValidator(root);
    const found: [SpecId, string][] = [];
    for (const { id, schemaPath, output } of judged) {
      const outputs = (await old.computeFingerprint(schemaPath)) === null ? deps.context.outputs : old;
      const verdict = await outputs.validateOutput(schemaPath, output);
      const report = formatOutputReport({ schemaPath, verdict, log: null });
      if (verdict.kind !== "passed") found.push([id, report.map((line) => line.trim()).join("; ")]);
    }
    return found;
  });
}

interface JudgedChange extends VerifySinceOptions {
  readonly config: PlannerConfig;
  readonly changes: SpecChanges;
  /** Problems of outputs that do not match their schemas, by spec. */
  readonly outputs: ReadonlyMap<SpecId, string>;
}

async function judgeCompletedSpec(
  deps: RunDeps,
  { spec, before }: CompletedSpec,
  change: JudgedChange,
): Promise<SpecVerdict> {
  const { id, title, body, frontmatter } = spec;
  const compared = compareCriteria(before?.body ?? "", body);
  const proven = await proveCriteria(deps, id, { change, compared });
  const { record, differs, hasOutput } = await compareRunRecord(deps, id, change.stop);
  const misfit = hasOutput ? undefined : change.outputs.get(id);
  const refused = change.config.validation.strict_output_validation;
  const output = misfit === undefined ? null : { problem: misfit, refused };
  const isFalse = differs || output?.refused === true;
  // What looks like a criterion and is not read as one was not judged by anything.
  const unread = readCriteria(body).near.filter(({ number }) => number !== null);
  const open = { checked: false, lost: false, verify: null, verdict: "unchecked", check: null } as const;
  const criteria = [...proven.criteria, ...unread.map(({ text }) => ({ ...open, label: text }))];
  return {
    ...{ spec_id: id, title, verdict: isFalse ? "disproven" : findWorstVerdict(criteria), ...proven, criteria },
    ...{ proposed: compared.proposed, output, record },
    unproven: typeof frontmatter["unproven"] === "string" ? frontmatter["unproven"] : null,
  };
}

// Parts of a record to compare. Omits its checks and its merge, because the checks run again on this commit.
const COMPARED_PARTS: ReadonlySet<string> = new Set(["spec", "end", "commits", "files", "criteria"]);

interface ComparedRecord extends Pick<SpecVerdict, "record"> {
  /** Whether the record contradicts the repository. */
  readonly differs: boolean;
  /** Whether the run accepted its output. The run also judged its log, which may contain more output than the spec. */
  readonly hasOutput: boolean;
}

async function compareRunRecord(deps: RunDeps, id: SpecId, stop: StopSignals): Promise<ComparedRecord> {
  const kept = await deps.ports.worktrees.readRecord(id, null);
  if (kept === null) return { record: null, differs: false, hasOutput: false };
  // Removes the main branch from the record, because a clone of a single commit has none. The judged commit replaces
  // it.
  const here = { ...kept, record: { ...kept.record, main_branch: null } };
  const checks = await verifyRecord(deps, { id, kept: here, rerun: false, stop });
  const differs = checks.some(({ part, result }) => COMPARED_PARTS.has(part) && result === "differs");
  const { output, status } = kept.record;
  const isFit = status === "completed" && isJsonObject(output) && output["problem"] === null;
  return { record: { run: kept.run, checks }, differs, hasOutput: isFit && !differs };
}

interface ProofInput {
  readonly change: JudgedChange;
  readonly compared: ProposedCriteria;
}

type ProofResult = Pick<SpecVerdict, "criteria" | "edited" | "problem">;

async function proveCriteria(deps: RunDeps, id: SpecId, { change, compared }: ProofInput): Promise<ProofResult> {
  const { head, stop, changes, since } = change;
  const { judged, added, proposed } = compared;
  const altered = proposed.flatMap(({ label, change: kind, command }) =>
    kind === "altered" && head ? [{ label, checked: true, lost: false, verify: command }] : [],
  );
  const isWaiting = (index: number): boolean => !head && added.has(index);
  const criteria = [...judged.map((one, index) => (isWaiting(index) ? { ...one, verify: null } : one)), ...altered];
  const markWaiting = (all: readonly CriterionProof[]): readonly CriterionProof[] =>
    all.map((one, index) =>
      isWaiting(index) ? markCriterionProposed({ ...one, verify: judged[index]?.verify ?? null }) : one,
    );
  const buildUnprovenResult = (problem: string): ProofResult => ({
    criteria: markWaiting(criteria.map(markCriterionNotRun)),
    edited: [],
    problem,
  });
  if (stop.soon.aborted) return buildUnprovenResult("interrupted");
  const origin = { from: changes.before.commit, name: since };
  try {
    const proof = await judgeProvenance(
      deps,
      { ...(await openJob(deps, id, stop)), criteria, commands: [] },
      { kind: "commit", commit: changes.after.commit, since: { origin, changed: changes.changed } },
    );
    return { criteria: markWaiting(proof.criteria), edited: proof.edited, problem: null };
  } catch (error) {
    // A setup that fails for one spec does not affect the others.
    if (error instanceof OperationError && hasChecks(criteria)) return buildUnprovenResult(error.message);
    throw error;
  }
}

function markCriterionProposed(one: JudgedCriterion): CriterionProof {
  return { ...one, check: null, verdict: "proposed" };
}

function markCriterionNotRun(one: JudgedCriterion): CriterionProof {
  return { ...one, check: null, verdict: one.verify === null ? deriveTickVerdict(one) : "not_run" };
}

/** Returns the worst verdict of the criteria; `unchecked` if no criterion has a check. */
function findWorstVerdict(criteria: readonly CriterionProof[]): SpecVerdict["verdict"] {
  const order = ["disproven", "edited", "not_run", "proposed", "unchecked"] as const;
  const worst = order.find((one) => criteria.some(({ verdict }) => verdict === one));
  return worst ?? (hasChecks(criteria) ? "proven" : "unchecked");
}

/** A check that a change adds, alters or drops. */
export interface ProposedCheck {
  readonly label: string;
  readonly change: "added" | "altered" | "dropped";
  /** Changed command; the old command of a dropped check. */
  readonly command: string;
}

export interface ProposedCriteria {
  /** Criteria before and after the change, each with the check that judges it. */
  readonly judged: readonly JudgedCriterion[];
  /** Indexes in `judged` of the criteria whose check is new. */
  readonly added: ReadonlySet<number>;
  readonly proposed: readonly ProposedCheck[];
}

/** Compares a spec's criteria before and after a change. Criteria that existed before keep their earlier checks. */
export function compareCriteria(before: string, after: string): ProposedCriteria {
  const old = parseCriteria(before);
  const judged = judgeCriteria(before, after);
  const added = judged.flatMap(({ verify }, index) => (verify !== null && !old[index]?.verify ? [index] : []));
  return { judged, added: new Set(added), proposed: findProposedChecks(before, after) };
}

function findProposedChecks(before: string, after: string): readonly ProposedCheck[] {
  const old = [...parseCriteria(before)];
  const found = parseCriteria(after).flatMap(({ label, verify }): readonly ProposedCheck[] => {
    const index = old.findIndex((one) => one.label === label);
    const was = index === -1 ? null : (old.splice(index, 1)[0]?.verify ?? null);
    if (was === verify) return [];
    if (verify === null) return [{ label, change: "dropped", command: was ?? "" }];
    return [{ label, change: was === null ? "added" : "altered", command: verify }];
  });
  const gone = old.flatMap(({ label, verify }): readonly ProposedCheck[] =>
    verify === null ? [] : [{ label, change: "dropped", command: verify }],
  );
  return [...found, ...gone];
}
