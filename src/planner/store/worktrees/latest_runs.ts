import { isJsonObject } from "#kernel/json_object.ts";
import type { KeptRunRecord, LatestRun } from "#planner/run_ports/kept_records.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import type { Git } from "../git/git.ts";
import { RECORD_FILE, RUN_REFS } from "./run_commits.ts";

/**
 * Lists the latest record of every spec, with the last commit of the branch that `branches` names. Cost: one git.
 */
export async function latestRuns(git: Git, branches: ReadonlyMap<SpecId, string>): Promise<readonly LatestRun[]> {
  const asked = [RUN_REFS, ...[...branches.values()].map((branch) => `refs/heads/${branch}`)];
  const listed = await git.run(["for-each-ref", "--format=%(objectname) %(refname)", ...asked]);
  const latest = new Map<SpecId, Omit<LatestRun, "head">>();
  const heads = new Map<string, string>();
  for (const line of listed.split("\n")) {
    const [commit = "", ref = ""] = line.split(" ");
    if (ref.startsWith("refs/heads/")) heads.set(ref.slice("refs/heads/".length), commit);
    const [, name, number] = /^(.+)\/(\d+)$/.exec(ref.slice(RUN_REFS.length)) ?? [];
    if (name === undefined || !ref.startsWith(RUN_REFS)) continue;
    const [id, run] = [name as SpecId, Number(number)];
    if (run > (latest.get(id)?.run ?? 0)) latest.set(id, { id, run, commit });
  }
  return [...latest.values()].map((one) => ({ ...one, head: heads.get(branches.get(one.id) ?? "") ?? null }));
}

/** Reads records by the commits that hold them; those that cannot be read are left out. Cost: one git. */
export async function readRuns(git: Git, runs: readonly LatestRun[]): Promise<ReadonlyMap<SpecId, KeptRunRecord>> {
  if (runs.length === 0) return new Map();
  const input = runs.map(({ commit }) => `${commit}:${RECORD_FILE}\n`).join("");
  const { status, stdout } = await git.try(["cat-file", "--batch"], { input });
  const found = new Map<SpecId, KeptRunRecord>();
  if (status !== 0) return found;
  let at = 0;
  for (const { id, run } of runs) {
    // `<hash> blob <bytes>`, the file, a line break; `<name> missing` stands alone.
    const end = stdout.indexOf(0x0a, at);
    const length = Number(/ blob (\d+)$/.exec(stdout.subarray(at, end).toString())?.[1]);
    at = end + 1;
    if (Number.isNaN(length)) continue;
    const record = parsed(stdout.subarray(at, at + length).toString());
    if (record !== null) found.set(id, { run, runs: [run], record });
    at += length + 1;
  }
  return found;
}

function parsed(text: string): KeptRunRecord["record"] | null {
  try {
    const record: unknown = JSON.parse(text);
    return isJsonObject(record) ? record : null;
  } catch {
    return null;
  }
}
