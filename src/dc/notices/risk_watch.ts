import type { Caller } from "#dc/context.ts";
import { FAILURE_SEVERITIES } from "#dc/model/enum_values.ts";
import { IDLE_PEER } from "#dc/operations/answers/cooperative_scheduler.ts";
import { addNotices, MAX_NOTICES, type NoticeBody } from "#dc/operations/notices/notice.ts";
import type { DcStore } from "#dc/ports.ts";
import type { DcService } from "#dc/service.ts";
import { isNoticeReceivedBy, type Receiver } from "./receiver.ts";
import { compareRisks } from "./risk_changes.ts";
import { type RisksBySubject, readAllRisks } from "./risks.ts";

/** Space and key of the document with the known risks. */
const [RISKS_SPACE, RISKS_KEY] = ["notice_state", "risks"];
/** Interval in milliseconds between reads of risks without any change, because verdicts also depend on the time. */
const MAX_READ_INTERVAL_MS = 60_000;
/** Maximum share of the time that is spent on reading risks while changes follow each other. Our choice. */
const MAX_READ_SHARE = 0.05;

/** The server itself, which needs no token. Requests of other callers have priority. */
const SYSTEM_CALLER: Caller = {
  interface: "SYSTEM",
  principal: { name: "notices", roles: [], authMethod: "none" },
  peer: IDLE_PEER,
};

interface RiskWatchOptions {
  readonly store: DcStore;
  readonly service: DcService;
  readonly receivers: readonly Receiver[];
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly say: (message: string) => void;
}

/** Creates notices of changed risks. Risks are stored with the notices, so that no notice is lost or created twice. */
export class RiskWatch {
  readonly #options: RiskWatchOptions;
  readonly #query: Pick<Parameters<typeof readAllRisks>[0], "kinds" | "minSeverity">;
  #lastRevisions = "";
  #dueAt = 0;
  #restUntil = 0;

  constructor(needs: RiskWatchOptions) {
    this.#options = needs;
    const { receivers } = needs;
    const least = Math.min(...receivers.map(({ minSeverity }) => FAILURE_SEVERITIES.indexOf(minSeverity)));
    this.#query = {
      kinds: new Set(receivers.flatMap(({ kinds }) => [...kinds])),
      minSeverity: FAILURE_SEVERITIES[least] ?? "CRITICAL",
    };
  }

  /** Reads risks if anything changed since the last read. Returns the number of added notices about differences. */
  async readChangedRisks(): Promise<number> {
    const { store, now } = this.#options;
    const begun = now();
    if (begun < this.#restUntil) return 0;
    const seen = await store.read(async (reader) => `${await reader.revision()} ${await reader.readingsRevision()}`);
    if (seen === this.#lastRevisions && begun < this.#dueAt) return 0;
    const started = performance.now();
    try {
      const added = await this.#storeChanges();
      this.#lastRevisions = seen;
      this.#dueAt = begun + MAX_READ_INTERVAL_MS;
      return added;
    } finally {
      // Also after a failure: otherwise, all risks would be read every second while the disk is full.
      this.#restUntil = begun + (performance.now() - started) / MAX_READ_SHARE;
    }
  }

  async #storeChanges(): Promise<number> {
    const { store, service, now } = this.#options;
    const read = await readAllRisks({ service, caller: SYSTEM_CALLER, ...this.#query });
    const topology = await service.getInventoryGraphs();
    const at = new Date(now()).toISOString();
    return store.write(async (writer) => {
      const kept = await writer.document(RISKS_SPACE, RISKS_KEY);
      // Without stored risks, the present ones are the start of the comparison.
      const before = kept === undefined ? read.risks : (JSON.parse(kept) as RisksBySubject);
      const { notices, known } = compareRisks(before, read, at);
      const text = JSON.stringify(known);
      if (text !== kept) await writer.putDocument(RISKS_SPACE, RISKS_KEY, text);
      const given = notices.flatMap((body) => this.#createReceiverNotices(body, topology));
      if (given.length === 0) return 0;
      const added = await addNotices(writer, given);
      for (const [receiver, some] of Map.groupBy(given, (one) => one.receiver)) {
        const lost = some.length - added.filter((one) => one.receiver === receiver).length;
        if (lost > 0) this.#options.say(`${lost} notices to "${receiver}" were not kept: ${MAX_NOTICES} wait already`);
      }
      return added.length;
    });
  }

  #createReceiverNotices(body: NoticeBody, topology: Parameters<typeof isNoticeReceivedBy>[2]) {
    const { receivers, newId, now } = this.#options;
    return receivers
      .filter((receiver) => isNoticeReceivedBy(receiver, body, topology))
      .map(({ name }) => ({ id: `msg_${newId()}`, receiver: name, body, nextAt: now() }));
  }
}
