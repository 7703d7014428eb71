/** Messages from the board's server to its page. This file holds types and names only, because both sides import it. */

/** Columns of the board, from left to right. */
export const COLUMNS = ["blocked", "ready", "working", "needs_you", "done"] as const;

export type Column = (typeof COLUMNS)[number];

/** HTTP header with the board address's key, required beside the cookie, which browsers send to all ports of a host. */
export const BOARD_KEY_HEADER = "x-board-key";

export interface CardAgent {
  /** Name of the agent; null until its run has reported. */
  readonly name: string | null;
  readonly model: string | null;
  readonly started_at: string;
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  /** The last line of the agent's log. */
  readonly line: string | null;
}

export interface CardCriteria {
  readonly checked: number;
  readonly total: number;
  readonly with_check: number;
  /** Number of criteria whose check succeeded on the last commit of the work, according to the latest run record. */
  readonly proven: number;
  /** Number of criteria whose check failed on it; absent if none did. */
  readonly disproven?: number;
}

export interface Card {
  readonly id: string;
  /** The id without its day and counter; commands accept it. */
  readonly short: string;
  readonly title: string | null;
  readonly column: Column;
  /** The status that `planner list` shows. */
  readonly status: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly priority: string | null;
  /** Due day, `YYYY-MM-DD`. */
  readonly due: string | null;
  readonly assignee: string | null;
  /** Null for a spec without criteria. */
  readonly criteria: CardCriteria | null;
  /** Ids of the unfinished specs that this spec waits for. */
  readonly waits_for: readonly string[];
  /** Reason why a person must act, null if none must; `finished` work is ready to be merged. */
  readonly need: "finished" | "needs_attention" | "failed" | null;
  /** One sentence that explains the column, or null. */
  readonly note: string | null;
  /** The command that continues the work, or null. */
  readonly command: string | null;
  readonly agent: CardAgent | null;
  /** Revision in which the spec's file, or a field of the card other than `agent`, last changed. */
  readonly version: number;
}

