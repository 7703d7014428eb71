import type { ProcessRecord, WorktreeStatus } from "#planner/work/records/process_record.ts";
import { capitalize } from "#words/names.ts";
import { formatRequestName, type RequestNote } from "./requests/request_note.ts";

/** Why a person must act before a spec can proceed. */
export interface PersonNeed {
  /** `finished`: the work is done, but the main branch does not contain it. */
  readonly kind: "finished" | "needs_attention" | "failed";
  /** One sentence without a full stop. */
  readonly why: string;
  /** Command line of the next step, as a person types it. */
  readonly command: string;
}

export interface PersonNeedFacts {
  readonly id: string;
  readonly status: string;
  /** State of the spec's worktree and of its pull request; undefined without a worktree. */
  readonly worktree: (Pick<WorktreeStatus, "status" | "error"> & { readonly request?: RequestNote }) | undefined;
  /** The spec's last process, whose error says why it ended; undefined without one. */
  readonly last: ProcessRecord | undefined;
}

/** Matches the command in a reason such as `1 check waits for acceptance: "planner approve <id>"`. */
const APPROVE_COMMAND = /"(planner approve [^"]+)"/;

/** Returns why a spec without a running process needs a person, and the next command; null if no person is needed. */
export function findPersonNeed(facts: PersonNeedFacts): PersonNeed | null {
  const { id, status, worktree } = facts;
  if (isFinishedWork(status, worktree)) {
    const error = worktree?.error ?? null;
    if (error === null && worktree?.request !== undefined) return describeRequestNeed(id, worktree.request);
    return {
      kind: "finished",
      why: error === null ? "Its work is finished and not merged" : `Its work is not merged: ${error}`,
      command: extractCommand(error) ?? `planner review ${id}`,
    };
  }
  if (status !== "needs_attention" && status !== "failed") return null;
  const reason = findRecordedReason(facts);
  // Work that needs attention is reviewed; a failed spec is worked again.
  const next = status === "failed" ? `planner work ${id}` : `planner review ${id}`;
  return {
    kind: status,
    why: reason ?? (status === "failed" ? "It failed, and no run has recorded why" : "No run has recorded the reason"),
    command: extractCommand(reason) ?? next,
  };
}

function describeRequestNeed(id: string, request: RequestNote): PersonNeed {
  const name = capitalize(formatRequestName(request));
  // Without a number, planner did not create the request, but a person may have.
  const state = request.number === null ? "may be open or still to be made" : REQUEST_STATE_TEXTS[request.state];
  return { kind: "finished", why: `${name} ${state}: ${request.url}`, command: `planner pr --sync ${id}` };
}

const REQUEST_STATE_TEXTS: Readonly<Record<RequestNote["state"], string>> = {
  open: "is open",
  closed: "was closed without a merge",
  merged: "was merged, and your main branch does not show its work",
};

/** Whether a merge may complete a spec with this status. */
export function isMergeableStatus(status: string): boolean {
  return ["in_progress", "failed", "needs_attention"].includes(status);
}

/** Whether the work of a spec with a worktree is finished and can be merged. */
export function isFinishedWork(status: string, worktree: Pick<WorktreeStatus, "status"> | undefined): boolean {
  if (worktree === undefined) return false;
  return status === "completed" || (["in_progress", "failed"].includes(status) && worktree.status === "done");
}

function findRecordedReason({ worktree, last }: PersonNeedFacts): string | null {
  // A merge writes its reason later than the run does.
  const recordedError = worktree?.error ?? (last !== undefined && "error" in last ? last.error : undefined);
  const reason = recordedError?.replace(/^(?:failed|needs_attention): /, "").trim() ?? "";
  return reason === "" ? null : reason;
}

function extractCommand(reason: string | null): string | null {
  return APPROVE_COMMAND.exec(reason ?? "")?.[1] ?? null;
}
