import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import type { BulkReply } from "#gen/datacenter/v1/json.ts";
import { plainMessage } from "../plain_message.ts";
import { ask } from "./ask.ts";
import { fieldsOfKind, type Kind, resourceOf, type Values } from "./form_model.ts";
import { type Around, type Call, camel } from "./requests.ts";
import { pruned } from "./values.ts";

/** What is done with every item. */
export type What =
  | { readonly mode: "set"; readonly names: readonly string[]; readonly values: Values }
  | { readonly mode: "delete"; readonly cascade: boolean };

export interface ManyResult {
  readonly changed: number;
  readonly unchanged: number;
  readonly refused: readonly { readonly code: string; readonly message: string }[];
  /** The request whose changes an undo can take back; "" where several calls were needed. */
  readonly requestId: string;
}

type How = Around & { readonly signal?: AbortSignal; readonly heard?: (sent: number) => void };

/** The bulk call for some items. */
export function manyCall(kind: Kind, codes: readonly string[], what: What, how: Around): Call {
  const { service, bulkUpsert = "", bulkRemove = "" } = resourceOf(kind);
  const around = {
    ...(how.validateOnly && { validate_only: true }),
    ...(how.message !== undefined && how.message !== "" && { change_message: how.message }),
    ...(how.requestId !== undefined && { request_id: how.requestId }),
  };
  if (what.mode === "delete") {
    return { service, rpc: bulkRemove, request: { codes, ...(what.cascade && { cascade: true }), ...around } };
  }
  const fields = fieldsOfKind(kind).filter(({ name }) => what.names.includes(name));
  const values = Object.fromEntries(
    fields
      .map((field) => [field.name, pruned(what.values[field.name], field)])
      .filter(([, value]) => value !== undefined),
  );
  const items = codes.map((code) => ({ code, ...values }));
  return { service, rpc: bulkUpsert, request: { items, update_mask: what.names.map(camel).join(","), ...around } };
}

/** What is done with every item in the form of `InventoryChange`. */
export function manyChanges(kind: Kind, codes: readonly string[], what: What): readonly Values[] {
  if (what.mode === "delete") {
    return codes.map((code) => ({ delete_ref: `${kind}:${code}`, ...(what.cascade && { cascade: true }) }));
  }
  const { field } = resourceOf(kind);
  const { items, update_mask } = manyCall(kind, codes, what, { validateOnly: true }).request;
  return (items as readonly Values[]).map((item) => ({ [field]: item, update_mask }));
}

/** Sends all items, 1,000 in a call; an item that is refused holds no other back. @throws CallError of a whole call */
export async function runMany(kind: Kind, codes: readonly string[], what: What, how: How): Promise<ManyResult> {
  const isOne = codes.length <= MAX_BATCH_ITEMS;
  let [changed, unchanged] = [0, 0];
  const refused: { readonly code: string; readonly message: string }[] = [];
  for (let start = 0; start < codes.length; start += MAX_BATCH_ITEMS) {
    const batch = codes.slice(start, start + MAX_BATCH_ITEMS);
    const { requestId: _id, ...rest } = how;
    const { results } = await ask<BulkReply>(manyCall(kind, batch, what, isOne ? how : rest), how.signal);
    for (const { index, outcome, error } of results) {
      if (error !== undefined) refused.push({ code: batch[index] ?? "", message: plainMessage(error.message) });
      else if (outcome === "OUTCOME_UNCHANGED") unchanged += 1;
      else changed += 1;
    }
    how.heard?.(Math.min(start + MAX_BATCH_ITEMS, codes.length));
  }
  return { changed, unchanged, refused, requestId: isOne ? (how.requestId ?? "") : "" };
}
