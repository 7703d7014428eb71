/**
 * Meaning of one line of `git push --porcelain`.
 *
 * - `won`: the server has made the change
 * - `unclear`: only a query of the remote shows whether the server has made the change, because a losing push and a
 *   rejecting server print the same line, and the answer may be cut off after the change
 */
export type PushOutcome = "won" | "unclear";

export interface PushedRefResult {
  readonly outcome: PushOutcome;
  /** The server's message if the line reports a rejection; null for other lines. */
  readonly refusal: string | null;
}

/**
 * Parses the answer of a push.
 *
 * @param status exit status of git; null if it was killed. Lines count only with status 0 or 1
 * @returns lines by the name of the remote's ref; a ref without a line is unclear
 */
export function parsePushAnswer(stdout: string, status: number | null): ReadonlyMap<string, PushedRefResult> {
  const lines = new Map<string, PushedRefResult>();
  for (const line of stdout.split("\n")) {
    const [sign = "", refs, words = ""] = line.split("\t");
    if (refs === undefined || sign.length !== 1) continue;
    const ref = refs.slice(refs.lastIndexOf(":") + 1);
    lines.set(ref, { outcome: interpretPushSign(sign, status), refusal: sign === "!" ? extractRefusal(words) : null });
  }
  return lines;
}

/** Returns the meaning of a sign. `=` is not a success, because two clones that push the same commit both get it. */
function interpretPushSign(sign: string, status: number | null): PushOutcome {
  const hasAnswer = status === 0 || status === 1;
  return hasAnswer && ["*", "+", " ", "-"].includes(sign) ? "won" : "unclear";
}

function extractRefusal(words: string): string | null {
  return words.startsWith("[remote rejected]") ? words : null;
}

/** Whether a text is a complete object id. An empty text on the left side of a push would delete the ref. */
export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
