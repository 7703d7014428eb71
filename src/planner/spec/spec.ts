import type { Priority } from "./planning.ts";
import type { SpecId } from "./spec_id.ts";

export interface Approval {
  readonly required: boolean;
  readonly status: string | null;
  readonly by: string | null;
  readonly at: string | null;
}

/**
 * One spec as read from its file. Absent lists are empty and absent texts are null.
 *
 * `status` is the stored value (absent reads as `pending`, `paused` as `in_progress`). It can be a value that is not in
 * the schema; lint reports that. `frontmatter` holds every key as written, known or not.
 */
export interface Spec {
  readonly id: SpecId;
  /** Path from the project root, with forward slashes. */
  readonly file: string;
  readonly archived: boolean;
  readonly title: string | null;
  readonly status: string;
  readonly type: string;
  readonly dependsOn: readonly string[];
  readonly labels: readonly string[];
  readonly targetFiles: readonly string[];
  readonly members: readonly string[];
  readonly model: string | null;
  readonly outputSchema: string | null;
  readonly approval: Approval | null;
  readonly priority: Priority | null;
  readonly assignee: string | null;
  /** A day, `YYYY-MM-DD`. */
  readonly due: string | null;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** The text behind the frontmatter, line endings as in the file. */
  readonly body: string;
  /** Line of the file that the body's first line is, from 1. */
  readonly bodyLine: number;
}

/** Where a file stops making sense. Lines and columns count from 1 in the whole file, columns in characters. */
export interface TextProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A spec file that is there but cannot be read or parsed; `line` and `column` are null where no place can be named. */
export interface UnreadableFile {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

/** Returns the strings of `origin`: the source of an import, `<source>:<id>`, or the subject of research. */
export function originsOf({ frontmatter }: Spec): readonly string[] {
  const value = frontmatter["origin"];
  return (Array.isArray(value) ? value : [value]).filter((text) => typeof text === "string");
}
