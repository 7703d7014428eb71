/** Runs one match of a pattern; an implementation may limit its time. */
export type RunPatternTest = (pattern: string, text: string, match: () => boolean) => boolean;

export const runUnlimitedMatch: RunPatternTest = (_pattern, _text, match) => match();

/** A schema's pattern, whose every match is run by a `RunPatternTest`. */
export interface WatchedPattern {
  readonly source: string;
  matches(text: string): boolean;
}

/**
 * Compiles a pattern.
 * @throws SyntaxError if `source` is not an ECMAScript regular expression with the `u` flag. Source: JSON Schema
 * 2020-12 Core, 6.4
 */
export function compileWatchedPattern(source: string, test: RunPatternTest): WatchedPattern {
  const expression = new RegExp(source, "u");
  return { source, matches: (text) => test(source, text, () => expression.test(text)) };
}
