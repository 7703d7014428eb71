import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { FORGES } from "../../config/config_values.ts";

const NAME = Type.String({ minLength: 1 });

/** Schema of a full commit hash. Other texts must not become arguments of git. */
const HASH = Type.String({ pattern: "^(?:[0-9a-f]{40}|[0-9a-f]{64})$" });
const MAYBE_HASH = Type.Union([HASH, Type.Null()]);

const NOTE = Type.Object({
  forge: Type.Union(FORGES.map((forge) => Type.Literal(forge))),
  host: NAME,
  path: NAME,
  /** Number of the request; null if no program has created it and only the branch exists. */
  number: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** State that the forge reported last. */
  state: Type.Union([Type.Literal("open"), Type.Literal("closed"), Type.Literal("merged")]),
  /** Address of the request's page, or of the page on which a person creates it. */
  url: NAME,
  /** Name of the git remote that has the branch. */
  remote: NAME,
  branch: NAME,
  /** Branch into which the work is merged. */
  base: NAME,
  /** Commit that was pushed last; null until the first push has succeeded. */
  head: MAYBE_HASH,
  /** Commit at which the branch left the main branch. */
  began: MAYBE_HASH,
  /** Commits that were pushed or may have been, newest last. */
  pushed: Type.Array(HASH),
});

/** Stored note of this clone about a spec's pull request. Hashes are full. */
export type RequestNote = Readonly<Static<typeof NOTE>>;

/** Maximum number of noted pushes. Chosen by planner: the remote's branch is at one of the last pushes. */
const MAX_PUSHED = 20;

/** Returns the note with a commit added that is about to be pushed. */
export function addPushedHead(note: RequestNote, head: string): RequestNote {
  return { ...note, pushed: [...note.pushed.filter((one) => one !== head), head].slice(-MAX_PUSHED) };
}

/** Returns the message of the commit that stores a note. */
export function formatRequestNote(id: string, note: RequestNote): string {
  return `planner request ${id}\n\n${JSON.stringify(note, null, 2)}\n`;
}

/** Parses the message of a commit that stores a note; returns null for any other text. */
export function parseRequestNote(text: string): RequestNote | null {
  try {
    const value: unknown = JSON.parse(text.slice(text.indexOf("\n{")));
    return Value.Check(NOTE, value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns the name of the request in messages to a person. */
export function formatRequestName({ forge, number }: Pick<RequestNote, "forge" | "number">): string {
  const what = forge === "gitlab" ? "merge request" : "pull request";
  return number === null ? what : `${what} ${forge === "gitlab" ? "!" : "#"}${number}`;
}
