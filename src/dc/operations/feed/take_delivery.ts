import type { JsonObject } from "@bufbuild/protobuf";
import { refuse } from "#dc/model/refusal.ts";
import { OperationError } from "#kernel/errors.ts";
import { isSameJson } from "#kernel/json_object.ts";
import { runAllSteps } from "#kernel/steps.ts";
import { appendToChain } from "../../audit/chain.ts";
import type { Caller, DcContext } from "../../context.ts";
import type { ChangeDraft, ChangeRecord } from "../../model/inventory.ts";
import { toRefKey } from "../../model/ref.ts";
import type { ChainHead, DcReader, DcWriter, DeadLetter } from "../../ports.ts";
import { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import { createChangeRequest, listChangedFields } from "../writes/changes.ts";
import { raiseResolvedTimestamp } from "./commit_time.ts";
import {
  type Delivery,
  type FeedEvent,
  type ReceivedEvent,
  type RowChange,
  readDelivery,
  readRowChange,
  type UnreadableEvent,
  UnreadableEventError,
} from "./delivery.ts";

/** Maximum stored length of an event that cannot be parsed, in characters. Our choice: enough to identify the event. */
const MAX_LETTER_CHARS = 65_536;

/** Outcome of a delivery, as sent in the reply. */
export interface DeliveryReceipt {
  /** Number of row versions that were new. */
  readonly accepted: number;
  readonly duplicates: number;
  /** Number of new versions that the service did not write itself. They are added to the change log. */
  readonly outOfBand: number;
  /** Number of events of tables that are not logged. */
  readonly ignored: number;
  readonly deadLetters: number;
}

interface FeedSource {
  readonly context: DcContext;
  readonly caller: Caller;
  /** Name of the feed. Each feed has its own resolved timestamp. */
  readonly feed: string;
}

/** Applies one delivery in the caller's transaction, completely or not at all. */
export async function applyDelivery(
  source: FeedSource,
  writer: DcWriter,
  delivery: Delivery,
): Promise<DeliveryReceipt> {
  return new DeliveryWriter(source, writer).writeDelivery(delivery);
}

class DeliveryWriter {
  readonly #source: FeedSource;
  readonly #writer: DcWriter;
  readonly #now: string;
  readonly #transactionId: string;
  #head: ChainHead | undefined;
  readonly #counts = { accepted: 0, duplicates: 0, outOfBand: 0, ignored: 0, deadLetters: 0 };

  constructor(source: FeedSource, writer: DcWriter) {
    this.#source = source;
    this.#writer = writer;
    this.#now = source.context.clock.now().toISOString();
    this.#transactionId = source.context.newId();
  }

  async writeDelivery({ events, poison, resolved }: Delivery): Promise<DeliveryReceipt> {
    const scheduler = CooperativeScheduler.createForWrite();
    for (const event of events) {
      await scheduler.yieldIfDue();
      await this.#writeEvent(event);
    }
    for (const one of poison) {
      await scheduler.yieldIfDue();
      await this.#storeDeadLetter(one);
    }
    const { feed } = this.#source;
    const now = Date.parse(this.#now);
    if (resolved !== undefined) await raiseResolvedTimestamp(this.#writer, { feed, resolved, now });
    // Raises the revision so that caches and graphs, which are keyed by revision, read the changed rows.
    if (this.#counts.outOfBand > 0) await this.#writer.raiseRevision();
    return this.#counts;
  }

  async #writeEvent({ event, raw }: ReceivedEvent): Promise<void> {
    try {
      const change = readRowChange(event);
      if (change === undefined) this.#counts.ignored += 1;
      else await this.#recordChange(event, change);
    } catch (error) {
      if (!(error instanceof UnreadableEventError)) throw error;
      await this.#storeDeadLetter({ reason: error.message, event: raw });
    }
  }

  async #recordChange(event: FeedEvent, change: RowChange): Promise<void> {
    const { table, rowKey } = change;
    if (await this.#writer.delivered(table, rowKey, event.mark)) {
      this.#counts.duplicates += 1;
      return;
    }
    const { own, latest } = await findOwnWrite(this.#writer, change);
    const record = own ?? (await this.#appendDraft(this.#createDraft(event, change, latest)));
    const seq = own !== undefined && table === "port" ? 0 : record.seq;
    await this.#writer.keepDelivery({ table, rowKey, mark: event.mark, seq, receivedAt: this.#now });
    this.#counts.accepted += 1;
    if (own === undefined) this.#counts.outOfBand += 1;
  }

  #createDraft(event: FeedEvent, change: RowChange, latest: ChangeRecord | undefined): ChangeDraft {
    const { context, caller } = this.#source;
    const { entity, related, after } = change;
    const was = change.before ?? (latest?.entity === entity ? latest.after : undefined);
    return {
      id: context.newId(),
      occurredAt: event.at ?? this.#now,
      recordedAt: this.#now,
      // Writes that bypass the service have no known principal.
      actor: { principal: "unknown", roles: [], authMethod: "none" },
      request: createChangeRequest({
        caller: { ...caller, interface: "WEBHOOK" },
        method: "AuditWebhook",
        requestId: this.#transactionId,
      }),
      action: change.after === undefined ? "DELETE" : was === undefined ? "CREATE" : "UPDATE",
      entity,
      related,
      ...(was !== undefined && { before: was }),
      ...(after !== undefined && { after }),
      changedFields: listChangedFields(was as JsonObject | undefined, after),
      source: "OUT_OF_BAND",
      commit: event.mark,
      transactionId: this.#transactionId,
    };
  }

  async #appendDraft(draft: ChangeDraft): Promise<ChangeRecord> {
    this.#head ??= await this.#writer.chainHead();
    const record = appendToChain(this.#head, draft);
    await this.#writer.append([record]);
    this.#head = record;
    return record;
  }

  async #storeDeadLetter({ reason, event }: UnreadableEvent): Promise<void> {
    const { context, feed } = this.#source;
    const body = (JSON.stringify(event) ?? "").slice(0, MAX_LETTER_CHARS);
    await this.#writer.keepDeadLetter({ id: context.newId(), receivedAt: this.#now, feed, reason, body });
    this.#counts.deadLetters += 1;
  }
}

/**
 * Number of entries per page, and maximum number of pages. Our choice: many, because a rack's own entries are mixed
 * with those of its contents.
 */
const ENTRIES_PER_PAGE = 200;
const MAX_PAGES = 50;

interface OwnWriteMatch {
  /** The entry that already records this version of the row. */
  readonly own?: ChangeRecord;
  /** The latest entry of the resource, whichever version it records. */
  readonly latest?: ChangeRecord;
}

/**
 * Finds the change log entry that records a row version. An entry other than the latest matches only one delivery, so
 * that the return of an older version counts as a new change. Cost: usually two statements; if a rack's own entries are
 * old, the entries of all its contents.
 */
async function findOwnWrite(reader: DcReader, change: RowChange): Promise<OwnWriteMatch> {
  if (change.table === "port") return findPortWrite(reader, change);
  const candidates = change.writtenAt === undefined ? [] : await findEntriesWrittenAt(reader, change, change.writtenAt);
  for (const record of candidates) if (!(await reader.witnessed(record.seq))) return { own: record };
  const latest = await findFirstEntry(reader, change, () => true);
  if (latest !== undefined && doesEntryRecordRow(latest, change)) return { own: latest, latest };
  if (change.after !== undefined) return latest === undefined ? {} : { latest };
  // The event of a deleted row has no time, and may arrive after the resource was created again.
  const removed = await findFirstEntry(reader, change, ({ action }) => action === "DELETE");
  const known = removed !== undefined && !(await reader.witnessed(removed.seq));
  return { ...(known && { own: removed }), ...(latest !== undefined && { latest }) };
}

async function findEntriesWrittenAt(
  reader: DcReader,
  change: RowChange,
  moment: string,
): Promise<readonly ChangeRecord[]> {
  const time = Date.parse(moment);
  if (Number.isNaN(time)) return [];
  const until = new Date(time + 1).toISOString();
  const since = new Date(time).toISOString();
  const found = await reader.history({
    entity: change.entity,
    since,
    until,
    descending: true,
    limit: ENTRIES_PER_PAGE,
  });
  return found.filter((record) => isEntryOf(record, change.entity) && doesEntryRecordRow(record, change));
}

async function findFirstEntry(
  reader: DcReader,
  { entity }: RowChange,
  matches: (record: ChangeRecord) => boolean,
): Promise<ChangeRecord | undefined> {
  let after: number | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const found = await reader.history({
      entity,
      descending: true,
      limit: ENTRIES_PER_PAGE,
      ...(after !== undefined && { after }),
    });
    const record = found.find((one) => isEntryOf(one, entity) && matches(one));
    if (record !== undefined || found.length < ENTRIES_PER_PAGE) return record;
    after = found.at(-1)?.seq;
  }
  return undefined;
}

function isEntryOf(record: ChangeRecord, entity: string): boolean {
  return toRefKey(record.entity) === toRefKey(entity);
}

/**
 * Whether an entry records a row version. Ignores ports: their rows are separate, but the log includes them in the
 * device.
 */
function doesEntryRecordRow({ action, after }: ChangeRecord, change: RowChange): boolean {
  if (change.after === undefined) return action === "DELETE";
  return isSameJson(omitPorts(after), omitPorts(change.after));
}

function omitPorts(json: unknown): object {
  const { ports: _, ...rest } = json as { readonly ports?: unknown };
  return rest;
}

/** Finds the entry that records a port's row. The row has no time: any of the device's latest entries may record it. */
async function findPortWrite(reader: DcReader, change: RowChange): Promise<OwnWriteMatch> {
  const { entity, loggedAs } = change;
  const entries = await reader.history({ entity: loggedAs, descending: true, limit: ENTRIES_PER_PAGE });
  const latest = entries.find((one) => isEntryOf(one, entity) || isEntryOf(one, loggedAs));
  const own = entries.find((one) =>
    isEntryOf(one, entity) ? doesEntryRecordRow(one, change) : doesEntryRecordPort(one, change),
  );
  return { ...(own !== undefined && { own }), ...(latest !== undefined && { latest }) };
}

function doesEntryRecordPort(record: ChangeRecord, change: RowChange): boolean {
  if (!isEntryOf(record, change.loggedAs)) return false;
  const name = change.entity.slice(change.entity.indexOf("/") + 1);
  const is = findPortJson(record.after, name);
  if (change.after === undefined) return is === undefined && findPortJson(record.before, name) !== undefined;
  return is !== undefined && isSameJson(is, change.after);
}

function findPortJson(device: unknown, name: string): object | undefined {
  const { ports = [] } = (device ?? {}) as { readonly ports?: readonly { readonly name: string }[] };
  return ports.find((port) => port.name === name);
}

/** How to settle a dead letter: process it as if it had just arrived, or delete it. */
export type Settlement = "replay" | "drop";

/**
 * Settles one dead letter in the caller's transaction. Returns the receipt of a replay, undefined for a dropped letter.
 * @throws OperationError not_found; failed_precondition for a letter that still cannot be parsed, which is not deleted
 */
export async function settleDeadLetter(
  source: Omit<FeedSource, "feed">,
  writer: DcWriter,
  { id, how }: { readonly id: string; readonly how: Settlement },
): Promise<DeliveryReceipt | undefined> {
  const letter = await writer.deadLetter(id);
  if (letter === undefined) throw refuse("NOT_FOUND", `Cannot find dead letter "${id}"`, { field: "id", value: id });
  const receipt = how === "replay" ? await replayLetter(source, writer, letter) : undefined;
  await writer.dropDeadLetter(id);
  return receipt;
}

async function replayLetter(
  source: Omit<FeedSource, "feed">,
  writer: DcWriter,
  letter: DeadLetter,
): Promise<DeliveryReceipt> {
  const delivery = runAllSteps(readDelivery(parseLetterEvent(letter)));
  const [poison] = delivery.poison;
  if (poison !== undefined) throw createReplayError(letter, poison.reason);
  try {
    for (const { event } of delivery.events) readRowChange(event);
  } catch (error) {
    if (error instanceof UnreadableEventError) throw createReplayError(letter, error.message);
    throw error;
  }
  return applyDelivery({ ...source, feed: letter.feed }, writer, delivery);
}

function parseLetterEvent(letter: DeadLetter): unknown {
  try {
    return JSON.parse(letter.body);
  } catch {
    throw createReplayError(letter, "it was too long to be kept whole");
  }
}

function createReplayError({ id }: DeadLetter, why: string): OperationError {
  return new OperationError("failed_precondition", `Cannot replay dead letter "${id}": ${why}`);
}
