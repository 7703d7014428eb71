import type { JsonObject } from "@bufbuild/protobuf";
import { appendToChain } from "#dc/audit/chain.ts";
import type { Caller, DcContext } from "#dc/context.ts";
import type { ChangeDraft, ChangeRecord } from "#dc/model/change_record.ts";
import type { AuditAction } from "#dc/model/enum_values.ts";
import type { ChainHead, DcWriter } from "#dc/ports.ts";
import { CooperativeScheduler } from "../answers/cooperative_scheduler.ts";
import { createChangeRequest, listChangedFields } from "../writes/changes.ts";
import { raiseResolvedTimestamp } from "./commit_time.ts";
import {
  type Delivery,
  type FeedEvent,
  type ReceivedEvent,
  type UnreadableEvent,
  UnreadableEventError,
} from "./delivery.ts";
import { findOwnWrite } from "./own_writes.ts";
import { type RowChange, readRowChange } from "./row_change.ts";

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

export interface FeedSource {
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
      action: findAuditAction(change, was),
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

function findAuditAction({ after }: RowChange, was: unknown): AuditAction {
  if (after === undefined) return "DELETE";
  return was === undefined ? "CREATE" : "UPDATE";
}
