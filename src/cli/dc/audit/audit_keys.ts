import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { formatVerifierLine, parseVerifierLine, type VerifierKey } from "#dc/audit/signed_note.ts";
import { OperationError } from "#kernel/errors.ts";

/** Returns the path of the file with the public keys of a private key (listed first) and of its predecessors. */
export function getPublicKeyPath(keyPath: string): string {
  return `${keyPath}.pub`;
}

/** Reads the signing key, or creates it for its owner only. @throws OperationError for an unfit or readable file */
export function openSigningKey(path: string, origin: string): KeyObject {
  const key = readPrivateKey(path) ?? createKeyFile(path);
  insertFirstLine(getPublicKeyPath(path), formatVerifierLine(origin, key));
  return key;
}

/** Reads a file's keys, one per line. @throws OperationError for an invalid line and for an empty file. */
export function readVerifierKeys(path: string): readonly VerifierKey[] {
  const lines = readLines(path);
  const keys = lines.map((line) => parseVerifierLine(line));
  const wrong = keys.indexOf(undefined);
  if (lines.length > 0 && wrong < 0) return keys.filter((key) => key !== undefined);
  const where = wrong > 0 ? ` in line ${wrong + 1}` : "";
  const expected = 'expected lines "name+hash+key", as "dc serve" writes them beside its key';
  throw new OperationError("invalid_argument", `Cannot read a verifier key from "${path}"${where}: ${expected}`);
}

/** Inserts a key's line at the beginning of a file. Earlier keys stay, because they verify earlier signatures. */
function insertFirstLine(path: string, line: string): void {
  const lines = readLines(path);
  if (lines[0] === line) return;
  const earlier = lines.filter((one) => one !== line && parseVerifierLine(one) !== undefined);
  const staged = `${path}.${process.pid}`;
  writeFileSync(staged, `${[line, ...earlier].join("\n")}\n`, { mode: 0o644, flush: true });
  renameSync(staged, path);
}

function readLines(path: string): readonly string[] {
  return (readText(path) ?? "").split("\n").filter((line) => line.trim() !== "");
}

function createKeyFile(path: string): KeyObject {
  const { privateKey } = generateKeyPairSync("ed25519");
  // The flag wx prevents overwriting a key that another process has created meanwhile.
  writeFileSync(path, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx" });
  return privateKey;
}

function readPrivateKey(path: string): KeyObject | undefined {
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
    // The error below reports an invalid key without the file's content.
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
