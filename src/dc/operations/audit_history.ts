import type { JsonObject } from "@bufbuild/protobuf";
import { AUTH_METHODS, type DcContext } from "#dc/context.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "#dc/limits.ts";
import { AUDIT_ACTIONS, AUDIT_INTERFACES } from "#dc/model/enum_values.ts";
import type { ChangeRecord } from "#dc/model/inventory.ts";
import { parseRef } from "#dc/model/ref.ts";
import { type Refusal, refuse } from "#dc/model/refusal.ts";
import type { ChainHead, DcReader, HistoryQuery } from "#dc/ports.ts";
import { cutPage, openPageToken } from "./answers/parameters.ts";
import { readResolvedTime } from "./feed/commit_time.ts";

/** Parameters of a history request by wire names. Source: docs/contract/datacenter-messages.md#change-history. */
export const HISTORY_PARAMETERS = [
  "entity",
  "actor",
  "action",
  "request_id",
  "interface",
  "since",
  "until",
  "page_size",
  "page_token",
  "order",
] as const;

export type HistoryParameters = Readonly<Partial<Record<(typeof HISTORY_PARAMETERS)[number], string>>>;

export interface HistoryPage {
  readonly entries: readonly ChangeRecord[];
  /** Token of the next page; empty on the last page. */
  readonly nextPageToken: string;
  /**
   * Time up to which the log is complete. Writes of this service are in the log when they commit; for writes that
   * bypass it, the change feeds report their progress.
   */
  readonly completeThrough: string;
  readonly chain: ChainHead;
}

/** Reads one page of the change log. @throws Refusal for a parameter that cannot be read, naming it */
export async function readAuditHistory(
  { pageKey, clock }: DcContext,
  reader: DcReader,
  parameters: HistoryParameters,
): Promise<HistoryPage> {
  const { limit, ...question } = readParameters(parameters);
  const after = openPageToken<number>(pageKey, question, parameters.page_token ?? "");
  const found = await reader.history({ ...question, limit: limit + 1, ...(after !== undefined && { after }) });
  const { page, nextPageToken } = cutPage({ key: pageKey, question }, found, limit, ({ seq }) => seq);
  const now = clock.now().toISOString();
  const resolved = await readResolvedTime(reader);
  return {
    entries: page,
    nextPageToken,
    completeThrough: resolved === undefined || resolved > now ? now : resolved,
    chain: await reader.chainHead(),
  };
}

function readParameters(given: HistoryParameters): HistoryQuery {
  const unknown = Object.keys(given).find((name) => !HISTORY_PARAMETERS.some((known) => known === name));
  if (unknown !== undefined)
    throw createParameterRefusal("UNKNOWN_FIELD", unknown, unknown, `one of ${HISTORY_PARAMETERS.join(", ")}`);
  const { entity, request_id: requestId } = given;
  for (const [name, text] of Object.entries(given)) {
    if (text.includes("\0")) throw createParameterRefusal("FIELD_OUT_OF_RANGE", name, text, "text without U+0000");
  }
  if (entity !== undefined && parseRef(entity) === undefined) {
    throw createParameterRefusal("INVALID_REF", "entity", entity, "a reference such as device:<code>");
  }
  const action = readEnumParameter("action", given.action, AUDIT_ACTIONS);
  const interfaceName = readEnumParameter("interface", given.interface, AUDIT_INTERFACES);
  const since = readTimeParameter("since", given.since);
  const until = readTimeParameter("until", given.until);
  return {
    ...(entity !== undefined && { entity }),
    ...readActorFilter(given.actor),
    ...(requestId !== undefined && { requestId }),
    ...(action !== undefined && { action }),
    ...(interfaceName !== undefined && { interface: interfaceName }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    descending: readEnumParameter("order", given.order, ["ASC", "DESC"]) !== "ASC",
    limit: readHistoryPageSize(given.page_size),
  };
}

/** Reads an actor filter: a name, or an authentication method and a name. `jwt:alice` is not `token:alice`. */
function readActorFilter(text: string | undefined): Pick<HistoryQuery, "actor" | "authMethod"> {
  if (text === undefined) return {};
  const authMethod = AUTH_METHODS.find((method) => text.startsWith(`${method}:`));
  return authMethod === undefined ? { actor: text } : { actor: text.slice(authMethod.length + 1), authMethod };
}

function readEnumParameter<Word extends string>(
  name: string,
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  if (text === undefined) return undefined;
  const found = words.find((one) => one === text.toUpperCase());
  if (found === undefined)
    throw createParameterRefusal("FIELD_OUT_OF_RANGE", name, text, words.join(", ").toLowerCase());
  return found;
}

const TIME_PATTERN = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

function readTimeParameter(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = TIME_PATTERN.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw createParameterRefusal("FIELD_OUT_OF_RANGE", name, text, "a moment such as 2026-01-05T12:00:00Z");
  return new Date(time).toISOString();
}

function readHistoryPageSize(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PAGE_SIZE;
  if (!/^\d{1,9}$/.test(text))
    throw createParameterRefusal("FIELD_OUT_OF_RANGE", "page_size", text, `0 to ${MAX_PAGE_SIZE}`);
  return Number(text) === 0 ? DEFAULT_PAGE_SIZE : Math.min(Number(text), MAX_PAGE_SIZE);
}

function createParameterRefusal(
  reason: "UNKNOWN_FIELD" | "INVALID_REF" | "FIELD_OUT_OF_RANGE",
  name: string,
  value: string,
  expected: string,
): Refusal {
  return refuse(reason, `Cannot read ${name} "${value}"`, { field: name, value, expected });
}

/** Outcome of a change by its action in the change log. */
export const OUTCOME_BY_ACTION = { CREATE: "CREATED", UPDATE: "UPDATED", DELETE: "DELETED" } as const;

/** Converts one history page to JSON with the wire's snake_case names. */
export function convertPageToJson({ entries, nextPageToken, completeThrough, chain }: HistoryPage): JsonObject {
  return {
    entries: entries.map(convertEntryToJson),
    next_page_token: nextPageToken,
    complete_through: completeThrough,
    chain: { head_seq: chain.seq, head_hash: chain.hash },
  };
}

function convertEntryToJson({ seq, id, occurredAt, recordedAt, actor, request, ...rest }: ChangeRecord): JsonObject {
  return {
    seq,
    id,
    occurred_at: occurredAt,
    recorded_at: recordedAt,
    actor: {
      principal: actor.principal,
      roles: [...actor.roles],
      auth_method: actor.authMethod,
      on_behalf_of: actor.onBehalfOf ?? "",
    },
    request: {
      id: request.id,
      interface: request.interface,
      method: request.method,
      client_ip: request.clientIp ?? "",
      user_agent: request.userAgent ?? "",
      trace_id: request.traceId ?? "",
    },
    action: rest.action,
    entity: rest.entity,
    related: [...rest.related],
    before: (rest.before as JsonObject | undefined) ?? null,
    after: (rest.after as JsonObject | undefined) ?? null,
    changed_fields: [...rest.changedFields],
    message: rest.message ?? "",
    outcome: OUTCOME_BY_ACTION[rest.action],
    source: rest.source,
    commit: rest.commit ?? "",
    transaction_id: rest.transactionId,
    prev_hash: rest.prevHash,
    hash: rest.hash,
    sealed: true,
  };
}
