/** Limits of a value, read from the words of its comment. */
export interface Limits {
  /** Smallest number allowed. */
  readonly min?: number;
  /** Whether `min` itself is refused. */
  readonly above?: true;
  /** Largest number allowed. */
  readonly max?: number;
  readonly step?: number;
  /** The only numbers allowed. */
  readonly of?: readonly number[];
  /** Longest text allowed, in characters. */
  readonly length?: number;
}

const FIGURE = String.raw`-?\d[\d,]*(?:\.\d+)?`;
const RANGE = new RegExp(`(?:^|[;,] )(${FIGURE}) to (${FIGURE})(?=[.;, ]|$)`);
const ONE_OF = new RegExp(String.raw`^((?:${FIGURE}, )+${FIGURE}) or (${FIGURE})\b`);
const STEP = /in steps of (\d+(?:\.\d+)?)/;
const ABOVE = /\babove (-?\d+)/i;
const AT_LEAST = /\bat least (\d+)/i;
const AT_MOST = /\bat most (\d[\d,]*)(?! \w)/i;
const FROM = /(?:^|, )from (\d+)/i;
const LENGTH = /(?:at most|1 to) ([\d,]+) (?:printable )?characters/i;

/**
 * Reads the limits that a comment of the proto names, so that a form and the documentation cannot differ. Text that
 * names none gives none: the server judges in any case.
 */
export function limitsOf(comment: string, isNumber: boolean): Limits {
  if (!isNumber) {
    const length = LENGTH.exec(comment)?.[1];
    return length === undefined ? {} : { length: figure(length) };
  }
  const choice = ONE_OF.exec(comment);
  if (choice !== null) {
    return { of: [...(choice[1] ?? "").split(", "), choice[2] ?? ""].map(figure) };
  }
  const step = STEP.exec(comment)?.[1];
  return { ...bounds(comment), ...(step !== undefined && { step: figure(step) }) };
}

function bounds(comment: string): Limits {
  const range = RANGE.exec(comment);
  if (range !== null) return { min: figure(range[1] ?? ""), max: figure(range[2] ?? "") };
  const above = ABOVE.exec(comment)?.[1];
  const least = AT_LEAST.exec(comment)?.[1] ?? FROM.exec(comment)?.[1];
  const most = AT_MOST.exec(comment)?.[1];
  return {
    ...(above !== undefined && { min: figure(above), above: true as const }),
    ...(above === undefined && least !== undefined && { min: figure(least) }),
    ...(most !== undefined && { max: figure(most) }),
  };
}

function figure(text: string): number {
  return Number(text.replaceAll(",", ""));
}
