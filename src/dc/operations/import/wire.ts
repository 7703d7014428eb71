// Types of the reply of an import, which the service writes and the console and the command line read.

/** Kinds of resources that an import takes. A resource refers only to its own and to earlier kinds. */
export const IMPORT_KINDS = ["rack", "device", "crac", "cable", "fabric_link"] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

export interface KindCount {
  readonly kind: ImportKind;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
}

export type WrittenOutcome = "CREATED" | "UPDATED" | "UNCHANGED";

/** A problem of a resource's field; the field is "" if the problem concerns the whole resource. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** Kind and code of the resource that a line describes, if they can be read. */
export interface LineSubject {
  readonly kind?: ImportKind;
  /** Code of the resource, or both ends of a cable or link. */
  readonly code?: string;
}

/** One line of the reply of `POST /import`, docs/import/csv.md#by-http. */
export type ImportEvent =
  | {
      readonly event: "sheet";
      readonly delimiter: string;
      readonly headings: readonly string[];
      readonly first: readonly string[];
      readonly rows: number;
    }
  | { readonly event: "progress"; readonly done: number; readonly total: number }
  | {
      readonly event: "written";
      readonly line: number;
      readonly kind: ImportKind;
      readonly outcome: WrittenOutcome;
    }
  | ({ readonly event: "refused" } & RefusedLine)
  | {
      readonly event: "end";
      readonly state: "done" | "tried" | "stopped";
      readonly counts: readonly KindCount[];
      readonly unreadable: number;
      /** The first accepted rows as changes, after a dry run. */
      readonly changes?: readonly Readonly<Record<string, unknown>>[];
    }
  | { readonly event: "error"; readonly code: string; readonly message: string };

/** A line that was refused, with what it contains. */
interface RefusedLine extends LineSubject {
  readonly line: number;
  readonly problems: readonly FieldProblem[];
  /** Cells of a sheet's row, and the offsets of the row in the text. */
  readonly cells?: readonly string[];
  readonly from?: number;
  readonly to?: number;
  /** Resource of a JSON file. */
  readonly item?: unknown;
}
