import type { FieldValue } from "../spec/edit/edit_fields.ts";
import type { Priority } from "../spec/planning.ts";
import type { StoredStatus } from "../spec/status.ts";

/** The tools whose tasks `planner import` reads. */
export const SOURCE_KINDS = [
  "backlog",
  "openspec",
  "spec-kit",
  "kiro",
  "beads",
  "task-master",
  "chant",
  "github",
] as const;

export type SourceKind = (typeof SOURCE_KINDS)[number];

/** A file of a source. `path` is relative to the source's folder, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Where something was read. Lines count from 1; null if no line can be named. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number | null;
}

/** A task of another tool in planner's terms. */
export interface SourceTask extends SourcePlace {
  /** The task's id at its source, unique there. */
  readonly key: string;
  /** Further names by which the source's dependencies may refer to it. */
  readonly aliases?: readonly string[];
  /** One line. */
  readonly title: string;
  /** Markdown below the title, without the title itself. */
  readonly body: string;
  readonly status: StoredStatus;
  /** The source's own word, if `status` says less than it. */
  readonly originStatus?: string | undefined;
  readonly type?: string | undefined;
  readonly priority?: Priority | undefined;
  readonly assignees?: readonly string[];
  /** `YYYY-MM-DD` */
  readonly due?: string | undefined;
  /** Day of creation, `YYYY-MM-DD`; it becomes the day of the spec's id. */
  readonly created?: string | undefined;
  /** ISO 8601 */
  readonly completedAt?: string | undefined;
  readonly labels?: readonly string[];
  /** Keys or aliases of other tasks. */
  readonly dependsOn?: readonly string[];
  /** Key of the task that this one is a part of. */
  readonly parent?: string | undefined;
  /** Whether the order of the parent's parts says what comes first; otherwise `dependsOn` alone does. */
  readonly isOrdered?: boolean;
  readonly targetFiles?: readonly string[];
  readonly archived?: boolean;
  /** Waits for approval before it may be begun. */
  readonly isDraft?: boolean;
  /** Further fields for the frontmatter. */
  readonly fields?: Readonly<Record<string, FieldValue>>;
  /** The id that the spec keeps if it is free. */
  readonly specId?: string;
}

export type FieldText = string | readonly string[];

/** Something of a source that a spec does not hold. */
export interface SourceNote extends SourcePlace {
  /** The same words for the same kind of loss: reports count by it. */
  readonly reason: string;
  readonly detail: string;
  /** The task is not imported at all. */
  readonly refused?: true;
}

export interface SourceReading {
  readonly tasks: readonly SourceTask[];
  readonly notes: readonly SourceNote[];
}

/** How the tasks of one tool are found and read. Pure: the files are given. */
export interface SourceFormat {
  readonly kind: SourceKind;
  /** Name of the tool as people write it. */
  readonly name: string;
  /** Folders below a project in which the source's files are; the first that exists counts. */
  readonly folders: readonly string[];
  /** Whether these paths below a folder are a source of this kind. */
  matches(paths: readonly string[]): boolean;
  /** Whether a single file is a source of this kind, by its name and its beginning. */
  matchesFile?(name: string, head: string): boolean;
  /** Whether the file at this path, relative to the source's folder, is read. */
  reads(path: string): boolean;
  /** @param now some sources hold tasks back until a moment */
  read(files: readonly SourceFile[], now: Date): SourceReading;
}
