import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

// Signed notes with Ed25519 keys. Source: C2SP signed-note; golang.org/x/mod/sumdb/note.

const ED25519 = 1;
const DASH = "\u2014";

/** A key that checks signatures, with the name of its owner. */
export interface VerifierKey {
  readonly name: string;
  readonly publicKey: KeyObject;
}

/** Adds a signature line to a text that ends with a line break. */
export function signNote(text: string, name: string, privateKey: KeyObject): string {
  const signature = Buffer.concat([keyHash(name, rawKey(privateKey)), sign(null, Buffer.from(text), privateKey)]);
  return `${text}\n${DASH} ${name} ${signature.toString("base64")}\n`;
}

/** A note whose signature was found good. */
export interface OpenedNote {
  readonly text: string;
  readonly key: VerifierKey;
}

/** Returns the text of a note that one of the keys has signed; undefined without one, or with a bad signature. */
export function openNote(note: string, keys: readonly VerifierKey[]): OpenedNote | undefined {
  const { text, signatures } = partsOf(note);
  for (const { signer, hash, bytes } of signatures) {
    const key = keys.find((one) => one.name === signer && hashOfKey(one) === hash);
    if (key === undefined) continue;
    return verify(null, Buffer.from(text), key.publicKey, bytes) ? { text, key } : undefined;
  }
  return undefined;
}

/** Hashes of the keys that a note says signed it, in hexadecimal; nothing is verified. */
export function signersOf(note: string): readonly string[] {
  return partsOf(note).signatures.map(({ hash }) => hash);
}

/** The hash of a key in hexadecimal, as its line has it. */
export function hashOfKey({ name, publicKey }: VerifierKey): string {
  return keyHash(name, rawKey(publicKey)).toString("hex");
}

interface Signature {
  readonly signer: string;
  readonly hash: string;
  readonly bytes: Uint8Array;
}

function partsOf(note: string): { readonly text: string; readonly signatures: readonly Signature[] } {
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

/** The key as one line, `name+hash+base64`, as other programs read it. */
export function verifierLine(name: string, key: KeyObject): string {
  const raw = rawKey(key);
  const encoded = Buffer.concat([Buffer.of(ED25519), raw]).toString("base64");
  return `${name}+${keyHash(name, raw).toString("hex")}+${encoded}`;
}

/** Reads a key's line; undefined when it is not a key's line or its hash does not fit. */
export function parseVerifierLine(line: string): VerifierKey | undefined {
  const [, name = "", hash, encoded = ""] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(line.trim()) ?? [];
  const bytes = Buffer.from(encoded, "base64");
  const raw = bytes.subarray(1);
  if (bytes[0] !== ED25519 || raw.length !== 32 || keyHash(name, raw).toString("hex") !== hash) return undefined;
  const publicKey = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: raw.toString("base64url") },
    format: "jwk",
  });
  return { name, publicKey };
}

function keyHash(name: string, raw: Uint8Array): Buffer {
  const bytes = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ED25519), raw]);
  return createHash("sha256").update(bytes).digest().subarray(0, 4);
}

function rawKey(key: KeyObject): Buffer {
  const publicKey = key.type === "private" ? createPublicKey(key.export({ type: "pkcs8", format: "pem" })) : key;
  return Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
}
