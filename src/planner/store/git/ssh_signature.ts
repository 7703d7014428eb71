import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import { describeSystemError } from "../files/disk_error.ts";
import { Git, killProcess } from "./git.ts";

/** Maximum duration of ssh-keygen in milliseconds. Chosen by planner: a hardware key waits for a touch. */
const KEYGEN_LIMIT_MS = 60_000;

/** The key of git's settings, as a file's path or the text of a public key, or the reason why SSH cannot sign. */
export type SigningKey =
  | { readonly kind: "ssh"; readonly key: string }
  | { readonly kind: "none"; readonly why: string };

export async function readSigningKey(root: string): Promise<SigningKey> {
  const git = new Git(root);
  const format = await git.tryReadOutput(["config", "--get", "gpg.format"]);
  if (format !== "ssh") return { kind: "none", why: `git's gpg.format is "${format ?? "openpgp"}", expected "ssh"` };
  const key = await git.tryReadOutput(["config", "--type=path", "--get", "user.signingKey"]);
  return key === null || key === "" ? { kind: "none", why: "git's user.signingKey is not set" } : { kind: "ssh", key };
}

/**
 * Signs bytes with an SSH key, which may exist only in the SSH agent. Never asks for a passphrase.
 *
 * @returns the armoured signature
 * @throws OperationError `failed_precondition` with the message of ssh-keygen
 */
export function signBytesWithSsh(
  key: string,
  namespace: string,
  bytes: Uint8Array,
  limitMs = KEYGEN_LIMIT_MS,
): Promise<string> {
  return runWithPrivateFolder(async (folder) => {
    const text = /^(?:key::)?((?:ssh|ecdsa|sk)-\S+ .*)$/s.exec(key)?.[1];
    const file = text === undefined ? key : join(folder, "key.pub");
    if (text !== undefined) writeFileSync(file, `${text}\n`, { mode: 0o600 });
    const { status, stdout, stderr } = await runKeygen(
      ["-q", "-Y", "sign", "-f", file, "-n", namespace],
      bytes,
      limitMs,
    );
    if (status === 0) return stdout;
    throw createPreconditionError(
      `Cannot sign with "${key}": ${stderr}; a key with a passphrase has to be in the SSH agent`,
    );
  });
}

/** Returns the fingerprint of the key that made an armoured signature; null for any other text. */
export function computeFingerprint(armoured: string): string | null {
  const key = extractPublicKey(armoured);
  return key === null ? null : `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}

/** Extracts the key. Source: OpenSSH PROTOCOL.sshsig: "SSHSIG", a version of four bytes, the key's length, the key. */
function extractPublicKey(armoured: string): Buffer | null {
  const body = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)-----END SSH SIGNATURE-----\n?$/.exec(armoured)?.[1];
  const blob = Buffer.from(body ?? "", "base64");
  if (blob.length < 14 || blob.toString("latin1", 0, 6) !== "SSHSIG") return null;
  const end = 14 + blob.readUInt32BE(10);
  return end > blob.length ? null : blob.subarray(14, end);
}

/**
 * Verifies a signature against the file of allowed signers in git's settings at `root`.
 *
 * @returns the name of the signer
 * @throws OperationError `failed_precondition` that says why the signature is not valid
 */
export async function verifySshSignature(
  root: string,
  { armoured, namespace, bytes }: { readonly armoured: string; readonly namespace: string; readonly bytes: Uint8Array },
): Promise<string> {
  const allowed = await new Git(root).tryReadOutput(["config", "--type=path", "--get", "gpg.ssh.allowedSignersFile"]);
  if (allowed === null || allowed === "") throw buildSignatureError("git's gpg.ssh.allowedSignersFile is not set");
  const fingerprint = computeFingerprint(armoured);
  if (fingerprint === null) throw buildSignatureError("the signature is none of ssh-keygen's");
  return runWithPrivateFolder(async (folder) => {
    const signature = join(folder, "signature");
    writeFileSync(signature, armoured, { mode: 0o600 });
    const found = await runKeygen(["-Y", "find-principals", "-s", signature, "-f", allowed], "");
    const narrow = buildNamespaceLine(allowed, armoured, namespace);
    const names = found.status === 0 ? found.stdout.split("\n").filter(Boolean) : [];
    let failure = found.stderr;
    for (const name of names) {
      const checked = await runKeygen(
        ["-Y", "verify", "-f", allowed, "-I", name, "-n", namespace, "-s", signature],
        bytes,
      );
      if (checked.status === 0) return name;
      failure = checked.stderr;
    }
    if (narrow !== null)
      throw buildSignatureError(
        `"${allowed}" allows ${fingerprint} for other signatures only, expected the line\n${narrow}`,
      );
    if (names.length === 0)
      throw buildSignatureError(`"${allowed}" allows no signer with the key ${fingerprint}: ${failure}`);
    throw buildSignatureError(failure);
  });
}

function buildSignatureError(why: string): OperationError {
  return createPreconditionError(`The attestation does not hold: ${why}`);
}

/** Returns the line that allows the key for other namespaces, with this namespace added; null without such a line. */
function buildNamespaceLine(allowed: string, armoured: string, namespace: string): string | null {
  const key = extractPublicKey(armoured)?.toString("base64") ?? "";
  let text: string;
  try {
    text = readFileSync(allowed, "utf8");
  } catch (error) {
    throw buildSignatureError(`"${allowed}" cannot be read: ${describeSystemError(error)}`);
  }
  const lines = text.split(/\r?\n/).filter((one) => one.split(/\s+/).includes(key));
  const named = lines.find((one) => {
    const names = /namespaces="([^"]*)"/i.exec(one)?.[1];
    return names !== undefined && !names.split(",").includes(namespace);
  });
  return named?.replace(/(namespaces="[^"]*)"/i, `$1,${namespace}"`) ?? null;
}

interface KeygenAnswer {
  readonly status: number | null;
  readonly stdout: string;
  /** Error output joined to one line. */
  readonly stderr: string;
}

/** Runs ssh-keygen in a separate session, without a terminal on which it could ask. */
function runKeygen(
  args: readonly string[],
  input: string | Uint8Array,
  limitMs = KEYGEN_LIMIT_MS,
): Promise<KeygenAnswer> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, LC_ALL: "C", SSH_ASKPASS_REQUIRE: "never" };
    const child = spawn("ssh-keygen", args, { detached: true, env, windowsHide: true });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      killProcess(child, true);
    }, limitMs);
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(new OperationError("unavailable", `Cannot run ssh-keygen: ${describeSystemError(error)}`));
    });
    child.on("close", (status) => {
      clearTimeout(timer);
      if (isLate) {
        const why = `ssh-keygen took over ${limitMs / 1000} s: it waited, for example for the SSH agent or a touch`;
        return reject(new OperationError("deadline_exceeded", why));
      }
      const stderr = Buffer.concat(err)
        .toString()
        .trim()
        .replace(/\s*\r?\n\s*/g, "; ");
      return resolve({
        status,
        stdout: Buffer.concat(out).toString(),
        stderr: stderr || `ssh-keygen ended with ${status}`,
      });
    });
    // ssh-keygen may end without reading its input.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** Calls `use` with a folder that only this user can read, and removes it afterwards. */
async function runWithPrivateFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "planner-sign-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
