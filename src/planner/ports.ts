import type { OperationError } from "#kernel/errors.ts";
import type { FieldChanges } from "./spec/edit/edit_fields.ts";
import type { Spec, UnreadableFile } from "./spec/spec.ts";
import type { SpecId } from "./spec/spec_id.ts";
import type { FailedCheck } from "./work/provenance.ts";

/** Every spec of one folder, sorted by id, and the files that could not be read. */
export interface SpecSet {
  readonly specs: readonly Spec[];
  readonly unreadable: readonly UnreadableFile[];
}

/**
 * The spec files of one project. A read reflects every write of any process that was finished before it began.
 *
 * Errors are `OperationError`: `not_found` for an id without a file, `failed_precondition` with line and column for
 * a file that does not parse, `aborted` when a write lost against another writer.
 */
export interface SpecStore {
  /** Ids of the files in `specs/`, sorted; reads no file. */
  listIds(): Promise<readonly SpecId[]>;
  /** Ids of the files in `archive/`; reads no file. */
  listArchivedIds(): Promise<ReadonlySet<SpecId>>;
  /** Returns every active spec; the same object as before when nothing changed, so that derived data can be kept. */
  readActive(): Promise<SpecSet>;
  readArchived(): Promise<SpecSet>;
  /** Lists entries that are not read as specs: folders in `specs/`, and files that end with `.MD` or similar. */
  listStrays(): Promise<readonly StrayEntry[]>;
  /** One spec, active or archived, by its full id. */
  load(id: SpecId): Promise<Spec>;
  /** The text of one file, active or archived, whether it parses or not. */
  readText(id: SpecId): Promise<{ readonly file: string; readonly text: string }>;
  /** Returns the time at which the file of a spec, active or archived, last changed. */
  readModifiedTime(id: SpecId): Promise<Date>;
  /**
   * Replaces an active spec's text by `change(text)`, atomically and without losing another writer's change: `change`
   * may be called again with newer text. Returns false and changes nothing when the text stays the same.
   */
  edit(id: SpecId, change: (text: string) => string): Promise<boolean>;
  /**
   * Edits some dozens of specs as `edit` does, much faster than one by one. An error concerns only its spec. Other
   * writers wait meanwhile.
   */
  editSpecs(
    ids: Iterable<SpecId>,
    change: (text: string, id: SpecId) => string,
  ): Promise<ReadonlyMap<SpecId, EditOutcome>>;
  /** Creates a spec under the next free id of `day` (`YYYY-MM-DD`); no two processes get the same id. */
  create(day: string, build: (id: SpecId) => string): Promise<SpecId>;
  /**
   * Creates some dozens of specs under ids of the caller's choice, much faster than one by one. Each spec is created
   * completely or not at all. Its outcome is false if the id is taken. Other writers wait meanwhile.
   */
  createSpecs(specs: readonly NewSpecText[]): Promise<ReadonlyMap<SpecId, EditOutcome>>;
  /**
   * Creates the members of an active spec and changes the spec's own fields, or changes nothing if that fails. After a
   * kill, the next process that reads or writes specs completes the operation.
   *
   * @throws OperationError `already_exists` when there is a spec of a member's id, active or archived
   */
  createMembers(parent: SpecId, split: NewMembers): Promise<void>;
  /**
   * Moves an active spec to the archive; returns its new path from the root. Throws if the archive contains that id.
   *
   * @param admit receives the spec before the move and may throw; no other process writes between both
   */
  moveToArchive(id: SpecId, admit?: (spec: Spec) => void): Promise<string>;
}

/** An entry of the specs folder that is not read as a spec. */
export interface StrayEntry {
  /** Path from the project root, with forward slashes. */
  readonly file: string;
  readonly kind: "folder" | "upper_case_ending";
}

/** Whether the text has changed, or the error that prevented the change. */
export type EditOutcome = boolean | OperationError;

export interface NewSpecText {
  readonly id: SpecId;
  readonly archived: boolean;
  readonly text: string;
}

export interface NewMembers {
  readonly members: readonly { readonly id: SpecId; readonly text: string }[];
  /** Fields to set in the parent. */
  readonly fields: FieldChanges;
}

