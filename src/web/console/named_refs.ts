import { refName } from "#words/names.ts";
/** References whose whole name is the text, whatever its case; if there are none, places whose last part it is. */
export function refsNamed(refs: readonly string[], text: string): readonly string[] {
  const wanted = text.toLowerCase();
  const whole = refs.filter((ref) => refName(ref).toLowerCase() === wanted);
  const found = whole.length > 0 ? whole : refs.filter((ref) => isPlaceNamed(ref.toLowerCase(), wanted));
  return [...new Set(found)];
}

function isPlaceNamed(ref: string, wanted: string): boolean {
  return /^(?:floor|room|row):/.test(ref) && ref.endsWith(`/${wanted}`);
}
