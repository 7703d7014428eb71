import type { BulkReply, UpsertDeviceResponse } from "#gen/datacenter/v1/json.ts";
import { CallError } from "../api/client.ts";
import { callEditRpc } from "../edit/ask.ts";
import { APPLY_CHANGES_RPC } from "../edit/proposal.ts";
import { type FieldProblem, IMPORT_KINDS, type ImportItem, type ImportKind } from "./parse_items.ts";
import { createFieldProblems, listResultProblems } from "./problems.ts";

/** Result for one item. */
export interface ItemResult {
  readonly item: ImportItem;
  readonly outcome: string;
  /** Reasons why the item was refused; empty if it was accepted. */
  readonly problems: readonly FieldProblem[];
}

export interface SendOptions {
  readonly signal: AbortSignal;
  /** Every item of the file, whether sent or not. */
  readonly all: readonly ImportItem[];
  /** Receives results as they arrive. */
  readonly reportResults: (results: readonly ItemResult[]) => void;
}

type SendFunction = (items: readonly ImportItem[], sending: SendOptions) => Promise<readonly ItemResult[]>;

const BATCH_SIZE = 200;
const MAX_PARALLEL_CALLS = 6;

/** Senders by kind. Links have no bulk RPC, so many links are sent as one atomic change. */
const SENDERS_BY_KIND: Readonly<Record<ImportKind, SendFunction>> = {
  rack: createBulkSender("BulkUpsertRacks"),
  device: createBulkSender("BulkUpsertDevices"),
  crac: createBulkSender("BulkUpsertCracs"),
  cable: createBulkSender("datacenter.v1.PlanningService/BulkUpsertCables"),
  fabric_link: createAtomicSender("fabric_link", createSingleSender("UpsertFabricLink", "fabric_link")),
};

/** Error codes that concern the caller or the server, not an item: all further items would fail alike. */
const FATAL_ERROR_CODES: ReadonlySet<string> = new Set([
  "permission_denied",
  "unauthenticated",
  "unavailable",
  "offline",
]);

/**
 * Sends racks first, then equipment, then connections. A rejected item does not stop the others.
 *
 * @throws CallError that concerns every item. It is then unknown whether items without a result were written
 */
export async function sendItems(items: readonly ImportItem[], sending: SendOptions): Promise<void> {
  for (const kind of IMPORT_KINDS) {
    const send = SENDERS_BY_KIND[kind];
    const ownItems = items.filter((item) => item.kind === kind);
    for (let start = 0; start < ownItems.length; start += BATCH_SIZE) {
      if (sending.signal.aborted) return;
      const batch = ownItems.slice(start, start + BATCH_SIZE);
      sending.reportResults(
        await send(batch, sending).catch((error: unknown) => batch.map((item) => createFailedResult(item, error))),
      );
    }
  }
}

function createBulkSender(rpc: string): SendFunction {
  return async (items, { signal }) => {
    const { results } = await callEditRpc<BulkReply>(rpc, { items: items.map(({ resource }) => resource) }, signal);
    return results.map((result) => ({
      item: items[result.index] as ImportItem,
      outcome: result.outcome,
      problems: listResultProblems(result),
    }));
  };
}

/** Sends items as one atomic change. If it is rejected, sends each item alone, some in parallel, to find the cause. */
function createAtomicSender(field: string, alone: SendFunction): SendFunction {
  return async (items, sending) => {
    const changes = items.map(({ resource }) => ({ [field]: resource }));
    const answer = await callEditRpc<BulkReply>(APPLY_CHANGES_RPC, { changes }, sending.signal).catch(
      (error: unknown) => {
        if (!(error instanceof CallError) || error.code !== "invalid_argument") throw error;
        return undefined;
      },
    );
    if (answer?.committed === true)
      return answer.results.map(({ index, outcome }) => ({ item: items[index] as ImportItem, outcome, problems: [] }));
    const sent: ItemResult[] = [];
    for (let start = 0; start < items.length; start += MAX_PARALLEL_CALLS) {
      sent.push(...(await alone(items.slice(start, start + MAX_PARALLEL_CALLS), sending)));
    }
    return sent;
  };
}

function createSingleSender(rpc: string, field: string): SendFunction {
  return (items, { signal }) =>
    Promise.all(
      items.map(async (item) => {
        try {
          const { outcome } = await callEditRpc<UpsertDeviceResponse>(rpc, { [field]: item.resource }, signal);
          return { item, outcome, problems: [] };
        } catch (error) {
          return createFailedResult(item, error);
        }
      }),
    );
}

function createFailedResult(item: ImportItem, error: unknown): ItemResult {
  if (error instanceof CallError && FATAL_ERROR_CODES.has(error.code)) throw error;
  const stopped = [{ field: "", message: "The call was stopped." }];
  const problems = error instanceof CallError ? createFieldProblems(error.violations, error.message) : stopped;
  return { item, outcome: "OUTCOME_FAILED", problems };
}
