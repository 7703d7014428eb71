import { isJsonObject } from "#kernel/json_object.ts";
import type { BranchHead, KeptRunRecord, LatestRunRef } from "#planner/work/records/read_record.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import type { Git } from "../git/git.ts";
import { buildSpecRef, createRefParser } from "./ref_names.ts";

export const RECORD_FILE = "record.json";
/** Ref prefix of the commits of records, before the spec's id. */
const RUN_REF_PREFIX = "refs/planner/runs/";

/** Returns the full name of the ref to a run's record. @param git git in the project's folder, as everywhere here */
export function buildRunRef(git: Git, id: SpecId, run: number): string {
  return `${buildSpecRef(git.cwd, "runs", id)}/${run}`;
}

interface RecordedBranch {
  readonly id: SpecId;
  /** Name of the branch; null for the checked-out commit. */
  readonly branch: string | null;
}

/**
 * Stores a record as the commit `refs/planner/runs/<id>/<n>`. Its parent is the branch's last commit, so that the work
 * of a run stays available even if the branch is rebased. Cost: two git processes. Runs no hooks.
 *
 * @param git git in a checkout other than the worktree
 * @returns the number of the run; null for a branch that no longer exists
 */
export async function keepRunRecord(
  git: Git,
  { id, branch }: RecordedBranch,
  write: (head: BranchHead) => object,
): Promise<number | null> {
  const records = buildSpecRef(git.cwd, "runs", id);
  const asked = [...(branch === null ? [] : [`refs/heads/${branch}`]), records];
  const lines = (await git.run(["for-each-ref", "--format=%(objectname) %(refname)", ...asked])).split("\n");
  const hash =
    branch === null
      ? await git.tryReadHead("%H")
      : lines.find((line) => line.endsWith(` refs/heads/${branch}`))?.split(" ")[0];
  if (hash === undefined || hash === null) return null;
  const run = Math.max(0, ...parseRunNumbers(lines, records)) + 1;
  await commitRecord(git, {
    ref: buildRunRef(git, id, run),
    parent: hash,
    record: write({ run, head: hash }),
    force: false,
  });
  return run;
}

/** Reads a record; `run` null selects the latest. Returns null without a record. */
export async function readRunRecord(git: Git, id: SpecId, run: number | null): Promise<KeptRunRecord | null> {
  const runs = await listRunNumbers(git, id);
  const wanted = run ?? runs.at(-1);
  if (wanted === undefined || !runs.includes(wanted)) return null;
  const text = await git.run(["cat-file", "blob", `${buildRunRef(git, id, wanted)}:${RECORD_FILE}`]);
  const record: unknown = JSON.parse(text);
  return { run: wanted, runs, record: isJsonObject(record) ? record : {} };
}

/** Adds merged commits to the latest record, each with git's stable patch id, which survives a rebase. */
export async function recordMergedCommits(
  git: Git,
  id: SpecId,
  { commits, at }: { readonly commits: readonly string[]; readonly at: string },
): Promise<void> {
  const kept = await readRunRecord(git, id, null);
  if (kept === null) return;
  const patches = await computePatchIds(git, commits);
  const merged = { at, commits: commits.map((hash) => ({ hash, patch_id: patches.get(hash) ?? null })) };
  const ref = buildRunRef(git, id, kept.run);
  await commitRecord(git, { ref, parent: `${ref}^1`, record: { ...kept.record, merged }, force: true });
}

/** Returns git's stable patch ids by commit; omits commits without a change. */
export async function computePatchIds(git: Git, commits: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (commits.length === 0) return new Map();
  const input = commits.map((hash) => `${hash}\n`).join("");
  const diff = ["diff-tree", "--stdin", "-p", "--root", "--no-ext-diff", "--no-textconv", "--no-color"];
  const { stdout } = await git.try(diff, { input });
  const listed = await git.run(["patch-id", "--stable"], { input: stdout });
  const pairs = listed.split("\n").map((line) => line.split(" "));
  return new Map(pairs.flatMap(([patch, hash]) => (patch === undefined || hash === undefined ? [] : [[hash, patch]])));
}

