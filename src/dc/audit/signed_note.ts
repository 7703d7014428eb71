import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

// Signed notes with Ed25519 keys. Source: C2SP signed-note; golang.org/x/mod/sumdb/note.

const ED25519 = 1;
const SIGNATURE_DASH = "\u2014";

/** A public key for verification, with the name of its owner. */
export interface VerifierKey {
  readonly name: string;
  readonly publicKey: KeyObject;
}

/** Appends a signature line to a text. The text must end with a line break. */
export function signNote(text: string, name: string, privateKey: KeyObject): string {
  const signature = Buffer.concat([
    computeKeyHash(name, exportRawKey(privateKey)),
    sign(null, Buffer.from(text), privateKey),
  ]);
  return `${text}\n${SIGNATURE_DASH} ${name} ${signature.toString("base64")}\n`;
}

/** A note with a verified signature. */
interface OpenedNote {
  readonly text: string;
  readonly key: VerifierKey;
}

/**
 * Returns the text of a note that one of the keys signed; undefined if no key signed it, or if a signature is wrong.
 */
export function openSignedNote(note: string, keys: readonly VerifierKey[]): OpenedNote | undefined {
  const { text, signatures } = parseSignedNote(note);
  for (const { signer, hash, bytes } of signatures) {
    const key = keys.find((one) => one.name === signer && formatKeyHash(one) === hash);
    if (key === undefined) continue;
    return verify(null, Buffer.from(text), key.publicKey, bytes) ? { text, key } : undefined;
  }
  return undefined;
}

/** Lists hashes, in hexadecimal, of the keys that a note names as its signers. Verifies nothing. */
export function listSignerHashes(note: string): readonly string[] {
  return parseSignedNote(note).signatures.map(({ hash }) => hash);
}

/** Returns the hash of a key in hexadecimal, as in the key's line. */
export function formatKeyHash({ name, publicKey }: VerifierKey): string {
  return computeKeyHash(name, exportRawKey(publicKey)).toString("hex");
}

interface Signature {
  readonly signer: string;
  readonly hash: string;
  readonly bytes: Uint8Array;
}

function parseSignedNote(note: string): { readonly text: string; readonly signatures: readonly Signature[] } {
  const cut = note.lastIndexOf("\n\n");
  if (cut < 0 || !note.endsWith("\n")) return { text: "", signatures: [] };
  const signatures = note
    .slice(cut + 2)
    .split("\n")
    .flatMap((line) => {
      const [, signer, encoded = ""] = /^\u2014 (\S+) (\S+)$/.exec(line) ?? [];
      const bytes = Buffer.from(encoded, "base64");
      if (signer === undefined || bytes.length <= 4) return [];
      return [{ signer, hash: bytes.subarray(0, 4).toString("hex"), bytes: bytes.subarray(4) }];
    });
  return { text: note.slice(0, cut + 1), signatures };
}

/** Formats a key as one line, `name+hash+base64`, the format that other programs read. */
export function formatVerifierLine(name: string, key: KeyObject): string {
  const raw = exportRawKey(key);
  const encoded = Buffer.concat([Buffer.of(ED25519), raw]).toString("base64");
  return `${name}+${computeKeyHash(name, raw).toString("hex")}+${encoded}`;
}

/** Parses the line of a key; undefined if it is malformed or its hash does not match the key. */
export function parseVerifierLine(line: string): VerifierKey | undefined {
  const [, name = "", hash, encoded = ""] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(line.trim()) ?? [];
  const bytes = Buffer.from(encoded, "base64");
  const raw = bytes.subarray(1);
  if (bytes[0] !== ED25519 || raw.length !== 32 || computeKeyHash(name, raw).toString("hex") !== hash) return undefined;
  const publicKey = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: raw.toString("base64url") },
    format: "jwk",
  });
  return { name, publicKey };
}

function computeKeyHash(name: string, raw: Uint8Array): Buffer {
  const bytes = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ED25519), raw]);
  return createHash("sha256").update(bytes).digest().subarray(0, 4);
}

function exportRawKey(key: KeyObject): Buffer {
  const publicKey = key.type === "private" ? createPublicKey(key.export({ type: "pkcs8", format: "pem" })) : key;
  return Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
}
