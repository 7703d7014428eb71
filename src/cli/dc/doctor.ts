import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { openCheckpoint } from "#dc/audit/archive.ts";
import { verifyLog } from "#dc/audit/verify_log.ts";
import { MAX_CLOCK_LEAD_MS } from "#dc/limits.ts";
import { readResolvedTime } from "#dc/operations/feed/commit_time.ts";
import { readNotices } from "#dc/operations/notices/notice.ts";
import { readFindingStarts } from "#dc/operations/planning/readings/read_findings.ts";
import type { DcStore } from "#dc/ports.ts";
import { getSchemaState, type InspectedStore } from "#dc/store/migrations.ts";
import { SqliteFile } from "#dc/store/sqlite/sqlite_connection.ts";
import { describeError } from "#kernel/errors.ts";
import { getPublicKeyPath, readVerifierKeys } from "./audit/checkpoints.ts";
import type { DatabaseLocation } from "./database.ts";

/** Advice for a person about each failed check. */
export const CHECK_ADVICE = {
  settings: "Fix the variable or key that it names",
  permissions:
    "`chmod 644` the database, `chmod 600` the key. Others may have changed the file: verify with a checkpoint that is kept elsewhere",
  disk: "Free space: 1 GiB is expected, and below 1 MiB changes are refused",
  schema: "Missing steps: upgrade the database, docs/operations.md. No database: check --db and the mount",
  database:
    "A malformed file needs a restore, docs/operations.md. For a server check address and rights. Read-only: run doctor as the user of the server",
  clock:
    "Set the clock (NTP). Changes keep their time; readings are replaced by the next report, and nothing expires by such a time",
  chain:
    "The log was altered, or is shorter than what was signed. Keep a copy, see the incidents in docs/operations.md, restore a backup that verifies",
  checkpoint:
    "None: start a server, with --checkpoint-key for PostgreSQL. Old: no server has run for two days. Bad signature: a key's line is missing in `.pub`, or the table was altered",
} as const;

export interface CheckResult {
  readonly check: keyof typeof CHECK_ADVICE;
  readonly ok: boolean;
  readonly detail: string;
  /** Advice for a person; present if the check failed. */
  readonly advice?: string;
}

/** Recommended free disk space for a database, in bytes. */
const RECOMMENDED_FREE_BYTES = 1024 * 1024 * 1024;
/** One day in milliseconds: the longest time between two checkpoints while the inventory changes. */
const DAY_MS = 24 * 60 * 60 * 1000;
/** Maximum number of times in the future that a check names. */
const MAX_NAMED_TIMES = 10;

class FailedCheck extends Error {}

/**
 * Checks whether a server's database and machine meet the requirements. Opens the database read-only, with any version
 * of the schema. Cost: one read of the whole change log, and of the whole file of a SQLite database.
 */
export async function diagnoseDatabase(
  database: DatabaseLocation,
  settings: () => Promise<unknown>,
): Promise<readonly CheckResult[]> {
  const findings = [
    await runDatabaseCheck("settings", async () => {
      await settings();
      return "the settings of serve are consistent";
    }),
    await runDatabaseCheck("permissions", async () => checkPermissions(database)),
    await runDatabaseCheck("disk", async () => checkFreeSpace(database)),
  ];
  let store: InspectedStore | undefined;
  const schema = await runDatabaseCheck("schema", async () => {
    if (!database.exists()) throw new FailedCheck(`there is no database "${database.displayName}"`);
    store = await database.openReadOnly();
    return checkSchema(store);
  });
  findings.push(schema);
  const open = store;
  if (open === undefined) return findings;
  try {
    findings.push(await runDatabaseCheck("database", () => checkStoreAccess(open, database)));
    findings.push(await runDatabaseCheck("clock", () => checkClock(open)));
    findings.push(await runDatabaseCheck("chain", () => checkChain(open)));
    findings.push(await runDatabaseCheck("checkpoint", () => checkCheckpoint(open, database)));
  } finally {
    await open.close();
  }
  return findings;
}

async function runDatabaseCheck(check: CheckResult["check"], runCheck: () => Promise<string>): Promise<CheckResult> {
  try {
    return { check, ok: true, detail: await runCheck() };
  } catch (error) {
    return {
      check,
      ok: false,
      detail: describeError(error),
      advice: CHECK_ADVICE[check],
    };
  }
}

