import { randomUUID } from "node:crypto";
import { NoticeSender } from "#dc/notices/notice_sender.ts";
import { RiskWatch } from "#dc/notices/risk_watch.ts";
import { SendingLease } from "#dc/notices/sending_lease.ts";
import { storeReceiverNames } from "#dc/operations/notices/notice.ts";
import type { DcStore } from "#dc/ports.ts";
import type { DcService } from "#dc/service.ts";
import { SYSTEM_CLOCK } from "#kernel/clock.ts";
import { OutageReporter } from "#kernel/outage.ts";
import { NoticePoster } from "./post_notice.ts";
import { type AddressedReceiver, readReceivers } from "./receivers_file.ts";

/** Milliseconds between two checks for notices and changes. */
const CHECK_INTERVAL_MS = 1000;

interface NoticeOptions {
  readonly store: DcStore;
  readonly service: DcService;
  readonly say: (message: string) => void;
}

/** Watches risks and sends notices while a server runs. */
export class NoticeService {
  readonly #options: NoticeOptions;
  readonly #watch: RiskWatch;
  readonly #sender: NoticeSender;
  readonly #lease: SendingLease;
  readonly #stop: AbortController;
  readonly #names: readonly string[];
  #loops: readonly Promise<void>[] = [];

  private constructor(options: NoticeOptions, parts: OpenedReceivers) {
    this.#options = options;
    this.#stop = parts.stop;
    this.#names = parts.receivers.map(({ name }) => name);
    const { store, service, say } = options;
    const clock = SYSTEM_CLOCK;
    this.#watch = new RiskWatch({ store, service, receivers: parts.receivers, clock, newId: randomUUID, say });
    const post = parts.poster.postNotice.bind(parts.poster);
    this.#sender = new NoticeSender({
      store,
      clock,
      postNotice: post,
      receivers: this.#names,
      say,
      random: Math.random,
    });
    this.#lease = new SendingLease(clock);
  }

  /** Starts watching and sending; returns undefined without receivers. */
  static start(options: NoticeOptions, parts: OpenedReceivers | undefined): NoticeService | undefined {
    if (parts === undefined) return undefined;
    const service = new NoticeService(options, parts);
    service.#loops = [
      service.#repeatWork("Notices cannot be sent", () => service.#sendNotices()),
      service.#repeatWork("Risks cannot be watched", () => service.#checkRisks()),
    ];
    return service;
  }

  /** Aborts requests in progress; the next server sends their notices again. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#loops);
    await this.#sender.waitForAttempts();
    await this.#options.store.write((writer) => this.#lease.releaseLease(writer)).catch(() => {});
  }

  async #repeatWork(failure: string, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    const words = { gone: (why: string) => `${failure}: ${why}`, back: `${failure}: over` };
    const outage = new OutageReporter(words, this.#options.say);
    while (!signal.aborted) {
      try {
        await work();
        outage.recordSuccess();
      } catch (error) {
        outage.recordFailure((error as Error).message);
      }
      if (!signal.aborted) await this.#sender.waitForAnyAttempt(CHECK_INTERVAL_MS, signal);
    }
  }

  async #sendNotices(): Promise<void> {
    const { store } = this.#options;
    if (this.#lease.isRenewalDue && !(await store.read((reader) => this.#lease.isHeldByOther(reader)))) {
      await store.write(async (writer) => {
        if (!(await this.#lease.acquireLease(writer))) return;
        await storeReceiverNames(writer, this.#names);
        await this.#options.service.passedTime.count(writer);
      });
    }
    if (this.#lease.isHeld) await this.#sender.startDueAttempts();
  }

  async #checkRisks(): Promise<void> {
    if (this.#lease.isHeld) await this.#watch.readChangedRisks();
  }
}

interface OpenedReceivers {
  readonly receivers: readonly AddressedReceiver[];
  readonly poster: NoticePoster;
  /** Aborts the requests in progress. */
  readonly stop: AbortController;
}

/** Opens the receivers of a file; returns undefined without a file. @throws OperationError for an invalid file */
export async function openReceivers(
  path: string | undefined,
  say: (message: string) => void,
): Promise<OpenedReceivers | undefined> {
  if (path === undefined) return undefined;
  const receivers = await readReceivers(path);
  const stop = new AbortController();
  return { receivers, poster: await NoticePoster.open(receivers, { say, signal: stop.signal }), stop };
}
