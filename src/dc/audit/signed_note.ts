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

/** Returns the text of a note that holds a good signature of the key; undefined for any other. */
export function openNote(note: string, { name, publicKey }: VerifierKey): string | undefined {
  const cut = note.lastIndexOf("\n\n");
  if (cut < 0 || !note.endsWith("\n")) return undefined;
  const text = note.slice(0, cut + 1);
  const hash = keyHash(name, rawKey(publicKey));
  for (const line of note.slice(cut + 2).split("\n")) {
    const [, signer, encoded = ""] = /^\u2014 (\S+) (\S+)$/.exec(line) ?? [];
    const bytes = Buffer.from(encoded, "base64");
    if (signer !== name || !bytes.subarray(0, 4).equals(hash)) continue;
    return verify(null, Buffer.from(text), publicKey, bytes.subarray(4)) ? text : undefined;
  }
  return undefined;
}

/** The key as one line, `name+hash+base64`, as other programs read it. */
export function verifierLine(name: string, key: KeyObject): string {
  const raw = rawKey(key);
  const encoded = Buffer.concat([Buffer.of(ED25519), raw]).toString("base64");
  return `${name}+${keyHash(name, raw).toString("hex")}+${encoded}`;
}

/** Reads a key's line; undefined when it is none or its hash does not fit. */
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
