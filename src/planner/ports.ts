import type { OperationError } from "#kernel/errors.ts";
import type { FieldChanges } from "./spec/edit/edit_fields.ts";
import type { Spec, UnreadableFile } from "./spec/spec.ts";
import type { SpecId } from "./spec/spec_id.ts";

/** Every spec of one folder, sorted by id, and the files that could not be read. */
export interface SpecSet {
  readonly specs: readonly Spec[];
  readonly unreadable: readonly UnreadableFile[];
}

/**
 * The spec files of one project. A read reflects every write of any process that was finished before it began.
 *
 * Refusals are `OperationError`: `not_found` for an id without a file, `failed_precondition` with line and column for
 * a file that does not parse, `aborted` when a write lost against another writer.
 */
export interface SpecStore {
  /** Ids of the files in `specs/`, sorted; reads no file. */
  ids(): Promise<readonly SpecId[]>;
  /** Ids of the files in `archive/`; reads no file. */
  archivedIds(): Promise<ReadonlySet<SpecId>>;
  /** Every active spec. The same object as before when nothing changed, so that what is derived from it can be kept. */
  active(): Promise<SpecSet>;
  archived(): Promise<SpecSet>;
  /** Folders in `specs/` and files that end with `.MD` or the like: nothing reads them. */
  strays(): Promise<readonly StrayEntry[]>;
  /** One spec, active or archived, by its full id. */
  load(id: SpecId): Promise<Spec>;
  /** The text of one file, active or archived, whether it parses or not. */
  readText(id: SpecId): Promise<{ readonly file: string; readonly text: string }>;
  /** When the file of a spec, active or archived, was last changed. */
  modified(id: SpecId): Promise<Date>;
  /**
   * Replaces an active spec's text by `change(text)`, atomically and without losing another writer's change: `change`
   * may be called again with newer text. Returns false, touching nothing, when the text stays the same.
   */
  edit(id: SpecId, change: (text: string) => string): Promise<boolean>;
  /**
   * The same for some dozens of specs, far cheaper than one by one: each for itself, so that one that refuses holds up no
   * other. Other writers wait meanwhile.
   */
  editEach(
    ids: Iterable<SpecId>,
    change: (text: string, id: SpecId) => string,
  ): Promise<ReadonlyMap<SpecId, EditOutcome>>;
  /** Creates a spec under the next free id of `day` (`YYYY-MM-DD`); no two processes get the same id. */
  create(day: string, build: (id: SpecId) => string): Promise<SpecId>;
  /**
   * Creates some dozens of specs under ids of the caller's choice, far cheaper than one by one: each for itself, whole or
   * not at all. The outcome is false for an id that is taken. Other writers wait meanwhile.
   */
  createEach(specs: readonly NewSpecText[]): Promise<ReadonlyMap<SpecId, EditOutcome>>;
  /**
   * Creates the members of an active spec and changes the spec's own fields, or changes nothing if that fails. After a
   * kill, the next process that reads or writes specs completes the operation.
   *
   * @throws OperationError `already_exists` when there is a spec of a member's id, active or archived
   */
  createMembers(parent: SpecId, split: NewMembers): Promise<void>;
  /**
   * Moves an active spec to the archive; returns its new path from the root. Refuses when the archive holds that id.
   *
   * @param admit sees the spec as it is about to move and may throw a refusal; no other writer comes in between
   */
  moveToArchive(id: SpecId, admit?: (spec: Spec) => void): Promise<string>;
}

/** An entry of the specs folder that is not read as a spec. */
export interface StrayEntry {
  /** Path from the project root, with forward slashes. */
  readonly file: string;
  readonly kind: "folder" | "upper_case_ending";
}

/** Whether the text became another one, or why it could not. */
export type EditOutcome = boolean | OperationError;

export interface NewSpecText {
  readonly id: SpecId;
  readonly archived: boolean;
  readonly text: string;
}

export interface NewMembers {
  readonly members: readonly { readonly id: SpecId; readonly text: string }[];
  /** What is set in the parent. */
  readonly fields: FieldChanges;
}

/** A growing log file. Offsets and sizes are bytes. */
export interface LogFile {
  /** Path from the project root. */
  readonly file: string;
  readonly size: number;
  readonly modified: Date;
  read(offset: number, length: number): Promise<Uint8Array>;
}

