import { compareSnapshots, isProgramChange, type RepositorySnapshot, type SnapshotChange } from "./snapshot.ts";
import { WHOLE_SNAPSHOT_NAME } from "./take_snapshot.ts";

export interface RunIdentity {
  readonly id: string;
  readonly branch: string;
}

/**
 * Returns changes outside of a run's own branch, worktree and spec, without planner's own changes for runs of other
 * specs. Omits changes of programs that git runs, which `filterProgramChanges` returns.
 */
export function findOutsideChanges(
  before: RepositorySnapshot,
  now: RepositorySnapshot,
  { id, branch }: RunIdentity,
): readonly SnapshotChange[] {
  // A snapshot of an earlier planner version lacks most entries.
  if (!(WHOLE_SNAPSHOT_NAME in before)) return [];
  const all = compareSnapshots(before, now);
  const busy = findBusyRuns(before, now);
  const ids = [id, ...busy.keys()];
  const branches = new Set([branch, ...busy.values()]);
  const refs = new Set(all.map(({ name }) => name));
  // After another commit was checked out, files differ because of that commit.
  const isMoved = [...refs].some(
    (name) => name.startsWith("HEAD ") || (name.startsWith("ref ") && isBranchCheckedOut(name, now)),
  );
  const isExpected = ({ name, now: value }: SnapshotChange): boolean => {
    const [kind = "", subject = ""] = splitSnapshotName(name);
    if (kind === "run" || kind === WHOLE_SNAPSHOT_NAME) return true;
    if (kind === "change") return isMoved;
    if (kind === "file") return ids.some((one) => isFileOfSpec(one, subject));
    if (kind === "ref") return isExpectedRef(subject, { value, ids, branches });
    const settled = kind === "setting" ? /^branch\.(.+)\.[^.]+$/.exec(subject)?.[1] : undefined;
    // Settings of a branch are created and deleted with it.
    return settled !== undefined && (branches.has(settled) || refs.has(`ref refs/heads/${settled}`));
  };
  return all.filter((change) => !isProgramChange(change) && !isExpected(change));
}

/** Splits a name of a snapshot into its kind and its subject. */
export function splitSnapshotName(name: string): readonly [kind: string, subject: string] {
  const [, kind = name, subject = ""] = /^((?:global |worktree )?\w+) (.*)$/s.exec(name) ?? [];
  return [kind, subject];
}

/** Returns the branches of other specs that had a run between the snapshots, by spec. */
function findBusyRuns(before: RepositorySnapshot, now: RepositorySnapshot): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    if (!name.startsWith("run ")) continue;
    const [old, current] = [before[name] ?? "", now[name] ?? ""];
    const isBusy = old !== current || current.startsWith("working ");
    if (isBusy) found.set(name.slice("run ".length), (current || old).replace(/^\S* /, ""));
  }
  return found;
}

function isBranchCheckedOut(name: string, now: RepositorySnapshot): boolean {
  const ref = name.slice("ref ".length);
  return Object.entries(now).some(([other, value]) => other.startsWith("HEAD ") && value === ref);
}

/** Returns whether a path is a file of the spec or of one of its members. */
function isFileOfSpec(id: string, path: string): boolean {
  const file = path.split("/").at(-1) ?? "";
  return file === `${id}.md` || file.startsWith(`${id}.`);
}

interface RefFacts {
  readonly value: string | undefined;
  readonly ids: readonly string[];
  readonly branches: ReadonlySet<string>;
}

function isExpectedRef(ref: string, { value, ids, branches }: RefFacts): boolean {
  if (branches.has(ref.replace(/^refs\/heads\//, ""))) return true;
  // planner adds records and kept commits, and moves a record when its work is merged.
  return ref.startsWith("refs/planner/") && (value !== undefined || ids.some((id) => ref.includes(`/${id}/`)));
}
