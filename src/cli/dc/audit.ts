import { verifyLog } from "#dc/audit/verify_log.ts";
import { openService } from "#dc/open_service.ts";
import { type HistoryParameters, historyJson } from "#dc/operations/audit_history.ts";
import { OperationError } from "#kernel/errors.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import { print, stdoutClosed } from "../print.ts";
import { sayError } from "../talk.ts";
import type { Database } from "./database.ts";

const PROBLEMS = {
  missing: "is missing",
  altered: "was altered: its hash does not fit what it says",
  unlinked: "does not follow the entry before it",
} as const;

/** Checks every entry of the change log against the one before it: status 1, and the first wrong one, when it is broken. */
export async function auditVerify(database: Database): Promise<ExitStatus> {
  return withStore(database, async (store) => {
    const verdict = await store.read((reader) => verifyLog(reader));
    if (verdict.ok) {
      print(`${verdict.head.seq} entries, unbroken; head ${verdict.head.hash || "none"}\n`);
      return EXIT_STATUS.ok;
    }
    sayError(`The change log is broken: entry ${verdict.seq} ${PROBLEMS[verdict.problem]}`);
    return EXIT_STATUS.refused;
  });
}

/**
 * Prints the change log as JSON Lines, the newest first unless `order` says otherwise: `page_size` entries, or all of
 * them. Cost: the memory of a page.
 */
export async function auditHistory(database: Database, parameters: HistoryParameters): Promise<ExitStatus> {
  return withStore(database, async (store) => {
    const service = await openService(store, { clock: { now: () => new Date() }, authRequired: false });
    const caller = { interface: "SYSTEM" } as const;
    for (let token = parameters.page_token ?? ""; ; ) {
      const page = await service.history({ ...parameters, ...(token !== "" && { page_token: token }) }, caller);
      const entries = historyJson(page)["entries"];
      print((Array.isArray(entries) ? entries : []).map((entry) => `${JSON.stringify(entry)}\n`).join(""));
      token = page.nextPageToken;
      if (token === "" || parameters.page_size !== undefined || stdoutClosed()) return EXIT_STATUS.ok;
    }
  });
}

async function withStore<Result>(
  database: Database,
  work: (store: Awaited<ReturnType<Database["open"]>>) => Promise<Result>,
): Promise<Result> {
  // Opening would make an empty one, whose log is unbroken.
  if (!database.exists()) throw new OperationError("not_found", `There is no database "${database.shown}"`);
  const store = await database.open();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
