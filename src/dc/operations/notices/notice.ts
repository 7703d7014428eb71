import type { FailureSeverity } from "#dc/model/enum_values.ts";
import { refuse } from "#dc/model/refusal.ts";
import { type DcReader, type DcWriter, readDocumentPages } from "#dc/ports.ts";

/** Kinds of risks whose changes are sent: the types of their notices, when these are sent and how severe they are. */
export const RISK_NOTICE_RULES = {
  cause: {
    changes: ["appeared", "changed", "cleared"],
    when: "the failure of an element has another severity in the rehearsal by planned loads",
    severity: "the worse of both",
  },
  window: {
    changes: ["changed"],
    when: "an open window has another verdict",
    severity: "`NO_GO` is HIGH, `UNKNOWN` MEDIUM, `GO_WITH_RISK` LOW, `GO` INFO; the worse of both",
  },
  rack: {
    changes: ["appeared", "cleared"],
    when: "the health of a rack comes to fault, and leaves it",
    severity: "HIGH",
  },
  finding: {
    changes: ["appeared", "changed", "cleared"],
    when: "readings show a finding, or no longer",
    severity: "`FAULT` is HIGH, `WATCH` MEDIUM; the worse of both",
  },
} as const;
export type RiskKind = keyof typeof RISK_NOTICE_RULES;
export const RISK_KINDS = Object.keys(RISK_NOTICE_RULES) as readonly RiskKind[];

/** Content of a notice. */
export interface NoticeBody {
  /** Event type, such as `cause.appeared`. */
  readonly type: string;
  /** Reference of the subject; notices about one subject are sent in order. */
  readonly subject: string;
  readonly severity: FailureSeverity;
  /** State of the subject; empty if the risk ended. */
  readonly state: string;
  /** Previous state of the subject; empty if the risk is new. */
  readonly was: string;
  readonly summary: string;
  /** References of the affected elements, at most 10. */
  readonly elements: readonly string[];
  /** Time of the event, ISO 8601 in UTC. */
  readonly at: string;
}

/** A notice that is queued for one receiver, or that could not be sent. Times are milliseconds since 1970. */
export interface Notice {
  /** Position in the order of sending. */
  readonly seq: number;
  /** Identifier that is the same for every attempt, so that a receiver recognizes repetitions. */
  readonly id: string;
  readonly receiver: string;
  readonly body: NoticeBody;
  readonly attempts: number;
  /** Time that passed since the first attempt while a server ran, in milliseconds. */
  readonly waitedMs?: number;
  /** Time of the next attempt. */
  readonly nextAt: number;
  /** Error of the last attempt. */
  readonly error?: string;
  /** Time at which the attempts ended and the notice became a dead letter. */
  readonly deadAt?: number;
}

/** Document space of notices, one document for each, by sequence number. */
const NOTICE_SPACE = "notice";
const KEY_DIGITS = 12;
/**
 * Maximum number of notices of one receiver, some 10 MB; our choice. Beyond it the oldest dead letters are removed, and
 * if there are none, new notices are dropped. The limit is per receiver, because an unreachable receiver would use up a
 * common limit.
 */
export const MAX_NOTICES = 10_000;

/** Setting with a number that rises with every change of notices. */
const REVISION_SETTING = "notices_revision";
const LAST_SEQ_SETTING = "notices_seq";
const RECEIVERS_SETTING = "notices_receivers";

const formatNoticeKey = (seq: number) => String(seq).padStart(KEY_DIGITS, "0");

/** Returns a number that rises with every change of notices. */
export async function readNoticesRevision(reader: Pick<DcReader, "setting">): Promise<number> {
  return Number((await reader.setting(REVISION_SETTING)) ?? 0);
}

/** Reads all notices in the order of sending. */
export async function readNotices(reader: Pick<DcReader, "documents">): Promise<readonly Notice[]> {
  const found: Notice[] = [];
  for await (const page of readDocumentPages(reader, NOTICE_SPACE)) {
    found.push(...page.map(({ body }) => JSON.parse(body) as Notice));
  }
  return found;
}

/**
 * Appends notices and returns the stored ones. Removes the oldest dead letters of a receiver that exceeds its limit,
 * and drops new notices that still exceed it.
 */
