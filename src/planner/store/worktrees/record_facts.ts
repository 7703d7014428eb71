import type { CommitFacts, KeptRunRecord } from "#planner/run_ports/kept_records.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { parseFullHash } from "../../work/records/read_record.ts";
import type { Git } from "../git/git.ts";
import { buildActivePath } from "../project/places.ts";
import { buildRunRef, computePatchIds } from "./run_commits.ts";
import { addsNoChange } from "./search_merge.ts";
import { readChangedFiles, readCommits } from "./settle.ts";
import type { Repository } from "./worktree_place.ts";
import { readBlobText } from "./worktree_rebase.ts";

/**
 * Reads which commits named by a record exist in the repository. Passes hashes to git only if they are complete,
 * because another program may have written the record.
 */
export async function readCommitFacts(
  { git, prefix }: Repository,
  id: SpecId,
  { run, record }: KeptRunRecord,
): Promise<CommitFacts> {
  const parent = await git.tryReadOutput(["rev-parse", "--verify", "--quiet", `${buildRunRef(git, id, run)}^1`]);
  const [base, head] = [parseFullHash(record["base"]), parseFullHash(record["head"])];
  const merged = listHashes(record["merged"], "commits");
  const named = [...listHashes(record, "commits"), ...merged, ...(base === null ? [] : [base])];
  const there = await findPresentCommits(git, named);
  const specText = head === null ? null : await readBlobText(git, `${head}:${prefix}${buildActivePath(id)}`);
  const known = { parent, present: there, specText };
  const nothing = { range: [], files: [], hasMerges: false };
  const ofRange =
    base === null || head === null || head !== parent || !there.has(base)
      ? nothing
      : await readCommitRange(git, { base, head, prefix });
  const patches = await computePatchIds(git, [...there]);
  const present = merged.filter((hash) => there.has(hash));
  const last = present.at(-1);
  const hasMergedWork =
    last !== undefined && head !== null && head === parent && (await addsNoChange(git, last, head)) === true;
  const inMain = await findReachableCommits(git, record["main_branch"], present);
  return { ...known, ...ofRange, patches, inMain, hasMergedWork };
}

interface CommitRange {
  readonly base: string;
  readonly head: string;
  readonly prefix: string;
}

async function readCommitRange(
  git: Git,
  { base, head, prefix }: CommitRange,
): Promise<Pick<CommitFacts, "range" | "files" | "hasMerges">> {
  const range = await readCommits(git, `${base}..${head}`);
  const changed = await readChangedFiles(git, prefix, `${base}...${head}`);
  const merges = await git.run(["rev-list", "--merges", "--max-count=1", `${base}..${head}`, "--"]);
  return { range, files: changed.map(({ path }) => path), hasMerges: merges.trim() !== "" };
}

/** Returns those hashes that are commits of this repository. */
async function findPresentCommits(git: Git, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  const listed = await git.run(["cat-file", "--batch-check"], { input: hashes.map((hash) => `${hash}\n`).join("") });
  const lines = listed.split("\n").map((line) => line.split(" "));
  return new Set(lines.flatMap(([hash, type]) => (hash !== undefined && type === "commit" ? [hash] : [])));
}

/** Returns those commits that the main branch contains. */
async function findReachableCommits(git: Git, main: unknown, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  const end = typeof main === "string" ? `refs/heads/${main}` : "HEAD";
  const listed = await git.tryReadOutput(["rev-list", "--ignore-missing", ...hashes, "--not", end, "--"]);
  const outside = new Set(listed?.split("\n"));
  return new Set(listed === null ? [] : hashes.filter((hash) => !outside.has(hash)));
}

function listHashes(value: unknown, name: string): readonly string[] {
  const list = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : null;
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: { readonly hash?: unknown } | null) => parseFullHash(one?.hash) ?? []);
}
