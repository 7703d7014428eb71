/**
 * What one line of `git push --porcelain` means. `won`: the server has made the change. `unclear`: only a look shows it, for
 * a loser's line and that of a server that refuses are the same, and an answer may be cut off after the change.
 */
export type PushSign = "won" | "unclear";

export interface PushLine {
  readonly sign: PushSign;
  /** The server's words behind a line that refuses, or null. */
  readonly refusal: string | null;
}

/**
 * Reads the answer of a push.
 *
 * @param status of git; null if it was killed. After anything but 0 or 1 no line counts
 * @returns lines by the name of the remote's ref; a ref without a line is unclear
 */
export function readPush(stdout: string, status: number | null): ReadonlyMap<string, PushLine> {
  const lines = new Map<string, PushLine>();
  for (const line of stdout.split("\n")) {
    const [sign = "", refs, words = ""] = line.split("\t");
    if (refs === undefined || sign.length !== 1) continue;
    const ref = refs.slice(refs.lastIndexOf(":") + 1);
    lines.set(ref, { sign: signOf(sign, status), refusal: sign === "!" ? refusalIn(words) : null });
  }
  return lines;
}

/** `=` is no success: two clones that push one commit both get it. */
function signOf(sign: string, status: number | null): PushSign {
  const answered = status === 0 || status === 1;
  return answered && ["*", "+", " ", "-"].includes(sign) ? "won" : "unclear";
}

function refusalIn(words: string): string | null {
  return words.startsWith("[remote rejected]") ? words : null;
}

/** Whether a text is a whole name of a commit. An empty one at the left side of a push deletes the ref. */
export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
