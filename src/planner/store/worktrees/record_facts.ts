import type { CommitFacts, KeptRunRecord } from "#planner/run_ports/kept_records.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { hashOf } from "../../work/records/read_record.ts";
import type { Git } from "../git/git.ts";
import { activeFile } from "../project/places.ts";
import { patchIds, refOf } from "./run_commits.ts";
import { changedIn, commitsIn } from "./settle.ts";
import type { Repository } from "./worktree_place.ts";

/**
 * Reads which commits named by a record exist in the repository. Passes hashes to git only if they are complete,
 * because another program may have written the record.
 */
export async function recordFacts(
  { git, prefix }: Repository,
  id: SpecId,
  { run, record }: KeptRunRecord,
): Promise<CommitFacts> {
  const parent = await git.ask(["rev-parse", "--verify", "--quiet", `${refOf(id, run)}^1`]);
  const [base, head] = [hashOf(record["base"]), hashOf(record["head"])];
  const merged = hashesIn(record["merged"], "commits");
  const there = await presentCommits(git, [
    ...hashesIn(record, "commits"),
    ...merged,
    ...(base === null ? [] : [base]),
  ]);
  const spec = head === null ? null : await git.try(["cat-file", "blob", `${head}:${prefix}${activeFile(id)}`]);
  const known = { parent, present: there, specText: spec?.status === 0 ? spec.stdout.toString() : null };
  const nothing = { range: [], files: [], hasMerges: false };
  const ofRange =
    base === null || head === null || head !== parent || !there.has(base)
      ? nothing
      : await rangeOf(git, { base, head, prefix });
  const patches = await patchIds(git, [...there]);
  return {
    ...known,
    ...ofRange,
    patches,
    inMain: await reachableCommits(
      git,
      record["main_branch"],
      merged.filter((hash) => there.has(hash)),
    ),
  };
}

interface Range {
  readonly base: string;
  readonly head: string;
  readonly prefix: string;
}

async function rangeOf(
  git: Git,
  { base, head, prefix }: Range,
): Promise<Pick<CommitFacts, "range" | "files" | "hasMerges">> {
  const [range, changed] = [
    await commitsIn(git, `${base}..${head}`),
    await changedIn(git, prefix, `${base}...${head}`),
  ];
  const merges = await git.run(["rev-list", "--merges", "--max-count=1", `${base}..${head}`, "--"]);
  return { range, files: changed.map(({ path }) => path), hasMerges: merges.trim() !== "" };
}

/** Returns those hashes that are commits of this repository. */
async function presentCommits(git: Git, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  const listed = await git.run(["cat-file", "--batch-check"], { input: hashes.map((hash) => `${hash}\n`).join("") });
  const lines = listed.split("\n").map((line) => line.split(" "));
  return new Set(lines.flatMap(([hash, type]) => (hash !== undefined && type === "commit" ? [hash] : [])));
}

/** Returns those commits that the main branch contains. */
async function reachableCommits(git: Git, main: unknown, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  const end = typeof main === "string" ? `refs/heads/${main}` : "HEAD";
  const { status, stdout } = await git.try(["rev-list", "--ignore-missing", ...hashes, "--not", end, "--"]);
  const outside = new Set(stdout.toString().split("\n"));
  return new Set(status === 0 ? hashes.filter((hash) => !outside.has(hash)) : []);
}

function hashesIn(value: unknown, name: string): readonly string[] {
  const list = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : null;
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: { readonly hash?: unknown } | null) => hashOf(one?.hash) ?? []);
}
