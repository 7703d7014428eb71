import { appendToSection } from "./edit/edit_body.ts";
import { sectionsOf } from "./sections.ts";

/** What a person said about the work when sending it back. */
export interface Review {
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Without the marks of a quotation; lines end in line feeds. */
  readonly text: string;
}

const SECTION = "Review";
const ENTRY = /^\*\*Sent back\*\*, (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)[ \t]*$/;
const QUOTED = /^>[ \t]?(.*)$/;

/**
 * Adds an entry at the end of `## Review`; all other text of the file stays as it is, byte for byte. The text is quoted,
 * so that none of its lines is taken for a heading, a criterion or a code fence of the spec.
 *
 * @throws OperationError as `appendToSection`
 */
export function appendReview(text: string, { at, text: words }: Review): string {
  const lines = words.split(/\r\n|\r|\n/).map((line) => `> ${line}`.trimEnd());
  return appendToSection(text, SECTION, [`**Sent back**, ${at}`, "", ...lines].join("\n"));
}

/** The entries of every `Review` section of a body, as `appendReview` writes them, in order; other text there, and repetitions, are skipped. */
export function reviewsOf(body: string): readonly Review[] {
  const found: { readonly at: string; readonly lines: string[] }[] = [];
  for (const { heading, end } of sectionsOf(body, SECTION)) {
    let open: string[] | null = null;
    for (const line of body.slice(heading.next, end).split(/\r\n|\r|\n/)) {
      const [, at] = ENTRY.exec(line) ?? [];
      const [, quoted] = QUOTED.exec(line) ?? [];
      if (at !== undefined) {
        open = [];
        found.push({ at, lines: open });
      } else if (quoted !== undefined) open?.push(quoted);
      else if (line.trim() !== "") open = null;
    }
  }
  // An agent's output may repeat its prompt.
  const first = found.filter(({ at }, index) => found.findIndex((one) => one.at === at) === index);
  return first.map(({ at, lines }) => ({ at, text: lines.join("\n") }));
}

/**
 * Whether the newest entry is younger than the spec's last run: the next run is the answer to it.
 *
 * @param lastRun when the last run began, ISO 8601; null without a run
 */
export function isSentBack(body: string, lastRun: string | null): boolean {
  const last = reviewsOf(body).at(-1);
  return last !== undefined && lastRun !== null && Date.parse(last.at) > Date.parse(lastRun);
}
