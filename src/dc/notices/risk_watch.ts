import type { Caller } from "#dc/context.ts";
import { FAILURE_SEVERITIES } from "#dc/model/enum_values.ts";
import { IDLE_PEER } from "#dc/operations/answers/cooperative_scheduler.ts";
import { addNotices, MAX_NOTICES, type NoticeBody } from "#dc/operations/notices/notice.ts";
import type { DcStore } from "#dc/ports.ts";
import type { DcService } from "#dc/service.ts";
import { isFor, type Receiver } from "./receiver.ts";
import { riskChanges } from "./risk_changes.ts";
import { type Risks, readRisks } from "./risks.ts";

/** Space and key of the document with the risks that are known. */
const [SPACE, KEY] = ["notice_state", "risks"];
/** Verdicts change with the clock: so often they are read without any change, in milliseconds. */
const CLOCK_MS = 60_000;
/** Share of the time that risks may be read in, while one change follows another. Ours. */
const SHARE = 0.05;

/** The server itself, which may read where callers need a token. Calls go first. */
const CALLER: Caller = {
  interface: "SYSTEM",
  principal: { name: "notices", roles: [], authMethod: "none" },
  peer: IDLE_PEER,
};

interface Needs {
  readonly store: DcStore;
  readonly service: DcService;
  readonly receivers: readonly Receiver[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly say: (message: string) => void;
}

/** Turns changes of risk into notices. What is known is stored with the notices, so that none is lost or made twice. */
export class RiskWatch {
  readonly #needs: Needs;
  readonly #wanted: Pick<Parameters<typeof readRisks>[0], "kinds" | "minSeverity">;
  #seen = "";
  #dueAt = 0;
  #restUntil = 0;

  constructor(needs: Needs) {
    this.#needs = needs;
    const { receivers } = needs;
    const least = Math.min(...receivers.map(({ minSeverity }) => FAILURE_SEVERITIES.indexOf(minSeverity)));
    this.#wanted = {
      kinds: new Set(receivers.flatMap(({ kinds }) => [...kinds])),
      minSeverity: FAILURE_SEVERITIES[least] ?? "CRITICAL",
    };
  }

  /** Reads risks if something has changed since, and adds notices about what is different. Returns how many. */
  async look(): Promise<number> {
    const { store, now } = this.#needs;
    const begun = now();
    if (begun < this.#restUntil) return 0;
    const seen = await store.read(async (reader) => `${await reader.revision()} ${await reader.readingsRevision()}`);
    if (seen === this.#seen && begun < this.#dueAt) return 0;
    const started = performance.now();
    try {
      const added = await this.#compare();
      this.#seen = seen;
      this.#dueAt = begun + CLOCK_MS;
      return added;
    } finally {
      // Also after a failure: otherwise a full disk would let all risks be read again every second.
      this.#restUntil = begun + (performance.now() - started) / SHARE;
    }
  }

  async #compare(): Promise<number> {
    const { store, service, now } = this.#needs;
    const read = await readRisks({ service, caller: CALLER, ...this.#wanted });
    const topology = await service.inventory();
    const at = new Date(now()).toISOString();
    return store.write(async (writer) => {
      const kept = await writer.document(SPACE, KEY);
      // The first state is where changes begin.
      const before = kept === undefined ? read.risks : (JSON.parse(kept) as Risks);
      const { notices, known } = riskChanges(before, read, at);
      const text = JSON.stringify(known);
      if (text !== kept) await writer.putDocument(SPACE, KEY, text);
      const given = notices.flatMap((body) => this.#addressed(body, topology));
      if (given.length === 0) return 0;
      const added = await addNotices(writer, given);
      for (const [receiver, some] of Map.groupBy(given, (one) => one.receiver)) {
        const lost = some.length - added.filter((one) => one.receiver === receiver).length;
        if (lost > 0) this.#needs.say(`${lost} notices to "${receiver}" were not kept: ${MAX_NOTICES} wait already`);
      }
      return added.length;
    });
  }

  #addressed(body: NoticeBody, topology: Parameters<typeof isFor>[2]) {
    const { receivers, newId, now } = this.#needs;
    return receivers
      .filter((receiver) => isFor(receiver, body, topology))
      .map(({ name }) => ({ id: `msg_${newId()}`, receiver: name, body, nextAt: now() }));
  }
}
