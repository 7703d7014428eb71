import { isEqualJson } from "#kernel/equal_json.ts";
import { parseReadable } from "../spec/document.ts";
import { appendOutput, replaceBody } from "../spec/edit/edit_body.ts";
import { editFields, type FieldChanges, type FieldValue } from "../spec/edit/edit_fields.ts";
import { keepChecks } from "../spec/edit/keep_checks.ts";

/** The texts of one spec that lives in two places. */
export interface TwoPlaces {
  /** The project's text when the run began. */
  readonly before: string;
  /** The project's text now. */
  readonly here: string;
  /** The worktree's text at the run's end. */
  readonly there: string;
  /** Whether the project's body stays, whatever the worktree's is. */
  readonly keepBody?: boolean;
}

/**
 * The project's text with what the run did to the spec. Where the project's text did not change meanwhile it is the
 * worktree's; else fields that the run changed are taken over one by one, and the body unless both changed it.
 *
 * @returns the text, and whether a changed body had to stay behind in the worktree
 * @throws OperationError `failed_precondition` when one of the texts does not parse
 */
export function bringBack(places: TwoPlaces): { readonly text: string; readonly bodyLeft: boolean } {
  const brought = joinTexts(places);
  // A run does not change by which checks it and the next ones are judged.
  return { ...brought, text: keepChecks(brought.text, { own: places.here, restores: false }) };
}

function joinTexts({ before, here, there, keepBody = false }: TwoPlaces): ReturnType<typeof bringBack> {
  if (!keepBody && (here === before || here === there)) return { text: there, bodyLeft: false };
  const [old, own, theirs] = [before, here, there].map((text) => parseReadable(text));
  if (old === undefined || own === undefined || theirs === undefined) return { text: here, bodyLeft: true };
  const text = editFields(here, changedFields(old.frontmatter, theirs.frontmatter));
  if (theirs.body === own.body || theirs.body === old.body) return { text, bodyLeft: false };
  if (keepBody || own.body !== old.body) return { text, bodyLeft: true };
  return { text: replaceBody(text, theirs.body.trimStart()), bodyLeft: false };
}

/** Adds the agent's last words unless the body got an output during the run. */
export function withOutput(text: string, output: string, hasOwn: boolean): string {
  return hasOwn || output.trim() === "" ? text : appendOutput(text, output.trim());
}

type Fields = Readonly<Record<string, unknown>>;

function changedFields(before: Fields, after: Fields): FieldChanges {
  const changes: Record<string, FieldValue | undefined> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (isEqualJson(before[key], after[key])) continue;
    const value = after[key];
    // What no edit can write, a nested list say, stays as it is here.
    if (value === undefined || isFieldValue(value)) changes[key] = value;
  }
  return changes;
}

function isFieldValue(value: unknown): value is FieldValue {
  if (["string", "boolean", "number"].includes(typeof value)) return true;
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).every((item) => isScalar(item) || (Array.isArray(item) && item.every(isScalar)));
}

function isScalar(value: unknown): boolean {
  return ["string", "boolean", "number"].includes(typeof value);
}
