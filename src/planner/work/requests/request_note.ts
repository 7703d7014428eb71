import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { FORGES } from "../../config/config_values.ts";

const NAME = Type.String({ minLength: 1 });

/** Only a full hash is passed on to git. */
const HASH = Type.String({ pattern: "^(?:[0-9a-f]{40}|[0-9a-f]{64})$" });
const MAYBE_HASH = Type.Union([HASH, Type.Null()]);

const NOTE = Type.Object({
  forge: Type.Union(FORGES.map((forge) => Type.Literal(forge))),
  host: NAME,
  path: NAME,
  /** Null if no program has made it: only the branch is there. */
  number: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** As the forge said last. */
  state: Type.Union([Type.Literal("open"), Type.Literal("closed"), Type.Literal("merged")]),
  /** Address of its page, or of the page on which a person makes it. */
  url: NAME,
  /** Git remote that has the branch. */
  remote: NAME,
  branch: NAME,
  /** Branch that the work is to get into. */
  base: NAME,
  /** The commit that was pushed last; null before the first push has an answer. */
  head: MAYBE_HASH,
  /** The commit at which the branch left the main branch. */
  began: MAYBE_HASH,
  /** Everything that was pushed, or tried to, newest last. */
  pushed: Type.Array(HASH),
});

/** What this clone remembers of the pull request of a spec. Hashes are full. */
export type RequestNote = Readonly<Static<typeof NOTE>>;

/** Most pushes that are remembered. Ours: the remote has one of the last. */
const MAX_PUSHED = 20;

/** Returns the note with a commit that is about to be pushed. */
export function withTried(note: RequestNote, head: string): RequestNote {
  return { ...note, pushed: [...note.pushed.filter((one) => one !== head), head].slice(-MAX_PUSHED) };
}

/** Returns the text of the commit that holds a note. */
export function writeNote(id: string, note: RequestNote): string {
  return `planner request ${id}\n\n${JSON.stringify(note, null, 2)}\n`;
}

/** Reads the text of such a commit; null for any other text. */
export function readNote(text: string): RequestNote | null {
  try {
    const value: unknown = JSON.parse(text.slice(text.indexOf("\n{")));
    return Value.Check(NOTE, value) ? value : null;
  } catch {
    return null;
  }
}

/** What a person calls the request. */
export function requestName({ forge, number }: Pick<RequestNote, "forge" | "number">): string {
  const what = forge === "gitlab" ? "merge request" : "pull request";
  return number === null ? what : `${what} ${forge === "gitlab" ? "!" : "#"}${number}`;
}
