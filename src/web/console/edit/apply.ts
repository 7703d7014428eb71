import type { BulkReply, Finding } from "#gen/datacenter/v1/json.ts";
import { refName } from "#words/names.ts";
import { CallError, type ErrorDetail } from "../api/client.ts";
import { plainMessage } from "../plain_message.ts";
import { ask } from "./ask.ts";
import type { Values } from "./form_model.ts";
import { type Around, applyCall } from "./requests.ts";

/** Result of changes that are applied all or none. */
export interface Applied {
  readonly warnings: readonly Finding[];
  /** What was refused; then nothing was written. */
  readonly refusals: readonly CallError[];
}

/** Applies changes in one transaction. @throws CallError if the call as a whole failed */
export async function apply(
  changes: readonly Values[],
  how: Omit<Around, "etag">,
  signal?: AbortSignal,
): Promise<Applied> {
  const { results } = await ask<BulkReply>(applyCall(changes, how), signal);
  return {
    warnings: results.flatMap(({ warnings = [] }) => warnings),
    refusals: results.flatMap(({ code, outcome, error }) =>
      error === undefined || outcome === "OUTCOME_ABORTED"
        ? []
        : [refusal(code, error.message, error.details as readonly ErrorDetail[])],
    ),
  };
}

function refusal(ref: string, message: string, details: readonly ErrorDetail[]): CallError {
  const text = message.includes(refName(ref)) ? message : `${ref}: ${message}`;
  return new CallError("failed_precondition", plainMessage(text), {
    reason: details.find(({ reason }) => reason !== undefined)?.reason ?? "",
  });
}
