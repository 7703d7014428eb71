import { parseDocument } from "../../spec/document.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { judgeCriteria } from "../../work/judge_criteria.ts";
import { hasChecks, type Provenance, type WantedProof } from "../../work/provenance.ts";
import { openJob, placeAt } from "../job.ts";
import type { RunDeps } from "../run_types.ts";
import { provenance } from "./provenance.ts";

export interface ProvenSpec extends WantedProof {
  /** Whose worktree holds the work: the spec's own, or that of the run in which its member is finished. */
  readonly worktreeOf: SpecId;
}

/**
 * Judges a spec where its work is: in its worktree, else in the project's folder. The criteria are those of the project,
 * and those that only the caller's text has beside them.
 *
 * @param deps of the project itself
 */
export async function proveSpec(deps: RunDeps, wanted: ProvenSpec): Promise<Provenance> {
  const { id, body, only, signal = new AbortController().signal, worktreeOf } = wanted;
  const label = only === undefined ? undefined : judgeCriteria(body, body)[only - 1]?.label;
  const all = judgeCriteria((await projectBody(deps, id)) ?? body, body);
  const criteria = label === undefined ? all : all.filter((one) => one.label === label);
  const worktree = hasChecks(criteria) ? await deps.ports.worktrees.find(worktreeOf) : null;
  const place = placeAt(worktree?.root ?? deps.root, worktree);
  const judging = { ...(await openJob(deps, id, { soon: signal, now: signal })), criteria, commands: [] };
  return provenance(deps, judging, { kind: "folder", place, fresh: false });
}

/** Null for a spec that the project does not have, or that cannot be read there. */
async function projectBody({ context }: RunDeps, id: SpecId): Promise<string | null> {
  const read = await context.specs.readText(id).catch(() => null);
  const document = read === null ? null : parseDocument(read.text);
  return document?.ok === true ? document.body : null;
}