export interface BoardProblem {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

/** Counts and problems of all specs together. */
export interface BoardTotals {
  /** Number of the board's state; it grows with every change since the server started. */
  readonly revision: number;
  /** Number of specs by status, and `total`, as `planner status` counts. */
  readonly counts: Readonly<Record<string, number>>;
  /** Number of specs by column. */
  readonly columns: Readonly<Record<Column, number>>;
  /** Number of specs in the last column that ended too long ago to be shown. */
  readonly older: number;
  readonly unreadable: readonly BoardProblem[];
}

export interface BoardData extends BoardTotals {
  /** Name of the project in its settings, otherwise the name of its folder. */
  readonly project: string;
  /** Names of agents and templates, and field values, that forms offer. */
  readonly choices: BoardChoices;
  readonly cards: readonly Card[];
}

export interface BoardChoices {
  readonly agents: readonly string[];
  readonly templates: readonly string[];
  readonly priorities: readonly string[];
}

/** Changes since an earlier revision. */
export interface BoardChange extends BoardTotals {
  readonly cards: readonly Card[];
  /** Ids of cards that are no longer shown. */
  readonly gone: readonly string[];
}

export interface PictureBox {
  readonly id: string;
  /** Horizontal position of the left edge, in pixels. */
  readonly x: number;
  readonly y: number;
  readonly critical: boolean;
  readonly in_cycle: boolean;
}

export interface PictureEdge {
  /** Index of the box of the dependency. */
  readonly from: number;
  /** Index of the box of the dependent spec. */
  readonly to: number;
  /** `depends_on`; `member`: a spec depends on its members; `order`: a member depends on the one before it. */
  readonly kind: string;
  readonly critical: boolean;
  /** True if the edge closes a cycle. */
  readonly backward: boolean;
  /** SVG path data of the line. */
  readonly line: string;
  readonly arrow: string;
}

/** The graph of open specs and their dependencies, laid out in layers. */
export interface BoardPicture {
  readonly width: number;
  readonly height: number;
  /** Width and height of every box, in pixels. */
  readonly box: { readonly width: number; readonly height: number };
  readonly boxes: readonly PictureBox[];
  readonly edges: readonly PictureEdge[];
  /** Ids of the longest chain of open specs, each depending on the one before. */
  readonly critical_path: readonly string[];
  readonly cycles: readonly (readonly string[])[];
  /** Ids in `depends_on` that no spec has. */
  readonly unknown: readonly string[];
}

export interface NamedSpec {
  readonly id: string;
  /** Null for a spec that is missing or cannot be read. */
  readonly title: string | null;
  readonly status: string | null;
}

/** A criterion in the current text of the work, which may be in a branch. */
export interface SpecPageCriterion {
  /** Number of the criterion, as `planner check` accepts it. */
  readonly number: number;
  readonly label: string;
  readonly checked: boolean;
  /** The command that checks the criterion, or null. */
  readonly verify: string | null;
  /** True if a person on this machine has accepted the command. */
  readonly accepted: boolean;
  /** One of the marks of docs/work.md; null for an open criterion. */
  readonly mark: "proven" | "claimed" | "disproven" | null;
  /** The mark and its reason. */
  readonly explanation: string | null;
  /** Result of the last run of the check; null if it never ran. */
  readonly result: { readonly at: string | null; readonly last_lines: readonly string[] } | null;
}

export interface BranchDifference {
  /** Full hash of the commit that the difference starts at, for `/difference`. */
  readonly from: string;
  readonly to: string;
  /** Full hash of the branch's last commit. */
  readonly head: string;
  /** Number of commits on the main branch that the branch lacks. */
  readonly behind: number;
  /** Paths of files that would conflict in a merge. */
  readonly conflicts: readonly string[];
  readonly commits: readonly { readonly hash: string; readonly subject: string }[];
  readonly files: readonly {
    readonly path: string;
    readonly change: "added" | "changed" | "deleted";
    /** Number of added lines; null for a binary file. */
    readonly added: number | null;
    readonly removed: number | null;
    readonly changed_in_main: boolean;
  }[];
}

export interface SpecPageRun {
  readonly process_id: string;
  readonly mode: string;
  readonly status: string;
  readonly started_at: string;
  readonly completed_at: string | null;
  readonly error: string | null;
  readonly agent: string | null;
  readonly tokens: number | null;
  readonly cost_usd: number | null;
}

/** The record in git of the last run. */
export interface SpecPageRecord {
  readonly run: number;
  readonly status: string | null;
  readonly ended_at: string | null;
  readonly reasons: readonly string[];
}

type SharedField = "id" | "title" | "status" | "type" | "labels" | "priority" | "due" | "assignee";

export interface SpecPage extends Pick<Card, SharedField> {
  readonly file: string;
  readonly archived: boolean;
  /** Text of the file after the frontmatter. */
  readonly body: string;
  /** The body as HTML without scripts, styles or links that could run code. */
  readonly html: string;
  /** Digest of the file's text. A change sends it back, so that no person overwrites a text that they have not seen. */
  readonly seen: string;
  readonly criteria: readonly SpecPageCriterion[];
  /** Criteria that a person dropped. */
  readonly dropped: readonly { readonly label: string; readonly reason: string }[];
  readonly depends_on: readonly NamedSpec[];
  readonly dependents: readonly NamedSpec[];
  readonly members: readonly NamedSpec[];
  readonly runs: readonly SpecPageRun[];
  readonly record: SpecPageRecord | null;
  /** Folder and branch of the spec's worktree, whose file holds the checked criteria. */
  readonly worktree: { readonly path: string; readonly branch: string } | null;
  readonly difference: BranchDifference | null;
  readonly has_log: boolean;
  /** Reason why the spec makes no progress, and what to do, as `planner diagnose` prints it. */
  readonly diagnosis: { readonly text: string; readonly suggestion: string | null } | null;
}

/** Response to a command that succeeded. */
export interface CommandResult {
  readonly text: string;
  readonly spec_id: string | null;
}

/** Response to a command that was refused. `conflict` is set if the spec has changed since the page read it. */
export interface CommandRefusal {
  readonly kind: string;
  readonly message: string;
  readonly conflict?: true;
}

/** New text of the log that the page follows. */
export interface LogChunk {
  readonly id: string;
  readonly text: string;
  readonly offset: number;
  /** True if the text replaces everything sent before, because the log was started again. */
  readonly fresh: boolean;
}
