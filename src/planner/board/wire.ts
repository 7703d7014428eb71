/** What the board's server sends to its page. Types and names only: both sides import them. */

/** The columns, from left to right. */
export const COLUMNS = ["blocked", "ready", "working", "needs_you", "done"] as const;

export type Column = (typeof COLUMNS)[number];

/** Header with the key of the board's address, beside the cookie: browsers send cookies to every port of a host. */
export const KEY_HEADER = "x-board-key";

export interface CardAgent {
  /** Name of the agent; null until its run has reported. */
  readonly name: string | null;
  readonly model: string | null;
  readonly started_at: string;
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  /** The last line of its log. */
  readonly line: string | null;
}

export interface CardCriteria {
  readonly checked: number;
  readonly total: number;
  readonly with_check: number;
  /** Those whose check succeeded on the last commit of the work, as its latest record says. */
  readonly proven: number;
}

export interface Card {
  readonly id: string;
  /** The part of the id that commands accept, without its day and counter. */
  readonly short: string;
  readonly title: string | null;
  readonly column: Column;
  /** The status that lists show. */
  readonly status: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly priority: string | null;
  /** `YYYY-MM-DD`. */
  readonly due: string | null;
  readonly assignee: string | null;
  /** Null for a spec without criteria. */
  readonly criteria: CardCriteria | null;
  /** Ids of unfinished specs that it waits for. */
  readonly waits_for: readonly string[];
  /** Why it needs a person; `finished` work waits for its merge. Null if it does not. */
  readonly need: "finished" | "needs_attention" | "failed" | null;
  /** What the column does not say about it, in one sentence. */
  readonly note: string | null;
  /** The command that would continue it. */
  readonly command: string | null;
  readonly agent: CardAgent | null;
  /** The revision in which its file, or anything but `agent`, became what it is. */
  readonly version: number;
}

export interface BoardProblem {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

/** What is said about all specs together. */
export interface BoardTotals {
  /** Number of every state of the board since the server began. */
  readonly revision: number;
  /** As `planner status` counts: by status, with `total`. */
  readonly counts: Readonly<Record<string, number>>;
  /** All specs of each column. */
  readonly columns: Readonly<Record<Column, number>>;
  /** Those of the last column that ended too long ago to be shown. */
  readonly older: number;
  readonly unreadable: readonly BoardProblem[];
}

export interface BoardData extends BoardTotals {
  /** Name of the project's folder. */
  readonly project: string;
  /** Names of agents, of templates and values of fields that forms offer. */
  readonly choices: BoardChoices;
  readonly cards: readonly Card[];
}

export interface BoardChoices {
  readonly agents: readonly string[];
  readonly templates: readonly string[];
  readonly priorities: readonly string[];
}

/** What changed since an earlier revision. */
export interface BoardChange extends BoardTotals {
  readonly cards: readonly Card[];
  /** Ids of cards that are not shown any more. */
  readonly gone: readonly string[];
}

export interface PictureBox {
  readonly id: string;
  /** Left upper corner, in pixels. */
  readonly x: number;
  readonly y: number;
  readonly critical: boolean;
  readonly in_cycle: boolean;
}

export interface PictureEdge {
  /** Index of the box that is waited for. */
  readonly from: number;
  /** Index of the box that waits. */
  readonly to: number;
  /** `depends_on`; `member`: a spec waits for its members; `order`: a member waits for the one before it. */
  readonly kind: string;
  readonly critical: boolean;
  /** Whether it closes a cycle. */
  readonly backward: boolean;
  /** Paths of SVG. */
  readonly line: string;
  readonly arrow: string;
}

/** The open specs and what they wait for, placed in layers. */
export interface BoardPicture {
  readonly width: number;
  readonly height: number;
  /** Size of every box. */
  readonly box: { readonly width: number; readonly height: number };
  readonly boxes: readonly PictureBox[];
  readonly edges: readonly PictureEdge[];
  /** The longest chain of open specs, each waiting for the one before. */
  readonly critical_path: readonly string[];
  readonly cycles: readonly (readonly string[])[];
  /** Ids in `depends_on` without a spec. */
  readonly unknown: readonly string[];
}

export interface NamedSpec {
  readonly id: string;
  /** Null for a spec that is missing or cannot be read. */
  readonly title: string | null;
  readonly status: string | null;
}

/** A criterion as the work is now, which may be in a branch. */
export interface PageCriterion {
  readonly label: string;
  readonly checked: boolean;
  /** The command that proves it, or null. */
  readonly verify: string | null;
  /** Whether a person of this machine has accepted that command. */
  readonly accepted: boolean;
  /** The verdict on the last commit of the work, see docs/work.md. */
  readonly verdict: string;
  /** The last time that its check ran; null if it never did. */
  readonly result: {
    readonly problem: string | null;
    readonly duration_ms: number;
    readonly at: string | null;
  } | null;
}

export interface PageDifference {
  /** Full hashes between which the difference is, for `/difference`. */
  readonly from: string;
  readonly to: string;
  /** Full hash of the branch's last commit. */
  readonly head: string;
  /** Commits that the main branch has got since. */
  readonly behind: number;
  /** Files that a merge would leave in conflict. */
  readonly conflicts: readonly string[];
  readonly commits: readonly { readonly hash: string; readonly subject: string }[];
  readonly files: readonly {
    readonly path: string;
    readonly change: "added" | "changed" | "deleted";
    /** Lines; null for a binary file. */
    readonly added: number | null;
    readonly removed: number | null;
    readonly changed_in_main: boolean;
  }[];
}

export interface PageRun {
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

/** The record that the last run has left in git. */
export interface PageRecord {
  readonly run: number;
  readonly status: string | null;
  readonly ended_at: string | null;
  readonly reasons: readonly string[];
}

export interface SpecPage {
  readonly id: string;
  readonly file: string;
  readonly archived: boolean;
  readonly title: string | null;
  readonly status: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly priority: string | null;
  readonly due: string | null;
  readonly assignee: string | null;
  /** Text behind the frontmatter. */
  readonly body: string;
  /** The same as HTML without scripts, styles or active addresses. */
  readonly html: string;
  /** Digest of the file: a change names it, so that no person overwrites what they have not seen. */
  readonly seen: string;
  readonly criteria: readonly PageCriterion[];
  readonly depends_on: readonly NamedSpec[];
  readonly dependents: readonly NamedSpec[];
  readonly members: readonly NamedSpec[];
  readonly runs: readonly PageRun[];
  readonly record: PageRecord | null;
  /** Folder and branch of its worktree, in which the criteria are ticked. */
  readonly worktree: { readonly path: string; readonly branch: string } | null;
  readonly difference: PageDifference | null;
  readonly has_log: boolean;
  /** Why it makes no progress and what to do, as `planner diagnose` says. */
  readonly diagnosis: { readonly text: string; readonly suggestion: string | null } | null;
}

/** Answer to a command that was carried out. */
export interface Done {
  readonly text: string;
  readonly spec_id: string | null;
}

/** A refusal. `conflict` says that the spec is another one than the page had seen. */
export interface Refused {
  readonly kind: string;
  readonly message: string;
  readonly conflict?: true;
}

/** A new piece of the log that the page follows. */
export interface LogPiece {
  readonly id: string;
  readonly text: string;
  readonly offset: number;
  /** Whether the text replaces what was sent before: the log began anew. */
  readonly fresh: boolean;
}
