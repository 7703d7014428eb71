import { isEqualJson } from "#kernel/json_object.ts";
import { parseReadable } from "../spec/document.ts";
import { appendOutput, replaceBody } from "../spec/edit/edit_body.ts";
import { editFields, type FieldChanges, type FieldValue } from "../spec/edit/edit_fields.ts";
import { keepChecks } from "../spec/edit/keep_checks.ts";

/** Texts of one spec in the project and in a worktree. */
export interface SpecVersions {
  /** The project's text when the run began. */
  readonly before: string;
  /** The project's text now. */
  readonly here: string;
  /** The worktree's text at the run's end. */
  readonly there: string;
  /** Whether to keep the project's body even if only the worktree changed it. */
  readonly keepBody?: boolean;
}

/**
 * Merges a run's changes of a spec into the project's text. If the project's text did not change meanwhile, returns the
 * worktree's text. Otherwise copies each field that the run changed, and the body unless both sides changed it.
 *
 * @returns the text, and whether a changed body stays in the worktree only
 * @throws OperationError `failed_precondition` when one of the texts does not parse
 */
export function mergeRunIntoProject(versions: SpecVersions): { readonly text: string; readonly bodyLeft: boolean } {
  const merged = mergeSpecVersions(versions);
  // Keeps the project's checks, because a run must not change the checks that judge it and later runs.
  return { ...merged, text: keepChecks(merged.text, { own: versions.here, restores: false }) };
}

function mergeSpecVersions(versions: SpecVersions): ReturnType<typeof mergeRunIntoProject> {
  const { before, here, there, keepBody = false } = versions;
  if (!keepBody && (here === before || here === there)) return { text: there, bodyLeft: false };
  const [old, own, theirs] = [before, here, there].map((text) => parseReadable(text));
  if (old === undefined || own === undefined || theirs === undefined) return { text: here, bodyLeft: true };
  const text = editFields(here, findChangedFields(old.frontmatter, theirs.frontmatter));
  if (theirs.body === own.body || theirs.body === old.body) return { text, bodyLeft: false };
  if (keepBody || own.body !== old.body) return { text, bodyLeft: true };
  return { text: replaceBody(text, theirs.body.trimStart()), bodyLeft: false };
}

/** Appends the agent's last message as output, unless the body got an output during the run. */
export function appendAgentOutput(text: string, output: string, hasOutput: boolean): string {
  return hasOutput || output.trim() === "" ? text : appendOutput(text, output.trim());
}

type FrontmatterFields = Readonly<Record<string, unknown>>;

function findChangedFields(before: FrontmatterFields, after: FrontmatterFields): FieldChanges {
  const changes: Record<string, FieldValue | undefined> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (isEqualJson(before[key], after[key])) continue;
    const value = after[key];
    // Keeps the project's value of a field that no edit can write, such as a nested list.
    if (value === undefined || isFieldValue(value)) changes[key] = value;
  }
  return changes;
}

function isFieldValue(value: unknown): value is FieldValue {
  if (isScalar(value)) return true;
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).every((item) => isScalar(item) || (Array.isArray(item) && item.every(isScalar)));
}

function isScalar(value: unknown): boolean {
  return ["string", "boolean", "number"].includes(typeof value);
}
