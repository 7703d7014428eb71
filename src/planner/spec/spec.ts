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
 * `status` is the stored value (an absent one reads as `pending`, `paused` as `in_progress`). It may be a value outside
 * the schema, which lint reports. `frontmatter` contains every key as written, known or not.
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
  /** Due day, `YYYY-MM-DD`. */
  readonly due: string | null;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** The text after the frontmatter, with the file's line endings. */
  readonly body: string;
  /** Line number in the file of the body's first line, from 1. */
  readonly bodyLine: number;
}

/** Location and message of an error. Lines and columns count from 1 in the whole file, columns in characters. */
export interface TextProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** An existing spec file that cannot be read or parsed; `line` and `column` are null if the error has no location. */
export interface UnreadableFile {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

/** Returns the strings of `origin`: the source of an import, `<source>:<id>`, or the subject of research. */
export function listOrigins({ frontmatter }: Spec): readonly string[] {
  const value = frontmatter["origin"];
  return (Array.isArray(value) ? value : [value]).filter((text) => typeof text === "string");
}
