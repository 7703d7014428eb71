/** Splits a text at the first occurrence of a mark. The second part is "" if the text does not contain the mark. */
export function splitAtFirst(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}
