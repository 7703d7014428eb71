import type { Caller } from "#dc/context.ts";
import { FAILURE_SEVERITIES } from "#dc/model/enum_values.ts";
import { getIdleWorkMs, IDLE_PEER } from "#dc/operations/answers/cooperative_scheduler.ts";
import { addNotices, MAX_NOTICES, type NoticeBody, type RiskKind } from "#dc/operations/notices/notice.ts";
import type { DcStore } from "#dc/ports.ts";
import type { DcService } from "#dc/service.ts";
import { type Clock, readUptime } from "#kernel/clock.ts";
import { isNoticeReceivedBy, type Receiver } from "./receiver.ts";
import { compareRisks } from "./risk_changes.ts";
import { type RisksBySubject, readAllRisks } from "./risks.ts";

/** Space and key of the document with the known risks. */
const [RISKS_SPACE, RISKS_KEY] = ["notice_state", "risks"];
/** Interval in milliseconds between reads of risks without any change, because verdicts also depend on the time. */
const MAX_READ_INTERVAL_MS = 60_000;
/** Maximum share of processor time for reading risks while changes follow each other. Our choice. */
const MAX_READ_SHARE = 0.05;
/**
 * Interval in milliseconds between reads of the racks at fault while the other risks rest. Our choice: a rack at fault is
 * reported within ten seconds.
 */
const RACK_INTERVAL_MS = 5000;

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
  readonly clock: Clock;
  readonly newId: () => string;
  readonly say: (message: string) => void;
}

/** Creates notices of changed risks. Risks are stored with the notices, so that no notice is lost or created twice. */
export class RiskWatch {
  readonly #options: RiskWatchOptions;
  readonly #query: Pick<Parameters<typeof readAllRisks>[0], "kinds" | "minSeverity">;
  #lastRevisions = "";
  /** Uptimes of the clock. */
  #dueAt = 0;
  #restUntil = Number.NEGATIVE_INFINITY;
  #racksDueAt = 0;
  #lastRackRevisions = "";

  constructor(needs: RiskWatchOptions) {
    this.#options = needs;
    const { receivers } = needs;
    const least = Math.min(...receivers.map(({ minSeverity }) => FAILURE_SEVERITIES.indexOf(minSeverity)));
    this.#query = {
      kinds: new Set(receivers.flatMap(({ kinds }) => [...kinds])),
      minSeverity: FAILURE_SEVERITIES[least] ?? "CRITICAL",
    };
  }

  /**
   * Reads risks if anything changed since the last read, but not for five minutes after the clock was set: readings
   * would have stopped and windows would be over by a clock that is wrong.
   *
   * @returns the number of added notices about differences
   */
  async readChangedRisks(): Promise<number> {
    const { store, clock, service } = this.#options;
    const begun = readUptime(clock);
    const isResting = begun < this.#restUntil;
    if (isResting && begun < this.#racksDueAt) return 0;
    const { seen, isSettled } = await store.read(async (reader) => ({
      seen: `${await reader.revision()} ${await reader.readingsRevision()}`,
      isSettled: await service.passedTime.isClockSettled(reader),
    }));
    if (!isSettled) return 0;
    if (isResting) return this.#readRacksAtFault(seen, begun);
    if (seen === this.#lastRevisions && begun < this.#dueAt) return 0;
    const worked = getIdleWorkMs();
    this.#racksDueAt = begun + RACK_INTERVAL_MS;
    try {
      const added = await this.#storeChanges(this.#query.kinds);
      this.#lastRevisions = seen;
      this.#lastRackRevisions = seen;
      this.#dueAt = begun + MAX_READ_INTERVAL_MS;
      return added;
    } finally {
      // Also after a failure: otherwise, all risks would be read every second while the disk is full.
      this.#restUntil = begun + Math.max(1, getIdleWorkMs() - worked) / MAX_READ_SHARE;
    }
  }

  /** Reads the racks at fault alone, which costs little, while the other risks rest. */
  async #readRacksAtFault(seen: string, begun: number): Promise<number> {
    this.#racksDueAt = begun + RACK_INTERVAL_MS;
    if (seen === this.#lastRackRevisions || !this.#query.kinds.has("rack")) return 0;
    const added = await this.#storeChanges(new Set<RiskKind>(["rack"]));
    this.#lastRackRevisions = seen;
    return added;
  }

  async #storeChanges(kinds: ReadonlySet<RiskKind>): Promise<number> {
    const { store, service, clock } = this.#options;
    const read = await readAllRisks({ service, caller: SYSTEM_CALLER, ...this.#query, kinds });
    const topology = await service.getInventoryGraphs();
    const at = clock.now().toISOString();
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
    const { receivers, newId, clock } = this.#options;
    return receivers
      .filter((receiver) => isNoticeReceivedBy(receiver, body, topology))
      .map(({ name }) => ({ id: `msg_${newId()}`, receiver: name, body, nextAt: clock.now().getTime() }));
  }
}
