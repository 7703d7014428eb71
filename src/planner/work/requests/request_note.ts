import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { FORGES } from "../../config/config.ts";

const NAME_SCHEMA = Type.String({ minLength: 1 });

/** Schema of a full commit hash. Other texts must not become arguments of git. */
const HASH_SCHEMA = Type.String({ pattern: "^(?:[0-9a-f]{40}|[0-9a-f]{64})$" });
const NULLABLE_HASH_SCHEMA = Type.Union([HASH_SCHEMA, Type.Null()]);

const NOTE_SCHEMA = Type.Object({
  forge: Type.Union(FORGES.map((forge) => Type.Literal(forge))),
  host: NAME_SCHEMA,
  path: NAME_SCHEMA,
  /** Number of the request; null if no program has created it and only the branch exists. */
  number: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** State that the forge reported last. */
  state: Type.Union([Type.Literal("open"), Type.Literal("closed"), Type.Literal("merged")]),
  /** Address of the request's page, or of the page on which a person creates it. */
  url: NAME_SCHEMA,
  /** Name of the git remote that has the branch. */
  remote: NAME_SCHEMA,
  branch: NAME_SCHEMA,
  /** Branch into which the work is merged. */
  base: NAME_SCHEMA,
  /** Commit that was pushed last; null until the first push has succeeded. */
  head: NULLABLE_HASH_SCHEMA,
  /** Commit at which the branch left the main branch. */
  began: NULLABLE_HASH_SCHEMA,
  /** Commits that were pushed or may have been, newest last. */
  pushed: Type.Array(HASH_SCHEMA),
});

/** Stored note of this clone about a spec's pull request. Hashes are full. */
export type RequestNote = Readonly<Static<typeof NOTE_SCHEMA>>;

/** Maximum number of noted pushes. Chosen by planner: the remote's branch is at one of the last pushes. */
const MAX_NOTED_PUSHES = 20;

/** Returns the note with a commit added that is about to be pushed. */
export function addPushedHead(note: RequestNote, head: string): RequestNote {
  return { ...note, pushed: [...note.pushed.filter((one) => one !== head), head].slice(-MAX_NOTED_PUSHES) };
}

/** Returns the message of the commit that stores a note. */
export function formatRequestNote(id: string, note: RequestNote): string {
  return `planner request ${id}\n\n${JSON.stringify(note, null, 2)}\n`;
}

/** Parses the message of a commit that stores a note; returns null for any other text. */
export function parseRequestNote(text: string): RequestNote | null {
  try {
    const value: unknown = JSON.parse(text.slice(text.indexOf("\n{")));
    return Value.Check(NOTE_SCHEMA, value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns the name of the request in messages to a person. */
export function formatRequestName({ forge, number }: Pick<RequestNote, "forge" | "number">): string {
  const what = forge === "gitlab" ? "merge request" : "pull request";
  return number === null ? what : `${what} ${forge === "gitlab" ? "!" : "#"}${number}`;
}
