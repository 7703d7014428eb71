import { CallError, call as callOnce, type Violation } from "../api/client.ts";
import type { BulkAnswer, UpsertAnswer } from "../api/replies.ts";
import { signedIn } from "../api/sign_in.ts";
import { type Item, KINDS, type Kind } from "./parse_items.ts";

/** Result for one item. */
export interface Sent {
  readonly item: Item;
  readonly outcome: string;
  /** Why it was refused; empty when it was not. */
  readonly error: string;
}

interface Sending {
  readonly validateOnly: boolean;
  readonly signal: AbortSignal;
  /** Hears of results as they come. */
  readonly heard: (results: readonly Sent[]) => void;
}

type Send = (items: readonly Item[], sending: Sending) => Promise<readonly Sent[]>;

/** An expired token interrupts an import and ends nothing: the same call is made with the next token. */
function call<Reply>(rpc: string, request: object, signal: AbortSignal): Promise<Reply> {
  return signedIn(() => callOnce<Reply>(rpc, request, signal));
}

const BATCH = 200;
const AT_ONCE = 6;

/** How each kind is sent: many in one call where the service can, else one by one, some at once. */
const SENDERS: Readonly<Record<Kind, { readonly size: number; readonly send: Send }>> = {
  rack: { size: BATCH, send: bulk("BulkUpsertRacks") },
  device: { size: BATCH, send: bulk("BulkUpsertDevices") },
  crac: { size: BATCH, send: bulk("BulkUpsertCracs") },
  cable: { size: BATCH, send: bulk("datacenter.v1.PlanningService/BulkUpsertCables") },
  fabric_link: { size: BATCH, send: together("fabric_link", singly("UpsertFabricLink", "fabric_link")) },
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
      sending.heard(await send(batch, sending).catch((error: unknown) => batch.map((item) => failed(item, error))));
    }
  }
}

function bulk(rpc: string): Send {
  return async (items, { validateOnly, signal }) => {
    const request = { items: items.map(({ resource }) => resource), validate_only: validateOnly };
    const { results } = await call<BulkAnswer>(rpc, request, signal).catch(async (error: unknown) => {
      // One malformed item makes the whole request unreadable: alone, each gets its own error.
      if (!(error instanceof CallError) || error.code !== "invalid_argument" || items.length === 1) throw error;
      return { results: await oneByOne(rpc, items, { validateOnly, signal }) };
    });
    return results.map(({ index, outcome, error }) => ({
      item: items[index] as Item,
      outcome,
      error: error === undefined ? "" : reason(error),
    }));
  };
}

async function oneByOne(
  rpc: string,
  items: readonly Item[],
  { validateOnly, signal }: Pick<Sending, "validateOnly" | "signal">,
): Promise<BulkAnswer["results"]> {
  const results: BulkAnswer["results"][number][] = [];
  for (const [index, { resource }] of items.entries()) {
    const request = { items: [resource], validate_only: validateOnly };
    const answer = await call<BulkAnswer>(rpc, request, signal).catch((error: unknown) => {
      if (!(error instanceof CallError) || error.code !== "invalid_argument") throw error;
      const { message, violations } = error;
      const told = { message, details: [{ field_violations: violations }] };
      return { results: [{ index: 0, code: "", outcome: "OUTCOME_FAILED", error: told, warnings: [] }] };
    });
    results.push(...answer.results.map((result) => ({ ...result, index })));
  }
  return results;
}

/** Sends items as one atomic change. If it is rejected, sends each item alone, some in parallel, to find the cause. */
function together(field: string, alone: Send): Send {
  return async (items, sending) => {
    const changes = items.map(({ resource }) => ({ [field]: resource }));
    const request = { changes, validate_only: sending.validateOnly };
    const answer = await call<BulkAnswer>("datacenter.v1.PlanningService/ApplyChanges", request, sending.signal).catch(
      (error: unknown) => {
        if (!(error instanceof CallError) || error.code !== "invalid_argument") throw error;
        return undefined;
      },
    );
    if (answer?.committed === true)
      return answer.results.map(({ index, outcome }) => ({ item: items[index] as Item, outcome, error: "" }));
    const sent: Sent[] = [];
    for (let start = 0; start < items.length; start += AT_ONCE) {
      sent.push(...(await alone(items.slice(start, start + AT_ONCE), sending)));
    }
    return sent;
  };
}

function singly(rpc: string, field: string): Send {
  return (items, { validateOnly, signal }) =>
    Promise.all(
      items.map(async (item) => {
        try {
          const request = { [field]: item.resource, validate_only: validateOnly };
          const { outcome } = await call<UpsertAnswer>(rpc, request, signal);
          return { item, outcome, error: "" };
        } catch (error) {
          return failed(item, error);
        }
      }),
    );
}

function failed(item: Item, error: unknown): Sent {
  if (error instanceof CallError && OF_ALL.has(error.code)) throw error;
  const message = error instanceof CallError ? inWords(error.violations, error.message) : "The call was stopped.";
  return { item, outcome: "OUTCOME_FAILED", error: message };
}

function reason({ message, details = [] }: NonNullable<BulkAnswer["results"][number]["error"]>): string {
  return inWords(
    details.flatMap(({ field_violations = [] }) => field_violations),
    message,
  );
}

/** What a request has around the fields of an item, which the author of the item has not seen. */
const AROUND = /\b(?:items\[\d+\]|fabric_link)\./g;

/** What is wrong with an item, by its own fields. */
function inWords(violations: readonly Violation[], message: string): string {
  const told = violations.map(({ field, description }) => {
    const [name = "", text = ""] = [field, description].map((one) => one.replaceAll(AROUND, ""));
    return name === "" || text.includes(name) ? text : `${name}: ${text}`;
  });
  return told.length === 0 ? message : told.join(" ");
}