function checkPermissions({ file }: DatabaseLocation): string {
  if (file === undefined) return "the server of the database decides";
  const others = [file, `${file}.checkpoint-key`].filter(
    (path) => existsSync(path) && (statSync(path).mode & 0o002) > 0,
  );
  if (others.length > 0) throw new FailedCheck(`everyone can change ${others.join(", ")}: expected mode 0644 or less`);
  const key = `${file}.checkpoint-key`;
  if (existsSync(key) && (statSync(key).mode & 0o077) > 0)
    throw new FailedCheck(`others can read ${key}: expected mode 0600`);
  return "only their owner can change the files";
}

function checkFreeSpace({ file }: DatabaseLocation): string {
  if (file === undefined) return "the server of the database decides";
  const { bavail, bsize } = statfsSync(dirname(file));
  const free = `${Math.floor((bavail * bsize) / 1024 / 1024)} MiB free`;
  if (bavail * bsize < RECOMMENDED_FREE_BYTES)
    throw new FailedCheck(`${free}: expected at least ${RECOMMENDED_FREE_BYTES / 1024 / 1024} MiB`);
  return free;
}

function checkSchema({ steps }: InspectedStore): string {
  const { done, known, since, pending } = getSchemaState(steps);
  const text = `${done} of ${known} steps${since === undefined ? "" : `, those of version ${since}`}`;
  if (pending.length > 0) throw new FailedCheck(`${text}: \`planner dc migrate apply\` applies the others`);
  return text;
}

async function checkStoreAccess(store: InspectedStore, { displayName, file }: DatabaseLocation): Promise<string> {
  await store.check();
  if (file === undefined) return `${displayName} can be read`;
  const damage = await store.findDamage();
  if (damage !== undefined) throw new FailedCheck(`${displayName} is malformed: ${damage}`);
  if (new SqliteFile(file).isReadOnly)
    throw new FailedCheck(`${displayName} can be read, and this user may not change it`);
  return `${displayName} can be read and changed`;
}

async function checkClock(store: DcStore): Promise<string> {
  const limit = Date.now() + MAX_CLOCK_LEAD_MS;
  const times = await store.read(async (reader) => [
    ...(await reader.timesAfter(limit)),
    ...[...(await readFindingStarts(reader))].map(([key, since]) => [`finding ${key}`, since] as const),
    ...(await readNotices(reader)).map(({ id, body }) => [`notice ${id}`, Date.parse(body.at)] as const),
    ["feed_resolved", Date.parse((await readResolvedTime(reader)) ?? "")] as const,
  ]);
  const ahead = times.filter(([, at]) => at > limit).map(([name, at]) => `${name} ${new Date(at).toISOString()}`);
  if (ahead.length === 0) return "no stored time is in the future";
  const more = ahead.length > MAX_NAMED_TIMES ? ` and ${ahead.length - MAX_NAMED_TIMES} more` : "";
  throw new FailedCheck(
    `stored times are more than five minutes ahead: ${ahead.slice(0, MAX_NAMED_TIMES).join(", ")}${more}`,
  );
}

async function checkChain(store: DcStore): Promise<string> {
  const log = await store.read((reader) => verifyLog(reader));
  if (!log.ok) throw new FailedCheck(`entry ${log.seq} ${log.detail}`);
  return `${log.head.seq} entries, unbroken`;
}

async function checkCheckpoint(store: DcStore, { file }: DatabaseLocation): Promise<string> {
  const { kept, head } = await store.read(async (reader) => ({
    kept: await reader.checkpoints(),
    head: await reader.chainHead(),
  }));
  const last = kept.at(-1);
  if (last === undefined) {
    if (head.seq === 0) return "the log is empty";
    throw new FailedCheck("none: `planner dc serve` signs the log, on a server of a database with --checkpoint-key");
  }
  const path = file && getPublicKeyPath(`${file}.checkpoint-key`);
  if (path === undefined || !existsSync(path)) return `of ${last.size} entries; not verified, its key is missing`;
  const opened = openCheckpoint(last.note, readVerifierKeys(path));
  if (opened === undefined) throw new FailedCheck(`the one of ${last.size} entries has no good signature of ${path}`);
  if (Date.parse(opened.time) > Date.now() + MAX_CLOCK_LEAD_MS)
    throw new FailedCheck(`the last one is of ${opened.time}, in the future: the clock was wrong then or is wrong now`);
  if (head.seq > last.size && Date.now() - Date.parse(opened.time) > DAY_MS * 2)
    throw new FailedCheck(`the last one is of ${opened.time}, and there are newer entries: is a server running?`);
  return `of ${last.size} entries, signed ${opened.time}`;
}