export interface LogStore {
  /** The log of a spec, or null when it has none. */
  open(id: SpecId): Promise<LogFile | null>;
}

/** A work process as stored. Source: docs/contract/spec-tool.md#work-process-record. */
export type ProcessRecord = {
  readonly process_id: string;
  readonly spec_id: string;
  readonly pid: number;
  readonly started_at: string;
  readonly mode: string;
} & (
  | { readonly status: "running"; readonly completed_at: null }
  /** `error` says why it failed, where that is known: also why its work was refused before it began. */
  | { readonly status: "completed" | "failed"; readonly completed_at: string; readonly error?: string }
);

/** Who works on a spec just now. */
export interface LockHolder {
  readonly pid: number;
  readonly alive: boolean;
  readonly file: string;
}

/** Source: docs/contract/spec-tool.md#worktree-status. */
export interface WorktreeStatus {
  readonly spec_id: string;
  readonly path: string;
  readonly status: "working" | "done" | "failed" | "unknown";
  readonly updated_at: string | null;
  readonly error: string | null;
  readonly commits: readonly string[];
}

/** What running work leaves under `.planner/`. */
export interface WorkStore {
  /** Every record, oldest first; one whose process is gone is read as failed. */
  processes(): Promise<readonly ProcessRecord[]>;
  /** Files among the records that cannot be read as one. */
  brokenRecords(): Promise<readonly UnreadableFile[]>;
  lockHolder(id: SpecId): Promise<LockHolder | null>;
  worktrees(): Promise<readonly WorktreeStatus[]>;
  /** Differs from an earlier one if a record or a worktree was written meanwhile; cheap, as it reads no file. */
  mark(): Promise<string>;
  /** The pid of the watch process that runs on this machine, or null. */
  watchPid(): Promise<number | null>;
}

export interface TemplateStore {
  /** The templates' names without `.md`, sorted; empty when there is no such folder. */
  names(): Promise<readonly string[]>;
  /** A template's text, or null without one of that name; throws OperationError `failed_precondition` if unreadable. */
  text(name: string): Promise<string | null>;
}

/** What prompts are written from: the templates `.planner/prompts/<name>.md`, and the project's own files. */
export interface PromptStore extends TemplateStore {
  /** The beginning of a file, at most `maxBytes` long. Nothing outside the project is read, whatever a path or a link says. */
  projectFile(path: string, maxBytes: number): Promise<ProjectFileText>;
}

/** `whole` is false where only the beginning was read; `why` says what a path leads to instead of a text. */
export type ProjectFileText =
  | { readonly kind: "text"; readonly text: string; readonly whole: boolean }
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "outside" };

/** Ends processes of this machine by their id. */
export interface ProcessControl {
  /** Asks a process to end (SIGTERM, on Windows taskkill); false when it is gone or may not be signalled. */
  terminate(pid: number): Promise<boolean>;
}

/** The project's git repository; every answer is empty without one. */
export interface GitHistory {
  /** Abbreviated hashes of commits that are work on the spec by their message, newest first. */
  commitsNaming(
    id: SpecId,
    /** `branch` beside HEAD; `template` of commit messages. */
    how?: { readonly branch?: string | null; readonly template?: string | null },
  ): Promise<readonly string[]>;
  /** The last commit that added or removed one of the texts in a file, as `<hash> <author>, <day>: <subject>`. */
  lastWriting(file: string, texts: readonly string[]): Promise<string | null>;
}

/** What comparing an output with its schema found. `invalid_schema` means the schema file itself is unusable. */
export type OutputVerdict =
  | { readonly kind: "passed" }
  | { readonly kind: "failed"; readonly problems: readonly string[] }
  | { readonly kind: "no_json" }
  | { readonly kind: "invalid_schema"; readonly problems: readonly string[] };

export interface OutputValidator {
  /**
   * Extracts JSON from `output` and checks it against the schema file.
   *
   * @param schemaPath as written in the spec: from the project root, or a bare name under `.planner/schemas/`
   */
  validate(schemaPath: string, output: string): Promise<OutputVerdict>;
  /**
   * The part of an agent's prompt that says which output is expected.
   *
   * @throws OperationError `failed_precondition` that names the problem of the schema file
   */
  promptSection(schemaPath: string): Promise<string>;
  /** SHA-256 of the schema and all that it refers to; null if it cannot be used. */
  fingerprint(schemaPath: string): Promise<string | null>;
}
