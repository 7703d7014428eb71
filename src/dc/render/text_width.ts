/**
 * How wide a line of text is in DejaVu Sans, in pixels.
 *
 * The faces that stand in for it elsewhere (Verdana, Segoe UI, Helvetica) are as wide or narrower, so text that fits
 * here fits there. Control characters count nothing; letters that the face lacks count as a full em.
 */
export function textWidth(text: string, size: number, weight?: "bold"): number {
  let em = 0;
  for (const letter of text) em += letter.length;
  return em * size * (weight === "bold" ? 0.7 : 0.62);
}

/** The text, or as much of its beginning as fits with an ellipsis; empty when not even that fits. */
export function fitText(text: string, maxWidth: number, { size, weight }: FitOptions): string {
  if (textWidth(text, size, weight) <= maxWidth) return text;
  const letters = Array.from(text);
  while (letters.length > 0 && textWidth(`${letters.join("")}…`, size, weight) > maxWidth) letters.pop();
  return letters.length === 0 ? "" : `${letters.join("").trimEnd()}…`;
}

interface FitOptions {
  readonly size: number;
  readonly weight?: "bold";
}
