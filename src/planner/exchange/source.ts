import type { FieldValue } from "../spec/edit/edit_fields.ts";
import type { Priority, StoredStatus } from "../spec/spec.ts";

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

/** Location of a task or note in a source. Lines count from 1; null if no line applies. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number | null;
}

/** A task of another tool, with planner's fields. */
export interface SourceTask extends SourceLocation {
  /** The task's id at its source, unique there. */
  readonly key: string;
  /** Further names by which dependencies in the source may refer to the task. */
  readonly aliases?: readonly string[];
  /** The title, on one line. */
  readonly title: string;
  /** Markdown text below the title, without the title. */
  readonly body: string;
  readonly status: StoredStatus;
  /** The source's status word, if it is more precise than `status`. */
  readonly originStatus?: string | undefined;
  readonly type?: string | undefined;
  readonly priority?: Priority | undefined;
  readonly assignees?: readonly string[];
  /** Due day, `YYYY-MM-DD`. */
  readonly due?: string | undefined;
  /** Day of creation, `YYYY-MM-DD`; it becomes the date in the spec's id. */
  readonly created?: string | undefined;
  /** Time of completion, ISO 8601. */
  readonly completedAt?: string | undefined;
  readonly labels?: readonly string[];
  /** Keys or aliases of other tasks. */
  readonly dependsOn?: readonly string[];
  /** Key of the task that this one is part of. */
  readonly parent?: string | undefined;
  /** True if each part of the parent waits for the one before it; otherwise only `dependsOn` counts. */
  readonly isOrdered?: boolean;
  readonly targetFiles?: readonly string[];
  readonly archived?: boolean;
  /** True if the task needs approval before work may begin. */
  readonly isDraft?: boolean;
  /** Additional fields for the frontmatter. */
  readonly fields?: Readonly<Record<string, FieldValue>>;
  /** Id that the spec gets if no other spec has it. */
  readonly specId?: string;
}

export type FieldText = string | readonly string[];

/** A part of a source that is lost or changed by the import. */
export interface SourceNote extends SourceLocation {
  /** Kind of loss, with the same wording each time, because reports count notes by it. */
  readonly reason: string;
  readonly detail: string;
  /** Set if the task is not imported at all. */
  readonly refused?: true;
}

/** Returns the note about content that cannot be parsed and is not imported. */
export function refuseUnparsed({ file, line }: SourceLocation, detail: string): SourceNote {
  return { file, line, reason: "cannot be parsed", detail, refused: true };
}

export interface SourceReading {
  readonly tasks: readonly SourceTask[];
  readonly notes: readonly SourceNote[];
}

/** A format of tasks: how to detect and read a source of one tool. Pure: the caller supplies the files. */
export interface SourceFormat {
  readonly kind: SourceKind;
  /** Name of the tool as its makers write it. */
  readonly name: string;
  /** Folders of a project that may hold the source's files; the first that exists is read. */
  readonly folders: readonly string[];
  /** Files that are read, for documents. */
  readonly readFrom: string;
  /** Parts of the source that are not imported, for documents. */
  readonly leavesOut: string;
  /** Result in a spec by part of the source, for documents. */
  readonly becomes: Readonly<Record<string, string>>;
  readonly note?: string;
  /** Returns whether the paths in a folder are a source of this format. */
  matchesPaths(paths: readonly string[]): boolean;
  /** Returns whether a single file is a source of this format, judged by its name and the beginning of its text. */
  matchesFile?(name: string, head: string): boolean;
  /** Returns whether the file at this path, relative to the source's folder, is read. */
  readsPath(path: string): boolean;
  /** @param now current time, because some sources defer tasks until a time */
  readTasks(files: readonly SourceFile[], now: Date): SourceReading;
}
