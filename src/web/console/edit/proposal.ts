import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import type { BulkReply, Finding, PreviewChangesResponse } from "#gen/datacenter/v1/json.ts";
import { getRefName } from "#words/names.ts";
import { CallError, type ErrorDetail } from "../api/client.ts";
import { plainMessage } from "../plain_message.ts";
import { ask } from "./ask.ts";
import type { Change } from "./changes.ts";

const PLANNING = "datacenter.v1.PlanningService";
export const PREVIEW_RPC = `${PLANNING}/PreviewChanges`;
export const APPLY_RPC = `${PLANNING}/ApplyChanges`;

/** A change that the service does not make. */
export interface Refused {
  /** Place among the changes. */
  readonly index: number;
  /** Reference of its resource; "" if it could not be read. */
  readonly ref: string;
  readonly error: CallError;
}

/** What the service says about changes, written or not. */
export interface Verdict {
  readonly refused: readonly Refused[];
  readonly warnings: readonly Finding[];
  /** Changes that do something, and those whose resource is so already. */
  readonly changed: number;
  readonly unchanged: number;
  /** References of other resources that are removed or changed with them. */
  readonly also: readonly string[];
  /** Versions after the changes, by reference. */
  readonly etags: ReadonlyMap<string, string>;
}

/** A verdict with the figures of the first call's changes. */
export interface Preview extends Verdict {
  /** Changes that were asked about. */
  readonly total: number;
  readonly figures: PreviewChangesResponse;
}

const NO_VERDICT: Verdict = { refused: [], warnings: [], changed: 0, unchanged: 0, also: [], etags: new Map() };

/**
 * Asks what changes would do, each on its own; nothing is written.
 * @param heard receives the number of changes checked so far
 * @throws CallError of a whole call
 */
export async function previewChanges(
  changes: readonly Change[],
  signal?: AbortSignal,
  heard?: (done: number) => void,
): Promise<Preview> {
  let verdict = NO_VERDICT;
  let figures: PreviewChangesResponse | undefined;
  let done = 0;
  for (const batch of batchesOf(changes)) {
    const reply = await ask<PreviewChangesResponse>(PREVIEW_RPC, { changes: batch }, signal);
    figures ??= reply;
    verdict = joinVerdicts(verdict, verdictOf(reply.results, { from: done, isOne: changes.length === 1 }));
    done += batch.length;
    heard?.(done);
  }
  if (figures === undefined) throw new Error("There is nothing to preview");
  return { ...verdict, total: changes.length, figures };
}

/** How changes are written. */
export interface WriteOptions {
  /** Why, for the change log; "" for none. */
  readonly message: string;
  /** UUID: a call repeated with it does nothing more. */
  readonly requestId: string;
  /** Hears how many changes are written. */
  readonly heard: (done: number) => void;
}

/** What was written; `refused` is what kept the rest from being written. */
export interface Written extends Verdict {
  readonly done: number;
  /** The request whose changes an undo can take back; "" if several calls were needed. */
  readonly requestId: string;
}

/** Applies changes in their order, all or none of a call. @throws CallError of a whole call */
export async function applyChanges(changes: readonly Change[], how: WriteOptions): Promise<Written> {
  const batches = batchesOf(changes);
  const requestId = batches.length === 1 ? how.requestId : "";
  const around = {
    ...(how.message !== "" && { change_message: how.message }),
    ...(requestId !== "" && { request_id: requestId }),
  };
  let verdict = NO_VERDICT;
  let done = 0;
  for (const batch of batches) {
    const { results } = await ask<BulkReply>(APPLY_RPC, { changes: batch, ...around });
    const made = verdictOf(results, { from: done, isOne: changes.length === 1 });
    if (made.refused.length > 0) return { ...verdict, refused: made.refused, done, requestId };
    verdict = joinVerdicts(verdict, made);
    done += batch.length;
    how.heard(done);
  }
  return { ...verdict, done, requestId };
}

/** The changes in calls; a cable stays in the call of the device before it. */
export function batchesOf(changes: readonly Change[]): readonly (readonly Change[])[] {
  if (changes.length <= MAX_BATCH_ITEMS) return changes.length === 0 ? [] : [changes];
  const batches: Change[][] = [];
  for (let at = 0; at < changes.length; ) {
    let end = at + 1;
    while (end < changes.length && end - at < MAX_BATCH_ITEMS && changes[end]?.["cable"] !== undefined) end += 1;
    const last = batches.at(-1);
    const group = changes.slice(at, end);
    if (last === undefined || last.length + group.length > MAX_BATCH_ITEMS) batches.push(group);
    else last.push(...group);
    at = end;
  }
  return batches;
}

function joinVerdicts(one: Verdict, other: Verdict): Verdict {
  return {
    refused: [...one.refused, ...other.refused],
    warnings: [...one.warnings, ...other.warnings],
    changed: one.changed + other.changed,
    unchanged: one.unchanged + other.unchanged,
    also: [...one.also, ...other.also],
    etags: new Map([...one.etags, ...other.etags]),
  };
}

function verdictOf(
  results: BulkReply["results"],
  { from, isOne }: { readonly from: number; readonly isOne: boolean },
): Verdict {
  // An aborted change failed for another one, which is named.
  const refused = results.flatMap(({ index, code, outcome, error }) =>
    error === undefined || outcome === "OUTCOME_ABORTED"
      ? []
      : [{ index: from + index, ref: code, error: refusalOf(isOne ? "" : code, error) }],
  );
  const unchanged = results.filter(({ outcome }) => outcome === "OUTCOME_UNCHANGED").length;
  const failed = results.filter(({ error }) => error !== undefined).length;
  return {
    refused,
    warnings: results.flatMap(({ warnings }) => warnings),
    changed: results.length - failed - unchanged,
    unchanged,
    also: results.flatMap(({ cascaded_refs }) => cascaded_refs),
    etags: new Map(results.map(({ code, etag }) => [code, etag])),
  };
}

function refusalOf(ref: string, error: NonNullable<BulkReply["results"][number]["error"]>): CallError {
  const { message } = error;
  const details = error.details as readonly ErrorDetail[];
  return new CallError(
    "failed_precondition",
    plainMessage(message.includes(getRefName(ref)) ? message : `${ref}: ${message}`),
    {
      reason: details.find(({ reason }) => reason !== undefined)?.reason ?? "",
      violations: details
        .flatMap(({ field_violations = [] }) => field_violations)
        .map(({ field, description }) => ({ field, description: plainMessage(description) })),
    },
  );
}