export async function listRunNumbers(git: Git, id: SpecId): Promise<readonly number[]> {
  const records = buildSpecRef(git.cwd, "runs", id);
  const listed = await git.run(["for-each-ref", "--format=%(refname)", records]);
  return parseRunNumbers(listed.split("\n"), records).toSorted((one, other) => one - other);
}

function parseRunNumbers(lines: readonly string[], records: string): readonly number[] {
  return lines.flatMap((line) => {
    const [, ref = "", number] = /^(?:\w+ )?(.*)\/(\d+)$/.exec(line) ?? [];
    return ref === records ? [Number(number)] : [];
  });
}

interface RecordCommit {
  readonly ref: string;
  readonly parent: string;
  readonly record: object;
  readonly force: boolean;
}

/** Creates file, commit and ref with one git process; separate plumbing commands would need four. */
async function commitRecord(git: Git, { ref, parent, record, force }: RecordCommit): Promise<void> {
  const formatData = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const seconds = Math.floor(Date.now() / 1000);
  const input = [
    `commit ${ref}\ncommitter planner <planner@localhost> ${seconds} +0000\n`,
    formatData(`planner: record ${ref.slice(RUN_REF_PREFIX.length)}\n`),
    `from ${parent}\ndeleteall\nM 100644 inline ${RECORD_FILE}\n`,
    formatData(`${JSON.stringify(record, null, 2)}\n`),
  ].join("");
  await git.run(["fast-import", "--quiet", "--date-format=raw", ...(force ? ["--force"] : [])], { input });
}

/** Lists the latest record of every spec with the last commit of the spec's branch. Cost: one git process. */
export async function listLatestRuns(
  git: Git,
  branches: ReadonlyMap<SpecId, string>,
): Promise<readonly LatestRunRef[]> {
  const asked = [RUN_REF_PREFIX, ...[...branches.values()].map((branch) => `refs/heads/${branch}`)];
  const listed = await git.run(["for-each-ref", "--format=%(objectname) %(refname)", ...asked]);
  const latest = new Map<SpecId, Omit<LatestRunRef, "head">>();
  const heads = new Map<string, string>();
  const parseName = createRefParser(git.cwd, (last) => last as SpecId);
  const ids = new Map<string, SpecId | null>();
  for (const line of listed.split("\n")) {
    const [commit = "", ref = ""] = line.split(" ");
    if (ref.startsWith("refs/heads/")) heads.set(ref.slice("refs/heads/".length), commit);
    const [, name, number] = /^(.+)\/(\d+)$/.exec(ref.slice(RUN_REF_PREFIX.length)) ?? [];
    if (name === undefined || !ref.startsWith(RUN_REF_PREFIX)) continue;
    if (!ids.has(name)) ids.set(name, parseName(name));
    const [id, run] = [ids.get(name) ?? null, Number(number)];
    if (id !== null && run > (latest.get(id)?.run ?? 0)) latest.set(id, { id, run, commit });
  }
  return [...latest.values()].map((one) => ({ ...one, head: heads.get(branches.get(one.id) ?? "") ?? null }));
}

/** Reads records by the commits that contain them; omits unreadable ones. Cost: one git process. */
export async function readRunRecords(
  git: Git,
  runs: readonly LatestRunRef[],
): Promise<ReadonlyMap<SpecId, KeptRunRecord>> {
  if (runs.length === 0) return new Map();
  const input = runs.map(({ commit }) => `${commit}:${RECORD_FILE}\n`).join("");
  const stdout = await git.readBytes(["cat-file", "--batch"], { input });
  const found = new Map<SpecId, KeptRunRecord>();
  let at = 0;
  for (const { id, run } of runs) {
    // Output is `<hash> blob <bytes>`, the file and a line break, or only `<name> missing`.
    const end = stdout.indexOf(0x0a, at);
    const length = Number(/ blob (\d+)$/.exec(stdout.subarray(at, end).toString())?.[1]);
    at = end + 1;
    if (Number.isNaN(length)) continue;
    const record = parseRecord(stdout.subarray(at, at + length).toString());
    if (record !== null) found.set(id, { run, runs: [run], record });
    at += length + 1;
  }
  return found;
}

function parseRecord(text: string): KeptRunRecord["record"] | null {
  try {
    const record: unknown = JSON.parse(text);
    return isJsonObject(record) ? record : null;
  } catch {
    return null;
  }
}
