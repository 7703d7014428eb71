import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { SpecId } from "../../spec/spec_id.ts";
import type { SeenClaims } from "../../work/claims/claim_looks.ts";
import type { StoredOwnClaim } from "../../work/claims/own_claim.ts";
import { readJsonFile } from "../files/json_file.ts";
import { replaceFile } from "../files/place_file.ts";
import { runWithProjectLock } from "../locks/project_lock.ts";
import { LOCKS_FOLDER } from "../project/places.ts";

const CLAIMS_FILE = `${LOCKS_FOLDER}/claims.json`;

const TIME_SCHEMA = Type.Object({ boot: Type.String(), ms: Type.Number() });
const STATE_SCHEMA = Type.Union([Type.Literal("held"), Type.Literal("done")]);
const OID_SCHEMA = Type.String({ pattern: "^[0-9a-f]{40}([0-9a-f]{24})?$" });
const TEXT_SCHEMA = Type.Object({
  ...{ spec: Type.String(), state: STATE_SCHEMA, by: Type.String(), clone: Type.String() },
  ...{ process: Type.String(), nonce: Type.String() },
});
const OWN_CLAIM_SCHEMA = Type.Object({
  base: Type.Union([OID_SCHEMA, Type.Null()]),
  state: Type.Union([STATE_SCHEMA, Type.Null()]),
  process: Type.String(),
  tried: Type.Array(
    Type.Object({
      oid: Type.Union([OID_SCHEMA, Type.Literal("")]),
      state: Type.Union([STATE_SCHEMA, Type.Literal("released")]),
    }),
  ),
  confirmedMs: Type.Number(),
  ended: Type.Boolean(),
  lostTo: Type.Union([Type.String(), Type.Null()]),
});

/** One remote's claims as this clone last saw them, stored in `.planner/locks/claims.json`. */
const STORED_CLAIMS_SCHEMA = Type.Object({
  /** Random id of this clone. */
  clone: Type.String({ pattern: "^[0-9a-f]{32}$" }),
  /** Id of the folder that contains the file; a copy of the folder counts as another clone. */
  folder: Type.String(),
  /** Address of the remote. If it changes, all other fields become invalid. */
  url: Type.String(),
  /** Whether the server supports claims, according to a trial. */
  support: Type.Union([Type.Literal("unknown"), Type.Literal("yes"), Type.Literal("no")]),
  /** The server's message if it does not support claims. */
  refusal: Type.String(),
  /** Whether a person has been informed that the server does not support claims. */
  told: Type.Boolean(),
  /** Duration of the last push, in milliseconds. */
  pushMs: Type.Number(),
  /** Time of the last query of the remote, answered or not. */
  asked: Type.Union([TIME_SCHEMA, Type.Null()]),
  seen: Type.Record(
    Type.String(),
    Type.Object({ oid: OID_SCHEMA, since: TIME_SCHEMA, text: Type.Union([TEXT_SCHEMA, Type.Null()]) }),
  ),
  own: Type.Record(Type.String(), OWN_CLAIM_SCHEMA),
});

/** The stored claims, with those of specs by id. */
export interface StoredClaims extends Readonly<Omit<Static<typeof STORED_CLAIMS_SCHEMA>, "seen" | "own">> {
  readonly seen: SeenClaims;
  readonly own: ReadonlyMap<SpecId, StoredOwnClaim>;
}

/** Reads the stored claims; null if the file is missing, unreadable, or part of a copied folder (another clone). */
export function readClaimsFile(root: string): StoredClaims | null {
  const read = readJsonFile(join(root, CLAIMS_FILE));
  const stored: unknown = read.kind === "object" ? read.object : null;
  if (!Value.Check(STORED_CLAIMS_SCHEMA, stored) || stored.folder !== readFolderId(root)) return null;
  const { seen, own, ...rest } = stored as Static<typeof STORED_CLAIMS_SCHEMA>;
  const createEntryMap = <Entry>(record: Readonly<Record<string, Entry>>) =>
    new Map(Object.entries(record) as [SpecId, Entry][]);
  return { ...rest, seen: createEntryMap(seen), own: createEntryMap(own) };
}

/** Reads the stored state of claims at `url`; returns a new state for another address. */
export function readStoredClaims(root: string, url: string): StoredClaims {
  const known = readClaimsFile(root);
  if (known?.url === url) return known;
  return {
    clone: known?.clone ?? randomBytes(16).toString("hex"),
    folder: known?.folder ?? "",
    url,
    support: "unknown",
    refusal: "",
    told: false,
    pushMs: 0,
    asked: null,
    seen: new Map(),
    own: new Map(),
  };
}

/** Replaces the file atomically. Call it while holding the lock for shared claims. */
export function writeClaimsFile(root: string, known: StoredClaims): Promise<void> {
  return runWithProjectLock(root, async () => {
    const { seen, own, ...rest } = known;
    const stored = {
      ...rest,
      folder: readFolderId(root),
      seen: Object.fromEntries(seen),
      own: Object.fromEntries(own),
    };
    await replaceFile(join(root, CLAIMS_FILE), CLAIMS_FILE, `${JSON.stringify(stored, null, 2)}\n`);
  });
}

/** Returns an id of the folder on its disk. A moved folder keeps its id, a copy has another. */
function readFolderId(root: string): string {
  const { dev, ino } = statSync(join(root, LOCKS_FOLDER), { throwIfNoEntry: false }) ?? { dev: 0, ino: 0 };
  return `${dev}:${ino}`;
}
