/** Runs one match; replaced where its time is limited. */
export type PatternTest = (pattern: string, text: string, match: () => boolean) => boolean;

export const testPattern: PatternTest = (_pattern, _text, match) => match();

/** A pattern of a schema whose every match goes through a `PatternTest`. */
export interface WatchedPattern {
  readonly source: string;
  matches(text: string): boolean;
}

/**
 * @throws SyntaxError when `source` is no ECMAScript regular expression with the `u` flag.
 * Source: JSON Schema 2020-12 Core, 6.4
 */
export function watchPattern(source: string, test: PatternTest): WatchedPattern {
  const expression = new RegExp(source, "u");
  return { source, matches: (text) => test(source, text, () => expression.test(text)) };
}