/** A growing log file. Offsets and sizes are bytes. */
export interface LogFile {
  /** Path from the project root. */
  readonly file: string;
  readonly size: number;
  readonly modified: Date;
  readBytes(offset: number, length: number): Promise<Uint8Array>;
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
  /** `error` is the reason why the process failed or its work was rejected; absent if the reason is unknown. */
  | { readonly status: "completed" | "failed"; readonly completed_at: string; readonly error?: string }
);

/** Process that works on a spec now. */
export interface LockHolder {
  readonly pid: number;
  readonly alive: boolean;
  readonly file: string;
}

/** A worktree with the status that its run has stored. Source: docs/contract/spec-tool.md#worktree-status. */
export interface WorktreeStatus {
  readonly spec_id: string;
  readonly path: string;
  readonly status: "working" | "done" | "failed" | "unknown";
  readonly updated_at: string | null;
  readonly error: string | null;
  readonly commits: readonly string[];
  /** Checks that failed at the last merge; absent if none did. */
  readonly failed_checks?: readonly FailedCheck[];
}

/** Records and states that running work leaves under `.planner/`. */
export interface WorkStore {
  /** Returns every record, oldest first; a record whose process has ended is read as failed. */
  readProcesses(): Promise<readonly ProcessRecord[]>;
  /** Returns files in the folder of records that cannot be read as a record. */
  listBrokenRecords(): Promise<readonly UnreadableFile[]>;
  readLockHolder(id: SpecId): Promise<LockHolder | null>;
  worktrees(): Promise<readonly WorktreeStatus[]>;
  /** Returns a value that changes when a record or a worktree's state is written. Cheap, because it reads no file. */
  readMark(): Promise<string>;
  /** The pid of the watch process that runs on this machine, or null. */
  readWatchPid(): Promise<number | null>;
}

export interface TemplateStore {
  /** The templates' names without `.md`, sorted; empty when there is no such folder. */
  names(): Promise<readonly string[]>;
  /** A template's text, or null without one of that name; throws OperationError `failed_precondition` if unreadable. */
  text(name: string): Promise<string | null>;
}

/** Sources of prompts: the templates `.planner/prompts/<name>.md`, and the project's own files. */
export interface PromptStore extends TemplateStore {
  /** Reads at most the first `maxBytes` bytes of a file. Reads no file outside of the project, even through a link. */
  readProjectFile(path: string, maxBytes: number): Promise<ProjectFileText>;
}

/** `whole` is false if only the beginning was read; `why` says why the path leads to no text. */
export type ProjectFileText =
  | { readonly kind: "text"; readonly text: string; readonly whole: boolean }
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "outside" };

/** Ends processes of this machine by their id. */
export interface ProcessControl {
  /** Asks a process to end (SIGTERM, on Windows taskkill); false if it has ended or must not receive signals. */
  terminate(pid: number): Promise<boolean>;
}

/** The project's git repository; every answer is empty without one. */
export interface GitHistory {
  /** Returns abbreviated hashes of commits whose messages name the spec as their work, newest first. */
  listCommitsNaming(
    id: SpecId,
    /** `branch` is searched beside HEAD; `template` is the template of commit messages. */
    how?: { readonly branch?: string | null; readonly template?: string | null },
  ): Promise<readonly string[]>;
  /** The last commit that added or removed one of the texts in a file, as `<hash> <author>, <day>: <subject>`. */
  findLastChange(file: string, texts: readonly string[]): Promise<string | null>;
}

/** Result of comparing an output with its schema. `invalid_schema` means that the schema file itself is unusable. */
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
  validateOutput(schemaPath: string, output: string): Promise<OutputVerdict>;
  /**
   * Returns the part of an agent's prompt that states the expected output.
   * @throws OperationError `failed_precondition` that names the problem of the schema file
   */
  promptSection(schemaPath: string): Promise<string>;
  /** SHA-256 of the schema and all that it refers to; null if it cannot be used. */
  computeFingerprint(schemaPath: string): Promise<string | null>;
}
