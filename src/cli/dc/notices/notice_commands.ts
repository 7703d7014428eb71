import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { addTrialNotice, type Notice, readNotices, resendNotices } from "#dc/operations/notices/notice.ts";
import type { DcStore } from "#dc/ports.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { print } from "../../output/print.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import type { DatabaseLocation } from "../database.ts";
import { withStore } from "../with_service.ts";

/** Maximum wait for a server to send the test notice, in milliseconds: longer than its wait for the receiver. */
const TEST_TIMEOUT_MS = 20_000;
const POLL_INTERVAL_MS = 200;

export async function printNotices(database: DatabaseLocation, isDeadOnly: boolean, log: StderrLogger): Promise<void> {
  await withStore(database, async (store) => {
    const notices = await store.read(readNotices);
    const shown = notices.filter(({ deadAt }) => !isDeadOnly || deadAt !== undefined);
    for (const notice of shown) print(`${JSON.stringify(convertNoticeToJson(notice))}\n`);
    if (shown.length === 0) log.note(isDeadOnly ? "There are no dead letters" : "No notice waits");
  });
}

function convertNoticeToJson({ id, receiver, body, attempts, nextAt, error, deadAt }: Notice): object {
  const time = (ms: number) => new Date(ms).toISOString();
  const state = deadAt === undefined ? { next_at: time(nextAt) } : { dead_at: time(deadAt) };
  const { type, at, ...data } = body;
  return { id, receiver, attempts, ...state, ...(error !== undefined && { error }), type, at, data };
}

export async function scheduleNoticeResend(
  database: DatabaseLocation,
  ids: readonly string[],
  log: StderrLogger,
): Promise<void> {
  await withStore(database, async (store) => {
    const chosen = ids[0] === "all" ? undefined : ids;
    const again = await store.write((writer) => resendNotices(writer, chosen, Date.now()));
    log.note(again.length === 0 ? "There are no dead letters" : `${again.length} sent again by the server`);
  });
}

/** Adds a test notice and prints the result of its first attempt. */
export async function deliverTestNotice(
  database: DatabaseLocation,
  receiver: string,
  log: StderrLogger,
): Promise<ExitStatus> {
  return withStore(database, async (store) => {
    const given = { id: `msg_${randomUUID()}`, now: Date.now() };
    const { id } = await store.write((writer) => addTrialNotice(writer, receiver, given));
    const end = performance.now() + TEST_TIMEOUT_MS;
    for (;;) {
      const notice = await findNotice(store, id);
      if (notice === undefined) {
        print(`"${receiver}" took the notice ${id}\n`);
        return EXIT_STATUS.ok;
      }
      if (notice.error !== undefined) {
        log.warn(`"${receiver}" did not take the notice ${id}: ${notice.error}; it is tried again`);
        return EXIT_STATUS.refused;
      }
      if (performance.now() > end) {
        log.warn(`No server has sent the notice ${id} yet: is one running with --notify?`);
        return EXIT_STATUS.refused;
      }
      await pause(POLL_INTERVAL_MS);
    }
  });
}

async function findNotice(store: DcStore, id: string): Promise<Notice | undefined> {
  return (await store.read(readNotices)).find((one) => one.id === id);
}
