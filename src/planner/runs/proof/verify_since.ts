import { OperationError } from "#kernel/errors.ts";
import type { SpecChanges } from "#planner/run_ports/spec_changes.ts";
import type { PlannerConfig } from "../../config/config.ts";
import { parseConfig } from "../../config/parse_config.ts";
import { buildSpec } from "../../spec/build_spec.ts";
import { parseDocument } from "../../spec/document.ts";
import type { Spec } from "../../spec/spec.ts";
import { compareSpecIds, type SpecId } from "../../spec/spec_id.ts";
import type { JudgedCriterion } from "../../work/judge_criteria.ts";
import { type CriterionProof, type EditedFile, hasChecks, tickVerdict, type Verdict } from "../../work/provenance.ts";
import type { RecordCheck } from "../../work/records/judge_record.ts";
import type { RunDeps, StopWishes } from "../run_types.ts";
import { talkingLog } from "../talking_log.ts";
import { verifyRecord } from "../verify_record.ts";
import { type ProposedCheck, type ProposedCriteria, proposedCriteria } from "./proposed_checks.ts";
import { provenance } from "./provenance.ts";

export interface VerifyingSince {
  /** Any name that git has for a commit. */
  readonly since: string;
  /** Whether checks that the change adds or alters run as well. */
  readonly head: boolean;
  readonly stop: StopWishes;
}

export interface SinceReport {
  /** Full hashes. */
  readonly since: string;
  readonly commit: string;
  readonly specs: readonly SpecVerdict[];
}

/** What is known of one spec that a change completed. */
export interface SpecVerdict {
  readonly spec_id: SpecId;
  readonly title: string | null;
  /** `unchecked`: no criterion names a check, or one without a check is not ticked. */
  readonly verdict: Exclude<Verdict, "checked">;
  /** Why, if neither a criterion nor the record says it. */
  readonly problem: string | null;
  readonly criteria: readonly CriterionProof[];
  readonly edited: readonly EditedFile[];
  readonly proposed: readonly ProposedCheck[];
  /** Why a person completed it without proof, as the spec says. */
  readonly unproven: string | null;
  /** The latest record of a run; null if the repository has none. */
  readonly record: { readonly run: number; readonly checks: readonly RecordCheck[] } | null;
}

/**
 * Judges every spec that became completed between a commit and the one that is checked out: each check runs in a new
 * worktree of the latter. Checks, settings and the files by which checks judge are those of the former, so that a change
 * does not decide by what it is judged. No command has to be accepted.
 *
 * Source: docs/decisions.md#s-61.
 */
export async function verifySince(deps: RunDeps, { since, head, stop }: VerifyingSince): Promise<SinceReport> {
  const changes = await deps.ports.worktrees.specChanges(since);
  const { before, after } = changes;
  const settings = parseConfig(before.config).config;
  // A changed check may need a changed setup.
  const config = head ? { ...settings, worktree: parseConfig(after.config).config.worktree } : settings;
  const context = { ...deps.context, config: async () => config, accepted: EVERYTHING };
  const specs: SpecVerdict[] = [];
  for (const spec of completedSpecs(changes)) {
    specs.push(await judgeSpec({ ...deps, context }, spec, { config, changes, since, head, stop }));
  }
  return { since: before.commit, commit: after.commit, specs };
}

/** Every command counts as accepted, and no changed file does. */
const EVERYTHING = {
  file: "",
  read: async () => ({ trusted: true, prefixes: [], held: [], has: () => false }),
  accept: async () => {},
  hold: async () => {},
  acceptLike: async () => {},
  trust: async () => {},
};

/** Sorted by id. */
function completedSpecs({ before, after }: SpecChanges): readonly Spec[] {
  const read = (specs: typeof after.specs): readonly Spec[] =>
    [...specs].flatMap(([id, { file, text }]) => {
      const document = parseDocument(text);
      return document.ok ? buildSpec({ id, file, archived: false }, document) : [];
    });
  const done = new Set(read(before.specs).flatMap(({ id, status }) => (status === "completed" ? [id] : [])));
  return read(after.specs)
    .filter(({ id, status }) => status === "completed" && !done.has(id))
    .sort((a, b) => compareSpecIds(a.id, b.id));
}

