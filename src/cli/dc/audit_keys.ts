import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { parseVerifierLine, type VerifierKey, verifierLine } from "#dc/audit/signed_note.ts";
import { OperationError } from "#kernel/errors.ts";

/** Where a private key's public line is kept. */
export function publicPath(keyPath: string): string {
  return `${keyPath}.pub`;
}

/**
 * Reads the key that signs checkpoints; creates it, readable by its owner only, if it does not exist.
 * @throws OperationError for a file that holds no Ed25519 key, or that others may read
 */
export function openSigningKey(path: string, origin: string): KeyObject {
  const key = readKey(path) ?? makeKey(path);
  const line = `${verifierLine(origin, key)}\n`;
  if (readText(publicPath(path)) !== line) writeFileSync(publicPath(path), line, { mode: 0o644 });
  return key;
}

/** Reads a verifier's line. @throws OperationError when the file holds none */
export function readVerifierKey(path: string): VerifierKey {
  const key = parseVerifierLine(readText(path) ?? "");
  if (key !== undefined) return key;
  const expected = 'expected a line "name+hash+key", as "dc serve" writes it beside its key';
  throw new OperationError("invalid_argument", `Cannot read a verifier key from "${path}": ${expected}`);
}

function makeKey(path: string): KeyObject {
  const { privateKey } = generateKeyPairSync("ed25519");
  // wx: a key that another process has made meanwhile is not overwritten.
  writeFileSync(path, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx" });
  return privateKey;
}

function readKey(path: string): KeyObject | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  if ((statSync(path).mode & 0o077) !== 0) {
    const expected = "expected mode 0600, so that its owner alone can sign";
    throw new OperationError("failed_precondition", `The checkpoint key "${path}" can be read by others: ${expected}`);
  }
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Told below, without what the file holds.
  }
  throw new OperationError("invalid_argument", `Cannot read a key from "${path}": expected an Ed25519 key in PEM`);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new OperationError("unavailable", `Cannot read "${path}": ${(error as Error).message}`, { cause: error });
  }
}
