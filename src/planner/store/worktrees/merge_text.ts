import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { parseDocument } from "../../spec/document.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import { formatGitError, Git } from "../git/git.ts";

/** Two versions of one text and their common origin. */
export interface TextVersions {
  readonly ours: string;
  readonly base: string;
  readonly theirs: string;
}

/**
 * Merges the changes of both sides by lines.
 *
 * @param favour side that wins if both changed the same lines; without it, the text contains conflict markers there and
 *   `clean` is false
 */
export async function mergeText(
  { ours, base, theirs }: TextVersions,
  favour?: "ours" | "theirs",
): Promise<{ readonly text: string; readonly clean: boolean }> {
  if (ours === theirs || base === theirs) return { text: ours, clean: true };
  if (base === ours) return { text: theirs, clean: true };
  const folder = await mkdtemp(join(tmpdir(), "planner-merge-"));
  try {
    await writeFile(join(folder, "ours"), ours);
    await writeFile(join(folder, "base"), base);
    await writeFile(join(folder, "theirs"), theirs);
    const side = favour === undefined ? [] : [`--${favour}`];
    const merge = ["merge-file", "--quiet", "-p", ...side, "ours", "base", "theirs"];
    const { status, stdout, stderr } = await new Git(folder).try(merge);
    // Up to 127, the status is the number of conflicts.
    if (status === null || status > 127) {
      throw new OperationError("failed_precondition", `git merge-file failed: ${formatGitError(stderr)}`);
    }
    return { text: stdout.toString(), clean: status === 0 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Merges a spec by lines, with the worktree's status: the project's only records that work is in progress. */
export function mergeSpecText(
  { ours, base, theirs }: TextVersions,
  favour?: "ours" | "theirs",
): Promise<{ readonly text: string; readonly clean: boolean }> {
  const status = parseSpecStatus(theirs);
  const [left, middle] = [ours, base].map((text) => replaceSpecStatus(text, status)) as [string, string];
  return mergeText({ ours: left, base: middle, theirs }, favour);
}

function parseSpecStatus(text: string): string | undefined {
  const document = parseDocument(text);
  const status = document.ok ? document.frontmatter["status"] : undefined;
  return typeof status === "string" ? status : undefined;
}

function replaceSpecStatus(text: string, status: string | undefined): string {
  if (status === undefined) return text;
  try {
    return editFields(text, { status });
  } catch (error) {
    // A text that does not parse is merged without changes.
    if (error instanceof OperationError) return text;
    throw error;
  }
}
