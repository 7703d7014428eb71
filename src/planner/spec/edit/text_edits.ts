/** Replaces the text between two offsets; with equal offsets it inserts. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Applies edits that do not overlap; of those at one offset, insertions come first and in their order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.from - b.from || a.to - b.to)) {
    parts.push(text.slice(at, edit.from), edit.text);
    at = edit.to;
  }
  return parts.join("") + text.slice(at);
}
