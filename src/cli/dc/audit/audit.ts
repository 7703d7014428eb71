import type { ChangeRecord } from "#dc/model/inventory.ts";
import { convertPageToJson, type HistoryParameters } from "#dc/operations/audit_history.ts";
import type { DeliveryReceipt, Settlement } from "#dc/operations/feed/take_delivery.ts";
import type { DcStore, DeadLetter } from "#dc/ports.ts";
import type { DcService } from "#dc/service.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { formatEnumText } from "#web/console/lists/list_kinds.ts";
import { formatConstant } from "#words/names.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { getOutputWidth, isStdoutClosed, print } from "../../output/print.ts";
import { logError, type StderrLogger } from "../../output/stderr_logger.ts";
import { type Column, renderTable } from "../../output/table.ts";
import type { DatabaseLocation } from "../database.ts";
import { resolveRef } from "../resolve_ref.ts";
import { openLocalService, SYSTEM_CALLER, withService, withStore } from "../with_service.ts";

/** Prints `page_size` or all change log entries as JSON Lines, newest first unless `order` is set. Memory: one page. */
export async function printHistoryLines(database: DatabaseLocation, asked: HistoryParameters): Promise<ExitStatus> {
  return withService(database, async (service) => {
    const parameters = await resolveEntity(service, asked);
    for (let token = parameters.page_token ?? ""; ; ) {
      const page = await service.readHistory(
        { ...parameters, ...(token !== "" && { page_token: token }) },
        SYSTEM_CALLER,
      );
      const entries = convertPageToJson(page)["entries"];
      print((Array.isArray(entries) ? entries : []).map((entry) => `${JSON.stringify(entry)}\n`).join(""));
      token = page.nextPageToken;
      if (token === "" || parameters.page_size !== undefined || isStdoutClosed()) return EXIT_STATUS.ok;
    }
  });
}

/** Prints a page of the change log as a table in local time, each change with its old and new values below it. */
export async function printHistoryTable(
  database: DatabaseLocation,
  asked: HistoryParameters,
  log: StderrLogger,
): Promise<ExitStatus> {
  return withService(database, async (service) => {
    const { entries, nextPageToken } = await service.readHistory(await resolveEntity(service, asked), SYSTEM_CALLER);
    print(renderTable(entries, HISTORY_COLUMNS, getOutputWidth(), formatChanges));
    if (entries.length === 0) log.note("No changes found");
    if (nextPageToken !== "") {
      log.note(`${entries.length} changes shown: \`page_size=1000\` shows more, \`--json\` prints all as JSON Lines`);
    }
    return EXIT_STATUS.ok;
  });
}

/** Replaces a bare code of an entity by its reference. */
async function resolveEntity(service: DcService, asked: HistoryParameters): Promise<HistoryParameters> {
  const { entity } = asked;
  return entity === undefined ? asked : { ...asked, entity: await resolveRef(service, entity, []) };
}

/** Maximum number of dead letters that one call lists, or settles with `all`: as many as a person can review. */
const MAX_DEAD_LETTERS = 1000;

/** Prints the change feed events that could not be applied as JSON Lines, the oldest first. */
export async function printDeadLetters(database: DatabaseLocation, log: StderrLogger): Promise<ExitStatus> {
  return withStore(database, async (store) => {
    for (const { id, receivedAt, feed, reason, body } of await readRecentLetters(store)) {
      print(`${JSON.stringify({ id, received_at: receivedAt, feed, reason, event: body })}\n`);
    }
    const count = await store.read((reader) => reader.countDeadLetters());
    if (count === 0) log.note("There are no dead letters");
    if (count > MAX_DEAD_LETTERS) log.warn(`${count - MAX_DEAD_LETTERS} older ones are not shown`);
    return EXIT_STATUS.ok;
  });
}

/** Replays or drops the dead letters with these ids, or all. Each letter has its own transaction. */
export async function settleDeadLetters(
  database: DatabaseLocation,
  ids: readonly string[],
  settlement: Settlement,
): Promise<ExitStatus> {
  return withStore(database, async (store) => {
    const service = await openLocalService(store);
    const chosen = ids[0] === "all" ? (await readRecentLetters(store)).map(({ id }) => id) : ids;
    let status: ExitStatus = EXIT_STATUS.ok;
    for (const id of chosen) {
      try {
        const receipt = await service.settleDeadLetter(id, settlement, SYSTEM_CALLER);
        print(`${id}\t${receipt === undefined ? "dropped" : formatReceipt(receipt)}\n`);
      } catch (error) {
        if (!(error instanceof OperationError) || error.kind === "unavailable") throw error;
        logError(error.message);
        status = EXIT_STATUS.refused;
      }
    }
    return status;
  });
}

function formatReceipt({ outOfBand, accepted, duplicates }: DeliveryReceipt): string {
  if (outOfBand > 0) return "replayed: recorded as written outside the service";
  if (accepted > 0) return "replayed: a write of the service itself";
  return duplicates > 0 ? "replayed: already known" : "replayed: nothing to log";
}

async function readRecentLetters(store: DcStore): Promise<readonly DeadLetter[]> {
  return (await store.read((reader) => reader.deadLetters(MAX_DEAD_LETTERS))).toReversed();
}

const MAX_VALUE_CHARS = 40;

const TIME_FORMAT = new Intl.DateTimeFormat("en", {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

const HISTORY_COLUMNS: readonly Column<ChangeRecord>[] = [
  { title: "TIME", text: ({ occurredAt }) => TIME_FORMAT.format(new Date(occurredAt)).replace(",", "") },
  { title: "CHANGE", text: ({ action }) => formatConstant(action).toLowerCase() },
  { title: "WHAT", text: ({ entity }) => entity, shrinks: true },
  { title: "WHO", text: ({ actor }) => actor.principal, shrinks: true },
  { title: "THROUGH", text: ({ request }) => formatConstant(request.interface) },
];

function formatChanges({ action, before, after, changedFields, message = "" }: ChangeRecord): string {
  const [old, now] = [before, after].map((side) => (isJsonObject(side) ? side : {}));
  const fields = action === "UPDATE" ? changedFields.filter((field) => field !== "etag") : [];
  const changes = fields.map(
    (field) => `${field.replaceAll("_", " ")}: ${formatValue(old?.[field])} -> ${formatValue(now?.[field])}`,
  );
  return [...(message === "" ? [] : [`"${message}"`]), ...changes].join("; ");
}

function formatValue(value: unknown): string {
  if (value === undefined || value === null || value === "") return "none";
  const text = typeof value === "string" ? formatEnumText(value) : JSON.stringify(value);
  return text.length <= MAX_VALUE_CHARS ? text : `${text.slice(0, MAX_VALUE_CHARS - 1)}…`;
}
