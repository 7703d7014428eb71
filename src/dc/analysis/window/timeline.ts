/** The time of a window, in milliseconds since 1970, half open. */
export interface Span {
  readonly from: number;
  /** Infinity for one that is overdue. */
  readonly until: number;
}

/** A part of time in which the same windows are open. */
export interface Piece<Window> extends Span {
  /** In the order given. */
  readonly windows: readonly Window[];
}

/**
 * Cuts time at every begin and end of windows, and leaves out what no window covers. In order; the result does not depend on
 * the order of the windows, except for that within a piece.
 */
export function cutTime<Window extends Span>(windows: readonly Window[]): readonly Piece<Window>[] {
  const bounds = [...new Set(windows.flatMap(({ from, until }) => [from, until]))].sort((a, b) => a - b);
  return bounds.slice(0, -1).flatMap((from, at) => {
    const until = bounds[at + 1] ?? from;
    const open = windows.filter((window) => window.from <= from && window.until >= until);
    return open.length === 0 ? [] : [{ from, until, windows: open }];
  });
}

/** Seconds of a piece. */
export function secondsOf({ from, until }: Span): number {
  return (until - from) / 1000;
}

/**
 * Seconds of the pieces around one that follow each other without a gap, as long as something holds in each of them.
 * Cost: a question for each piece that is reached.
 */
export async function secondsAround(
  pieces: readonly Span[],
  at: number,
  holds: (piece: number) => Promise<boolean>,
): Promise<number> {
  let seconds = 0;
  for (const step of [-1, 1]) {
    for (let next = at + step; isBeside(pieces, next, next - step) && (await holds(next)); next += step)
      seconds += secondsOf(pieces[next] as Span);
  }
  return seconds;
}

function isBeside(pieces: readonly Span[], a: number, b: number): boolean {
  const [first, second] = [pieces[Math.min(a, b)], pieces[Math.max(a, b)]];
  return first !== undefined && second !== undefined && first.until === second.from;
}
