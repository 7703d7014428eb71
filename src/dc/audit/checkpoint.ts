import type { KeyObject } from "node:crypto";
import { openSignedNote, signNote, type VerifierKey } from "./signed_note.ts";

/** Contents of a checkpoint: the change log named `origin` has `size` entries, this Merkle root and this last hash. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  /** Root hash of RFC 6962 over the hashes of the entries. */
  readonly root: Buffer;
  /** Hash of the last entry in hexadecimal; empty for an empty log. */
  readonly head: string;
  /** Time of the signature, ISO 8601 in UTC. */
  readonly time: string;
}

/** Formats a checkpoint as a signed note. Source: C2SP tlog-checkpoint; head and time are extension lines. */
export function signCheckpoint({ origin, size, root, head, time }: Checkpoint, privateKey: KeyObject): string {
  const text = `${origin}\n${size}\n${root.toString("base64")}\nhead ${head}\ntime ${time}\n`;
  return signNote(text, origin, privateKey);
}

/** Parses a checkpoint that one of the keys has signed; undefined for any other text. */
export function openCheckpoint(note: string, keys: readonly VerifierKey[]): Checkpoint | undefined {
  const opened = openSignedNote(note, keys);
  if (opened === undefined) return undefined;
  const checkpoint = parseCheckpoint(opened.text);
  return checkpoint?.origin === opened.key.name ? checkpoint : undefined;
}

/** Parses a checkpoint without verifying its signature; undefined if the text is malformed. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [origin = "", size = "", root = "", ...extensions] = text.split("\n");
  const bytes = Buffer.from(root, "base64");
  if (origin === "" || !/^(?:0|[1-9]\d{0,15})$/.test(size) || bytes.length !== 32) return undefined;
  const findExtension = (name: string) =>
    extensions.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? "";
  return { origin, size: Number(size), root: bytes, head: findExtension("head"), time: findExtension("time") };
}
