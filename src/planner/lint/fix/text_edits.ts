/** Replaces the characters `start..end` by `text`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits that are in text order and do not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = "";
  let from = 0;
  for (const { start, end, text: inserted } of edits) {
    result += text.slice(from, start) + inserted;
    from = end;
  }
  return result + text.slice(from);
}

/** A half-open range of characters. */
export interface Range {
  readonly start: number;
  readonly end: number;
}
