import type { BulkReply, UpsertDeviceResponse } from "#gen/datacenter/v1/json.ts";
import { CallError } from "../api/client.ts";
import { callEditRpc } from "../edit/ask.ts";
import { APPLY_RPC } from "../edit/proposal.ts";
import { type FieldProblem, type Item, KINDS, type Kind } from "./parse_items.ts";
import { problemsOf, problemsOfResult } from "./problems.ts";

/** Result for one item. */
export interface Sent {
  readonly item: Item;
  readonly outcome: string;
  /** Why it was refused; empty when it was not. */
  readonly problems: readonly FieldProblem[];
}

export interface Sending {
  readonly signal: AbortSignal;
  /** Every item of the file, sent or not. */
  readonly all: readonly Item[];
  /** Hears of results as they come. */
  readonly heard: (results: readonly Sent[]) => void;
}

type Send = (items: readonly Item[], sending: Sending) => Promise<readonly Sent[]>;

const BATCH = 200;
const AT_ONCE = 6;

/** How each kind is sent: many in one call where the service can, else one by one, some at once. */
const SENDERS: Readonly<Record<Kind, { readonly size: number; readonly send: Send }>> = {
  rack: { size: BATCH, send: bulk("BulkUpsertRacks") },
  device: { size: BATCH, send: bulk("BulkUpsertDevices") },
  crac: { size: BATCH, send: bulk("BulkUpsertCracs") },
  cable: { size: BATCH, send: bulk("datacenter.v1.PlanningService/BulkUpsertCables") },
  fabric_link: { size: BATCH, send: sendTogether("fabric_link", sendSingly("UpsertFabricLink", "fabric_link")) },
};

/** What is said of the caller or the server and not of an item: the rest would be answered in the same way. */
const OF_ALL: ReadonlySet<string> = new Set(["permission_denied", "unauthenticated", "unavailable", "offline"]);

/**
 * Sends racks first, then equipment, then connections. A rejected item does not stop the others.
 *
 * @throws CallError that concerns every item. It is unknown whether items without a result by then were written
 */
export async function sendItems(items: readonly Item[], sending: Sending): Promise<void> {
  for (const kind of KINDS) {
    const { size, send } = SENDERS[kind];
    const mine = items.filter((item) => item.kind === kind);
    for (let start = 0; start < mine.length; start += size) {
      if (sending.signal.aborted) return;
      const batch = mine.slice(start, start + size);
      sending.heard(await send(batch, sending).catch((error: unknown) => batch.map((item) => failedItem(item, error))));
    }
  }
}

function bulk(rpc: string): Send {
  return async (items, { signal }) => {
    const { results } = await callEditRpc<BulkReply>(rpc, { items: items.map(({ resource }) => resource) }, signal);
    return results.map((result) => ({
      item: items[result.index] as Item,
      outcome: result.outcome,
      problems: problemsOfResult(result),
    }));
  };
}

/** Sends items as one atomic change. If it is rejected, sends each item alone, some in parallel, to find the cause. */
function sendTogether(field: string, alone: Send): Send {
  return async (items, sending) => {
    const changes = items.map(({ resource }) => ({ [field]: resource }));
    const answer = await callEditRpc<BulkReply>(APPLY_RPC, { changes }, sending.signal).catch((error: unknown) => {
      if (!(error instanceof CallError) || error.code !== "invalid_argument") throw error;
      return undefined;
    });
    if (answer?.committed === true)
      return answer.results.map(({ index, outcome }) => ({ item: items[index] as Item, outcome, problems: [] }));
    const sent: Sent[] = [];
    for (let start = 0; start < items.length; start += AT_ONCE) {
      sent.push(...(await alone(items.slice(start, start + AT_ONCE), sending)));
    }
    return sent;
  };
}

function sendSingly(rpc: string, field: string): Send {
  return (items, { signal }) =>
    Promise.all(
      items.map(async (item) => {
        try {
          const { outcome } = await callEditRpc<UpsertDeviceResponse>(rpc, { [field]: item.resource }, signal);
          return { item, outcome, problems: [] };
        } catch (error) {
          return failedItem(item, error);
        }
      }),
    );
}

function failedItem(item: Item, error: unknown): Sent {
  if (error instanceof CallError && OF_ALL.has(error.code)) throw error;
  const stopped = [{ field: "", message: "The call was stopped." }];
  const problems = error instanceof CallError ? problemsOf(error.violations, error.message) : stopped;
  return { item, outcome: "OUTCOME_FAILED", problems };
}
