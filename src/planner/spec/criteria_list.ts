export interface Criterion {
  /** Line in the body, from 1. */
  readonly line: number;
  /** Number among the items that a person sees, from 1: dropped ones and those of `NearItem` count too. */
  readonly number: number;
  /** Offset of the line in the body. */
  readonly start: number;
  /** The checkbox line, trimmed. */
  readonly text: string;
  /** Text of the checkbox line, without the checkbox. Records and acceptances know a criterion by it. */
  readonly label: string;
  /** The text's further lines as one; absent for a criterion of one line. */
  readonly continuation?: string;
  readonly checked: boolean;
  /** The command that checks the criterion, or null. */
  readonly verify: string | null;
  /** Line of that command in the body, from 1; null without a command. */
  readonly verifyLine: number | null;
}

/** Returns the whole text of a criterion. */
export function formatCriterionText({ label, continuation }: Pick<Criterion, "label" | "continuation">): string {
  return continuation === undefined ? label : `${label} ${continuation}`;
}

/** A criterion that a person dropped: `- [-] text – reason`. */
export interface DroppedCriterion {
  readonly line: number;
  readonly number: number;
  readonly label: string;
  readonly reason: string;
}

/** An item that looks like a criterion, or like a check, and is not read as one. */
export interface NearItem {
  /** Line in the body, from 1. */
  readonly line: number;
  /** Number of the item, as for a criterion; null for the line of a check. */
  readonly number: number | null;
  /** The line, trimmed. */
  readonly text: string;
  readonly label: string;
  /** What to write instead: `write '- [ ] text'`. */
  readonly advice: string;
}

/** Everything that a body says about its criteria, in order. */
export interface CriteriaList {
  readonly criteria: readonly Criterion[];
  readonly dropped: readonly DroppedCriterion[];
  readonly near: readonly NearItem[];
}

const MAX_QUOTED_CHARS = 100;

/** Quotes a line for a message. */
export function quoteItem(text: string): string {
  return `'${text.length <= MAX_QUOTED_CHARS ? text : `${text.slice(0, MAX_QUOTED_CHARS).toWellFormed()}…`}'`;
}