export async function addNotices(
  writer: DcWriter,
  given: readonly Omit<Notice, "seq" | "attempts">[],
  most = MAX_NOTICES,
): Promise<readonly Notice[]> {
  const kept = Map.groupBy(await readNotices(writer), ({ receiver }) => receiver);
  const fitting = new Set<Omit<Notice, "seq" | "attempts">>();
  for (const [receiver, fresh] of Map.groupBy(given, (one) => one.receiver)) {
    const before = kept.get(receiver) ?? [];
    const over = Math.max(0, before.length + fresh.length - most);
    const dropped = before.filter(({ deadAt }) => deadAt !== undefined).slice(0, over);
    for (const { seq } of dropped) await writer.dropDocument(NOTICE_SPACE, formatNoticeKey(seq));
    for (const one of fresh.slice(0, Math.max(0, fresh.length - over + dropped.length))) fitting.add(one);
  }
  const last = Number((await writer.setting(LAST_SEQ_SETTING)) ?? 0);
  const added = given
    .filter((one) => fitting.has(one))
    .map((notice, place): Notice => ({ ...notice, seq: last + 1 + place, attempts: 0 }));
  for (const notice of added)
    await writer.putDocument(NOTICE_SPACE, formatNoticeKey(notice.seq), JSON.stringify(notice));
  await writer.setSetting(LAST_SEQ_SETTING, String(last + added.length));
  await raiseNoticesRevision(writer);
  return added;
}

/** Stores the new state of notices. Ignores those that were removed meanwhile. */
export async function updateNotices(writer: DcWriter, notices: readonly Notice[]): Promise<void> {
  for (const notice of notices) {
    const key = formatNoticeKey(notice.seq);
    if ((await writer.document(NOTICE_SPACE, key)) !== undefined)
      await writer.putDocument(NOTICE_SPACE, key, JSON.stringify(notice));
  }
  await raiseNoticesRevision(writer);
}

export async function deleteNotices(writer: DcWriter, notices: readonly Pick<Notice, "seq">[]): Promise<void> {
  for (const { seq } of notices) await writer.dropDocument(NOTICE_SPACE, formatNoticeKey(seq));
  await raiseNoticesRevision(writer);
}

async function raiseNoticesRevision(writer: DcWriter): Promise<void> {
  await writer.setSetting(REVISION_SETTING, String((await readNoticesRevision(writer)) + 1));
}

/** Reads the names of the receivers to which the notice server sends. */
export async function readReceiverNames(reader: Pick<DcReader, "setting">): Promise<readonly string[]> {
  return JSON.parse((await reader.setting(RECEIVERS_SETTING)) ?? "[]") as readonly string[];
}

export async function storeReceiverNames(writer: DcWriter, names: readonly string[]): Promise<void> {
  await writer.setSetting(RECEIVERS_SETTING, JSON.stringify(names));
}

/**
 * Adds a trial notice.
 * @throws Refusal NOT_FOUND for a receiver that no server sends to; QUEUE_FULL for a full queue
 */
export async function addTrialNotice(
  writer: DcWriter,
  receiver: string,
  { id, now }: { readonly id: string; readonly now: number },
): Promise<Notice> {
  const names = await readReceiverNames(writer);
  if (!names.includes(receiver)) {
    const expected = names.length === 0 ? "a server with --notify that has started" : names.join(", ");
    throw refuse("NOT_FOUND", `There is no receiver "${receiver}": expected ${expected}`);
  }
  const body: NoticeBody = {
    type: "notice.test",
    subject: "test",
    severity: "INFO",
    state: "",
    was: "",
    summary: "A trial notice: nothing has changed",
    elements: [],
    at: new Date(now).toISOString(),
  };
  const [added] = await addNotices(writer, [{ id, receiver, body, nextAt: now }]);
  if (added !== undefined) return added;
  throw refuse("QUEUE_FULL", `${MAX_NOTICES} notices to "${receiver}" wait already`);
}

/**
 * Schedules dead letters to be sent again from now on, in order, and returns them.
 * @param ids undefined for all dead letters
 * @throws Refusal NOT_FOUND for an id that is no dead letter
 */
export async function resendNotices(
  writer: DcWriter,
  ids: readonly string[] | undefined,
  now: number,
): Promise<readonly Notice[]> {
  const dead = (await readNotices(writer)).filter(({ deadAt }) => deadAt !== undefined);
  const missing = ids?.find((id) => !dead.some((one) => one.id === id));
  if (missing !== undefined) {
    throw refuse("NOT_FOUND", `There is no dead letter "${missing}": planner dc notices list names them`);
  }
  const chosen = dead.filter(({ id }) => ids === undefined || ids.includes(id));
  const again = chosen.map(({ deadAt, waitedMs, ...rest }): Notice => ({ ...rest, attempts: 0, nextAt: now }));
  await updateNotices(writer, again);
  return again;
}
