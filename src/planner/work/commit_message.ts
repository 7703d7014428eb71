import type { SpecId } from "../spec/spec_id.ts";
import { joinLines } from "../spec/text_lines.ts";

/** The trailer that names a spec where the template of commit messages does not. */
const TRAILER = "Planner-Spec";

/** What planner's own commits do, for `{summary}`. */
export const COMMIT_SUMMARIES = {
  ended: (id: SpecId, status: string) => `note that the run of ${id} ended as ${status}`,
  completed: (id: SpecId) => `note that ${id} is completed`,
  record: (id: SpecId, run: number) => `keep the record of run ${run} of ${id}`,
  others: "leave other specs as they are",
} as const;

export type CommitWriter = (summary: string) => string;

/** Writes messages as they are without a template. */
export const PLAIN_MESSAGE: CommitWriter = (summary) => `planner: ${summary}`;

/**
 * Returns the writer of commit messages for one spec. A summary that the template leaves out becomes a separate
 * paragraph; an id that it leaves out, a trailer.
 *
 * @param template `git.commit_template`, or null
 */
export function commitWriter(
  template: string | null,
  { id, title }: { readonly id: SpecId; readonly title: string | null },
): CommitWriter {
  if (template === null) return PLAIN_MESSAGE;
  return (summary) => {
    const values: Readonly<Record<string, string>> = { id, title: joinLines(title ?? id), summary };
    const filled = template.trim().replace(/\{(id|title|summary)\}/g, (_, name: string) => values[name] ?? "");
    const told = template.includes("{summary}") ? filled : withParagraph(filled, summary);
    return template.includes("{id}") ? told : withTrailer(told, `${TRAILER}: ${id}`);
  };
}

/**
 * Whether a commit is work on the spec: its message has `planner(<id>)`, the trailer, or the id where the template has
 * one. planner's own commits are none.
 */
export function namesSpec(message: string, id: SpecId, template: string | null): boolean {
  if (message.includes(`planner(${id})`)) return true;
  if (isOwnCommit(message, id)) return false;
  const words = message.split("\n").filter((line) => template?.includes("{id}") || line.startsWith(`${TRAILER}:`));
  return words.some((line) => holdsId(line, id));
}

/** Texts of which every message that names the spec has one. */
export function namingTexts(id: SpecId, template: string | null): readonly string[] {
  return template?.includes("{id}") ? [id] : [`planner(${id})`, `${TRAILER}: ${id}`];
}

/** Whether a line holds the id and not a longer one, a member's for example. */
function holdsId(line: string, id: SpecId): boolean {
  return line.split(id).some((before, index, pieces) => {
    const after = pieces[index + 1];
    return after !== undefined && !/[\w.-]$/.test(before) && !/^(?:[\w-]|\.\w)/.test(after);
  });
}

/** Whether planner itself made a commit about the spec, by its message. */
export function isOwnCommit(message: string, id: SpecId): boolean {
  const { ended, completed, others } = COMMIT_SUMMARIES;
  const isRecord = message.includes("keep the record of run ") && message.includes(` of ${id}`);
  return isRecord || [ended(id, ""), completed(id), others].some((summary) => message.includes(summary));
}

function withParagraph(message: string, text: string): string {
  const [subject = "", ...rest] = message.split("\n");
  return [subject, "", text, ...(rest.length === 0 || rest[0] === "" ? rest : ["", ...rest])].join("\n");
}

/** Git takes only the last paragraph for trailers. */
function withTrailer(message: string, trailer: string): string {
  const paragraphs = message.split(/\n\s*\n/);
  const last = paragraphs.length > 1 ? (paragraphs.at(-1) ?? "").split("\n") : [""];
  return `${message}${last.every((line) => /^[A-Za-z][A-Za-z0-9-]*: /.test(line)) ? "\n" : "\n\n"}${trailer}`;
}
