/** Advance width of every letter of a TrueType font, in font units. Reads the tables head, hhea, hmtx and cmap. */
export interface Advances {
  readonly unitsPerEm: number;
  readonly byCodePoint: ReadonlyMap<number, number>;
}

export function readAdvances(file: Uint8Array): Advances {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const table = (tag: string): number => {
    for (let index = 0; index < view.getUint16(4); index += 1) {
      const entry = 12 + index * 16;
      if (String.fromCharCode(...file.subarray(entry, entry + 4)) === tag) return view.getUint32(entry + 8);
    }
    throw new Error(`The font has no table "${tag}"`);
  };
  const metrics = view.getUint16(table("hhea") + 34);
  const hmtx = table("hmtx");
  const byCodePoint = new Map(
    glyphs(view, table("cmap")).map(([letter, glyph]) => [
      letter,
      view.getUint16(hmtx + Math.min(glyph, metrics - 1) * 4),
    ]),
  );
  return { unitsPerEm: view.getUint16(table("head") + 18), byCodePoint };
}

/** Letters and their glyphs out of the subtable of format 12, which holds every plane. */
function glyphs(view: DataView, cmap: number): readonly (readonly [number, number])[] {
  for (let index = 0; index < view.getUint16(cmap + 2); index += 1) {
    const sub = cmap + view.getUint32(cmap + 4 + index * 8 + 4);
    if (view.getUint16(sub) !== 12) continue;
    return Array.from({ length: view.getUint32(sub + 12) }, (_, group) => sub + 16 + group * 12).flatMap((at) => {
      const [from, to, first] = [view.getUint32(at), view.getUint32(at + 4), view.getUint32(at + 8)];
      return Array.from({ length: to - from + 1 }, (__, step) => [from + step, first + step] as const);
    });
  }
  throw new Error("The font has no subtable of format 12");
}

/** The advances of some letters as text: runs of letters of one width, "<first>.<count>.<width>" in base 36. */
export function packAdvances({ byCodePoint }: Advances, ranges: readonly (readonly [number, number])[]): string {
  const runs: { first: number; count: number; width: number }[] = [];
  for (const [letter, width] of [...byCodePoint].toSorted(([a], [b]) => a - b)) {
    if (!ranges.some(([from, to]) => letter >= from && letter < to)) continue;
    const last = runs.at(-1);
    if (last !== undefined && last.first + last.count === letter && last.width === width) last.count += 1;
    else runs.push({ first: letter, count: 1, width });
  }
  return runs.map(({ first, count, width }) => [first, count, width].map((n) => n.toString(36)).join(".")).join(" ");
}
