import type { PlannerContext } from "#planner/context.ts";
import type { SyncedRequest } from "#planner/runs/requests/sync_requests.ts";
import { formatRequestName } from "#planner/work/requests/request_note.ts";
import type { Cli } from "../declaration.ts";
import { isMergeRefusal, printMergeResult } from "../merge_output.ts";
import { sanitizeLine } from "./print.ts";
import { printText } from "./wrap_text.ts";

/** A pull request as `planner status` prints it in JSON. */
export interface PrintedRequest {
  readonly spec_id: string;
  readonly name: string;
  readonly state: "open" | "closed" | "merged";
  readonly url: string;
}

/** Reads the recorded pull requests of specs with a branch. Empty without a repository. */
export async function readRecordedRequests(context: PlannerContext): Promise<readonly PrintedRequest[]> {
  const { requests, worktrees } = await context.openRuns();
  const ids = new Set<string>(await worktrees.listIds());
  if (ids.size === 0) return [];
  const noted = [...(await requests.readNotes())].filter(([id]) => ids.has(id));
  return noted.map(([spec_id, note]) => ({ spec_id, name: formatRequestName(note), state: note.state, url: note.url }));
}

/** Formats one line per request; empty without requests. */
export function formatRequests(requests: readonly PrintedRequest[]): string {
  return requests
    .map(({ spec_id, name, state, url }) => `${sanitizeLine(`${spec_id}: ${name} ${state}, ${url}`)}\n`)
    .join("");
}

const SIGN_TEXTS: Readonly<Record<NonNullable<SyncedRequest["sign"]>, string>> = {
  forge: "as the forge says",
  ancestor: "by its commits",
  cherry: "by copies of its commits",
  patch: "by a commit with the same change",
  merge_tree: "by a commit to which it adds nothing",
  person: "as a person says",
};

/** Prints the state of one request for people. */
export function printSyncedRequest(synced: SyncedRequest, cli: Cli): void {
  const { spec_id, outcome, sign, result, url, reason, notes } = synced;
  for (const note of notes) cli.note(sanitizeLine(`${spec_id}: ${note}`));
  if (outcome === "open") printText(`Open: ${spec_id} ${url ?? ""}\n`);
  else if (outcome === "closed") cli.warn(sanitizeLine(`${spec_id}: closed without a merge: ${url}`));
  else if (result === null) cli.warn(sanitizeLine(`${spec_id}: ${reason}`));
  else {
    if (sign !== null && !isMergeRefusal(result)) cli.note(`${spec_id}: found ${SIGN_TEXTS[sign]}`);
    printMergeResult(result, cli);
  }
}

/** Returns whether a person must still act on the request. */
export function isRequestUnsettled({ outcome, result }: SyncedRequest): boolean {
  return (
    outcome === "closed" ||
    outcome === "missing" ||
    outcome === "refused" ||
    (result !== null && isMergeRefusal(result))
  );
}
