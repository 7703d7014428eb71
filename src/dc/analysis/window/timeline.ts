/** Time of a window from `from` to before `until`, in milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number;
  /** End of the window; Infinity if it is overdue. */
  readonly until: number;
}

/** A time span in which the same windows are open. */
export interface TimePiece<Window> extends TimeSpan {
  /** Windows in the order given. */
  readonly windows: readonly Window[];
}

/**
 * Divides time at every begin and end of windows, and leaves out times that no window covers. The result is sorted. It
 * does not depend on the order of the windows, except for their order within a piece.
 */
export function cutWindowTime<Window extends TimeSpan>(windows: readonly Window[]): readonly TimePiece<Window>[] {
  const bounds = [...new Set(windows.flatMap(({ from, until }) => [from, until]))].sort((a, b) => a - b);
  return bounds.slice(0, -1).flatMap((from, at) => {
    const until = bounds[at + 1] ?? from;
    const open = windows.filter((window) => window.from <= from && window.until >= until);
    return open.length === 0 ? [] : [{ from, until, windows: open }];
  });
}

export function getSpanSeconds({ from, until }: TimeSpan): number {
  return (until - from) / 1000;
}

/**
 * Sums the seconds of the pieces before and after one piece, up to the first gap or piece that fails a condition.
 * Cost: one test for each of these pieces and their neighbours.
 */
export async function sumAdjacentSeconds(
  pieces: readonly TimeSpan[],
  at: number,
  holds: (piece: number) => Promise<boolean>,
): Promise<number> {
  let seconds = 0;
  for (const step of [-1, 1]) {
    for (let next = at + step; areAdjacentPieces(pieces, next, next - step) && (await holds(next)); next += step)
      seconds += getSpanSeconds(pieces[next] as TimeSpan);
  }
  return seconds;
}

function areAdjacentPieces(pieces: readonly TimeSpan[], a: number, b: number): boolean {
  const [first, second] = [pieces[Math.min(a, b)], pieces[Math.max(a, b)]];
  return first !== undefined && second !== undefined && first.until === second.from;
}
