/** A half-open range of character offsets. */
export interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

/** Replaces a range of characters; an empty range inserts text. */
export interface TextEdit extends OffsetRange {
  readonly text: string;
}

/** Applies edits that do not overlap. Insertions at an offset precede a replacement there, in their given order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return parts.join("") + text.slice(at);
}
