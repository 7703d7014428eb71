import type { ChangeRecord } from "#dc/model/change_record.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { textWords } from "#web/console/lists/column_words.ts";
import { constantWord } from "#words/names.ts";
import { type Column, renderTable } from "../../output/table.ts";
import { outputWidth } from "../../output/terminal.ts";

const VALUE_CHARS = 40;

const TIMES = new Intl.DateTimeFormat("en", {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

const COLUMNS: readonly Column<ChangeRecord>[] = [
  { title: "TIME", text: ({ occurredAt }) => TIMES.format(new Date(occurredAt)).replace(",", "") },
  { title: "CHANGE", text: ({ action }) => constantWord(action).toLowerCase() },
  { title: "WHAT", text: ({ entity }) => entity, shrinks: true },
  { title: "WHO", text: ({ actor }) => actor.principal, shrinks: true },
  { title: "THROUGH", text: ({ request }) => constantWord(request.interface) },
];

/** Changes as a table in local time, each with its values before and after below it. */
export function historyTable(entries: readonly ChangeRecord[]): string {
  return renderTable(entries, COLUMNS, outputWidth(), changesText);
}

function changesText({ action, before, after, changedFields, message = "" }: ChangeRecord): string {
  const [old, now] = [before, after].map((side) => (isJsonObject(side) ? side : {}));
  const fields = action === "UPDATE" ? changedFields.filter((field) => field !== "etag") : [];
  const changes = fields.map(
    (field) => `${field.replaceAll("_", " ")}: ${valueText(old?.[field])} -> ${valueText(now?.[field])}`,
  );
  return [...(message === "" ? [] : [`"${message}"`]), ...changes].join("; ");
}

function valueText(value: unknown): string {
  if (value === undefined || value === null || value === "") return "none";
  const text = typeof value === "string" ? textWords(value) : JSON.stringify(value);
  return text.length <= VALUE_CHARS ? text : `${text.slice(0, VALUE_CHARS - 1)}…`;
}
