import { formatCountWithNoun } from "#words/names.ts";
import type { DroppedCriterion } from "../../spec/criteria.ts";
import type { RunRecordFacts } from "../records/read_record.ts";
import type { ReviewedCriterion } from "../reviewed_criteria.ts";

/** Maximum length of an escaped text in characters. Chosen by planner: a criterion is a sentence. */
const MAX_TEXT_CHARS = 400;

/** Zero-width character that breaks mentions and addresses, so that forges do not link them. */
const ZERO_WIDTH_ENTITY = "&#8203;";

/**
 * Matches characters that structure Markdown and HTML, and texts that forges link: mentions, references (`#1`, `!1`,
 * `GH-1`, and at GitLab `&1`, `~label`, `$1`, `%1`, `^1`) and bare addresses.
 */
const FORGE_MARKUP = /:\/\/|\bwww\.|\b[A-Z]{2,10}-(?=\d)|[@#!%^&~$](?=[\p{L}\p{N}_"{])|[&<>|\\`*_[\]~$]/giu;

/** Characters to escape as entities in `<code>`, because forges would read them as Markdown. */
const CODE_MARKUP = /\bwww\.|[^\p{L}\p{N} ./,=-]/giu;

/** Line breaks, other control characters, and marks that reorder or hide text. */
const UNSAFE_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

/** Returns text for a line or a table cell that Markdown and forges show literally. */
export function escapeText(text: string): string {
  return collapseToOneLine(text).replace(FORGE_MARKUP, (found) => {
    if (found.length === 1)
      return /[&<>|\\`*_[\]~$]/.test(found) ? encodeEntity(found) + ZERO_WIDTH_ENTITY : found + ZERO_WIDTH_ENTITY;
    return `${found.slice(0, found.startsWith(":") ? 1 : -1)}${ZERO_WIDTH_ENTITY}${found.startsWith(":") ? "//" : found.slice(-1)}`;
  });
}

/** Returns text for a code span that Markdown and forges show literally. */
export function escapeCode(text: string): string {
  const plain = collapseToOneLine(text).replace(CODE_MARKUP, (found) =>
    found.length > 1 ? `${found.slice(0, -1)}${encodeEntity(".")}` : encodeEntity(found),
  );
  return `<code>${plain}</code>`;
}

function collapseToOneLine(text: string): string {
  const line = text.toWellFormed().replace(UNSAFE_CHARACTERS, " ").replace(/\s+/g, " ").trim();
  return line.length > MAX_TEXT_CHARS ? `${line.slice(0, MAX_TEXT_CHARS).toWellFormed()}…` : line;
}

function encodeEntity(character: string): string {
  return `&#${character.codePointAt(0)};`;
}

export interface RequestFacts {
  readonly spec_id: string;
  readonly title: string | null;
  readonly criteria: readonly ReviewedCriterion[];
  /** Criteria that a person dropped. */
  readonly dropped: readonly Pick<DroppedCriterion, "label" | "reason">[];
  readonly record: RunRecordFacts | null;
  /** Commits of the work, oldest first. */
  readonly commits: readonly { readonly hash: string; readonly subject: string }[];
  readonly files: number;
}

/** Maximum length of a request's body in characters. GitHub accepts 65,536. */
const MAX_BODY_CHARS = 60_000;

const MAX_LISTED_LINES = 200;

const BEGIN_MARK = "<!-- planner: begin. Text outside of these marks stays as you write it. -->";
const END_MARK = "<!-- planner: end -->";

/** Maximum length of a request's title in characters. GitHub and GitLab accept 255. */
const MAX_REQUEST_TITLE_CHARS = 200;

/** Returns the title of a request as plain text in one line. */
export function buildRequestTitle({ spec_id, title }: Pick<RequestFacts, "spec_id" | "title">): string {
  const line = (title ?? spec_id)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  const words = line === "" ? spec_id : line;
  return words.length > MAX_REQUEST_TITLE_CHARS ? `${words.slice(0, MAX_REQUEST_TITLE_CHARS).toWellFormed()}…` : words;
}

/** Returns the section of a request's body that planner writes, enclosed in two marks. */
export function buildRequestBody(facts: RequestFacts): string {
  const { spec_id, criteria, dropped, record, commits, files } = facts;
  const head = [
    BEGIN_MARK,
    `Spec ${escapeCode(spec_id)}, ${formatCountWithNoun(commits.length, "commit")}, ${formatCountWithNoun(files, "file")}`,
    "",
  ];
  const end = ["", ...formatRecordRows(record), END_MARK];
  const room = MAX_BODY_CHARS - countCharacters(head) - countCharacters(end);
  const droppedRows = dropped.map(
    ({ label, reason }) => `| ➖ | ${escapeText(label)} | none | dropped: ${escapeText(reason)} |`,
  );
  const table = takeFittingLines([...criteria.map(formatCriterionRow), ...droppedRows], room / 3);
  const failed = takeFittingLines(criteria.flatMap(formatLastLines), room / 3);
  const rows = commits.map(({ hash, subject }) => `- ${escapeCode(hash.slice(0, 10))} ${escapeText(subject)}`);
  const list = takeFittingLines(rows, room / 3);
  return [
    ...head,
    ...(criteria.length + dropped.length === 0 ? ["The spec has no criteria."] : [...TABLE_HEAD, ...table.lines]),
    ...(table.left === 0 ? [] : ["", `and ${table.left} more`]),
    ...(failed.lines.length === 0 ? [] : ["", "**Last lines of failed checks**", "", ...failed.lines]),
    ...(failed.left === 0 ? [] : [`- and ${failed.left} more`]),
    "",
    "**Commits**",
    "",
    ...list.lines,
    ...(list.left === 0 ? [] : [`- and ${list.left} more`]),
    ...end,
  ].join("\n");
}

const TABLE_HEAD = ["| | Criterion | Check | Result |", "| --- | --- | --- | --- |"];

const SIGNS: Readonly<Record<string, string>> = { proven: "✅", claimed: "☑️", disproven: "❌" };

function formatCriterionRow({ label, verify, mark, explanation, result }: ReviewedCriterion): string {
  const commit = result?.commit?.slice(0, 10) ?? "";
  const why = escapeText(explanation ?? "open").replace(
    ` on ${commit}`,
    commit === "" ? "$&" : ` on ${escapeCode(commit)}`,
  );
  const check = verify === null ? "none" : escapeCode(verify);
  return `| ${SIGNS[mark ?? ""] ?? "⬜"} | ${escapeText(label)} | ${check} | ${why} |`;
}

/** Formats the end of a failed check's output as one item of a list. */
function formatLastLines({ verify, result }: ReviewedCriterion): readonly string[] {
  if (verify === null || result === null || result.last_lines.length === 0) return [];
  return [`- ${escapeCode(verify)}<br>${result.last_lines.map(escapeCode).join("<br>")}`];
}

function formatRecordRows(record: RunRecordFacts | null): readonly string[] {
  if (record === null) return ["Worked without a recorded run."];
  const { run, agent, model, status, ended_at, unproven, warnings, beside } = record;
  const by = agent === null || agent === "none" ? "by hand" : `by ${escapeText(agent)}`;
  const which = model === null ? "" : ` (${escapeText(model)})`;
  return [
    `Run ${run} ${by}${which}: ${escapeText(status ?? "unknown")}${ended_at === null ? "" : `, ${escapeText(ended_at)}`}`,
    ...(unproven === null ? [] : [`- Completed without proof: ${escapeText(unproven)}`]),
    ...warnings.slice(0, MAX_WARNINGS).map((warning) => `- ${escapeText(warning)}`),
    ...(beside.length === 0
      ? []
      : [`- Its checks ran beside ${formatCountWithNoun(beside.length, "file")} that no commit holds`]),
    "",
  ];
}

/** Maximum number of a run's warnings in the body. */
const MAX_WARNINGS = 10;

function takeFittingLines(
  lines: readonly string[],
  room: number,
): { readonly lines: readonly string[]; readonly left: number } {
  let used = 0;
  const fit = lines.slice(0, MAX_LISTED_LINES).filter((line) => {
    used += line.length + 1;
    return used <= room;
  });
  return { lines: fit, left: lines.length - fit.length };
}

function countCharacters(lines: readonly string[]): number {
  return lines.join("\n").length;
}

/** Replaces planner's section in a request's body. Appends the section if its marks are missing. */
export function replacePlannerSection(text: string, body: string): string {
  const [from, to] = [text.indexOf(BEGIN_MARK), text.indexOf(END_MARK)];
  if (from >= 0 && to > from) return text.slice(0, from) + body + text.slice(to + END_MARK.length);
  return text.trim() === "" ? body : `${text.trimEnd()}\n\n${body}`;
}
