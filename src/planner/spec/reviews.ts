import { appendSectionEntry } from "./edit/edit_body.ts";
import { findSections } from "./sections.ts";

/** A person's comment on work that was sent back. */
export interface Review {
  /** Time of the review, ISO 8601 UTC. */
  readonly at: string;
  /** Text without the `>` of Markdown quotations; line breaks are LF. */
  readonly text: string;
}

const REVIEW_SECTION = "Review";
const REVIEW_ENTRY_PATTERN = /^\*\*Sent back\*\*, (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)[ \t]*$/;
const QUOTED_LINE_PATTERN = /^>[ \t]?(.*)$/;

/**
 * Appends an entry to `## Review`; all other text of the file stays unchanged, byte for byte. The text is quoted, so
 * that none of its lines counts as a heading, a criterion or a code fence of the spec.
 * @throws OperationError as `appendSectionEntry`
 */
export function appendReview(text: string, { at, text: words }: Review): string {
  const lines = words.split(/\r\n|\r|\n/).map((line) => `> ${line}`.trimEnd());
  return appendSectionEntry(text, REVIEW_SECTION, [`**Sent back**, ${at}`, "", ...lines].join("\n"));
}

/** Parses the entries of `appendReview` in every `Review` section, in order. Skips other text and repeated entries. */
export function parseReviews(body: string): readonly Review[] {
  const found: { readonly at: string; readonly lines: string[] }[] = [];
  for (const { heading, end } of findSections(body, REVIEW_SECTION)) {
    let open: string[] | null = null;
    for (const line of body.slice(heading.next, end).split(/\r\n|\r|\n/)) {
      const [, at] = REVIEW_ENTRY_PATTERN.exec(line) ?? [];
      const [, quoted] = QUOTED_LINE_PATTERN.exec(line) ?? [];
      if (at !== undefined) {
        open = [];
        found.push({ at, lines: open });
      } else if (quoted !== undefined) open?.push(quoted);
      else if (line.trim() !== "") open = null;
    }
  }
  // An agent's output may repeat its prompt, which contains the entries.
  const first = found.filter(({ at }, index) => found.findIndex((one) => one.at === at) === index);
  return first.map(({ at, lines }) => ({ at, text: lines.join("\n") }));
}

/**
 * Returns whether the newest entry was written after the spec's last run began, so that the next run must respond to
 * it.
 * @param lastRun start of the last run, ISO 8601; null without a run
 */
export function isWorkSentBack(body: string, lastRun: string | null): boolean {
  const last = parseReviews(body).at(-1);
  return last !== undefined && lastRun !== null && Date.parse(last.at) > Date.parse(lastRun);
}