interface Change extends VerifyingSince {
  readonly config: PlannerConfig;
  readonly changes: SpecChanges;
}

async function judgeSpec(deps: RunDeps, spec: Spec, change: Change): Promise<SpecVerdict> {
  const { id, title, body, frontmatter } = spec;
  const text = change.changes.before.specs.get(id)?.text ?? "";
  const old = parseDocument(text);
  const compared = proposedCriteria(old.ok ? old.body : "", body);
  const proven = await proveCriteria(deps, id, { change, compared });
  const record = await compareRecord(deps, id, change.stop);
  const lies = record?.checks.some(({ part, result }) => OWN_PARTS.has(part) && result === "differs") === true;
  return {
    ...{ spec_id: id, title, verdict: lies ? "disproven" : verdictOf(proven.criteria), ...proven },
    ...{ proposed: compared.proposed, record },
    unproven: typeof frontmatter["unproven"] === "string" ? frontmatter["unproven"] : null,
  };
}

// What a record says of its checks and its merge is judged by running the checks again on this commit.
const OWN_PARTS: ReadonlySet<string> = new Set(["spec", "end", "commits", "files", "criteria"]);

async function compareRecord(deps: RunDeps, id: SpecId, stop: StopWishes): Promise<SpecVerdict["record"]> {
  const kept = await deps.ports.worktrees.record(id, null);
  if (kept === null) return null;
  // The commit that is judged stands for the main branch, which a clone of one commit does not have.
  const here = { ...kept, record: { ...kept.record, main_branch: null } };
  return { run: kept.run, checks: await verifyRecord(deps, { id, kept: here, rerun: false, stop }) };
}

interface Proving {
  readonly change: Change;
  readonly compared: ProposedCriteria;
}

type Proven = Pick<SpecVerdict, "criteria" | "edited" | "problem">;

async function proveCriteria(deps: RunDeps, id: SpecId, { change, compared }: Proving): Promise<Proven> {
  const { head, stop, config, changes, since } = change;
  const { judged, added, proposed } = compared;
  const altered = proposed.flatMap(({ label, change: kind, command }) =>
    kind === "altered" && head ? [{ label, checked: true, lost: false, verify: command }] : [],
  );
  const waits = (index: number): boolean => !head && added.has(index);
  const criteria = [...judged.map((one, index) => (waits(index) ? { ...one, verify: null } : one)), ...altered];
  const shown = (all: readonly CriterionProof[]): readonly CriterionProof[] =>
    all.map((one, index) =>
      waits(index) ? { ...one, verify: judged[index]?.verify ?? null, verdict: "proposed" } : one,
    );
  const unproven = (problem: string): Proven => ({ criteria: shown(criteria.map(leaveUnrun)), edited: [], problem });
  if (stop.soon.aborted) return unproven("interrupted");
  const [processId, log] = [`${id}-${deps.pid}`, talkingLog(deps, id)];
  const origin = { from: changes.before.commit, name: since };
  try {
    const proof = await provenance(
      deps,
      { id, criteria, commands: [], config, processId, log, stop },
      { kind: "commit", commit: changes.after.commit, since: { origin, changed: changes.changed } },
    );
    return { criteria: shown(proof.criteria), edited: proof.edited, problem: null };
  } catch (error) {
    // A setup that fails for one spec says nothing of the others.
    if (error instanceof OperationError && hasChecks(criteria)) return unproven(error.message);
    throw error;
  }
}

function leaveUnrun(one: JudgedCriterion): CriterionProof {
  return { ...one, check: null, verdict: one.verify === null ? tickVerdict(one) : "not_run" };
}

/** The worst of its criteria decides. */
function verdictOf(criteria: readonly CriterionProof[]): SpecVerdict["verdict"] {
  const order = ["disproven", "edited", "not_run", "proposed", "unchecked"] as const;
  const worst = order.find((one) => criteria.some(({ verdict }) => verdict === one));
  return worst ?? (hasChecks(criteria) ? "proven" : "unchecked");
}
