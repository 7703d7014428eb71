import type { SpecId } from "../spec/spec_id.ts";
import { joinLines } from "../spec/text_lines.ts";

/** Trailer that names a spec in commit messages whose template omits the id. */
const SPEC_TRAILER = "Planner-Spec";

/** Texts for `{summary}` in messages of planner's own commits. */
export const COMMIT_SUMMARIES = {
  ended: (id: SpecId, status: string) => `note that the run of ${id} ended as ${status}`,
  completed: (id: SpecId) => `note that ${id} is completed`,
  merged: (id: SpecId) => `merge the work of ${id}`,
  record: (id: SpecId, run: number) => `keep the record of run ${run} of ${id}`,
  others: "leave other specs as they are",
} as const;

export type CommitWriter = (summary: string) => string;

/** Builds messages without a template. */
export const PLAIN_COMMIT_WRITER: CommitWriter = (summary) => `planner: ${summary}`;

/**
 * Returns the writer of commit messages for one spec. Appends a summary that the template omits as a separate
 * paragraph, and an id that it omits as a trailer.
 *
 * @param template `git.commit_template`, or null
 */
export function createCommitWriter(
  template: string | null,
  { id, title }: { readonly id: SpecId; readonly title: string | null },
): CommitWriter {
  if (template === null) return PLAIN_COMMIT_WRITER;
  return (summary) => {
    const values: Readonly<Record<string, string>> = { id, title: joinLines(title ?? id), summary };
    const filled = template.trim().replace(/\{(id|title|summary)\}/g, (_, name: string) => values[name] ?? "");
    const filledMessage = template.includes("{summary}") ? filled : appendParagraph(filled, summary);
    return template.includes("{id}") ? filledMessage : appendTrailer(filledMessage, `${SPEC_TRAILER}: ${id}`);
  };
}

/**
 * Whether a commit belongs to the work on the spec: its message contains `planner(<id>)`, the trailer, or, if the
 * template has `{id}`, the id in any line. The trailer and the id do not count in planner's own commits.
 */
export function isSpecCommit(message: string, id: SpecId, template: string | null): boolean {
  if (message.includes(`planner(${id})`)) return true;
  if (isPlannerCommit(message, id)) return false;
  const words = message.split("\n").filter((line) => template?.includes("{id}") || line.startsWith(`${SPEC_TRAILER}:`));
  return words.some((line) => containsId(line, id));
}

/** Returns texts of which every message that names the spec contains at least one. */
export function listCommitSearchTexts(id: SpecId, template: string | null): readonly string[] {
  return template?.includes("{id}") ? [id] : [`planner(${id})`, `${SPEC_TRAILER}: ${id}`];
}

/** Whether a line contains exactly this id and not a longer one, such as a member's id. */
function containsId(line: string, id: SpecId): boolean {
  return line.split(id).some((before, index, pieces) => {
    const after = pieces[index + 1];
    return after !== undefined && !/[\w.-]$/.test(before) && !/^(?:[\w-]|\.\w)/.test(after);
  });
}

/** Whether planner itself made a commit about the spec, according to the commit message. */
export function isPlannerCommit(message: string, id: SpecId): boolean {
  const { ended, completed, merged, others } = COMMIT_SUMMARIES;
  const isRecord = message.includes("keep the record of run ") && message.includes(` of ${id}`);
  return isRecord || [ended(id, ""), completed(id), merged(id), others].some((summary) => message.includes(summary));
}

function appendParagraph(message: string, text: string): string {
  const [subject = "", ...rest] = message.split("\n");
  return [subject, "", text, ...(rest.length === 0 || rest[0] === "" ? rest : ["", ...rest])].join("\n");
}

/** Appends a trailer to the last paragraph, because git accepts trailers only there. */
function appendTrailer(message: string, trailer: string): string {
  const paragraphs = message.split(/\n\s*\n/);
  const last = paragraphs.length > 1 ? (paragraphs.at(-1) ?? "").split("\n") : [""];
  return `${message}${last.every((line) => /^[A-Za-z][A-Za-z0-9-]*: /.test(line)) ? "\n" : "\n\n"}${trailer}`;
}
