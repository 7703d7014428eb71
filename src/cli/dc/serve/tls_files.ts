import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { parseHost } from "#interfaces/http/admission.ts";
import { OperationError } from "#kernel/errors.ts";
import { OutageReporter } from "#kernel/notices.ts";

export interface TlsPaths {
  readonly key: string;
  readonly cert: string;
}

/** A private key and its certificate chain, both as PEM text. */
export interface TlsPair {
  readonly key: string;
  readonly cert: string;
  /** Time at which the certificate expires. */
  readonly end: Date;
}

/** Milliseconds between checks of the files; certificates are renewed days before they expire. */
const CHECK_INTERVAL_MS = 10_000;

/** Reads both files. @throws OperationError if a file cannot be read or used, or if the key does not fit. */
export async function readTlsPair(paths: TlsPaths): Promise<TlsPair> {
  const [key, cert] = [await readPem(paths.key), await readPem(paths.cert)];
  const privateKey = wrapReadErrors(paths.key, "private key", () => createPrivateKey(key));
  const certificate = wrapReadErrors(paths.cert, "certificate", () => new X509Certificate(cert));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new OperationError("invalid_argument", `"${paths.key}" is not the key of the certificate "${paths.cert}"`);
  }
  return { key, cert, end: new Date(certificate.validTo) };
}

/** Returns whether the certificate is valid for the host of `host:port`. */
export function isCertificateForHost(pair: TlsPair | undefined, authority: string): boolean {
  const host = parseHost(authority);
  if (pair === undefined || host === undefined) return false;
  const certificate = new X509Certificate(pair.cert);
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

export interface FollowTlsOptions {
  readonly renew: (pair: TlsPair) => void;
  /** Logs each renewed pair, and when the files become unusable or usable again. */
  readonly say: (message: string) => void;
  readonly everyMs?: number;
}

/** Reloads renewed files at intervals; keeps the current pair if they are invalid. Returns a function that stops it. */
export function followTlsFiles(
  paths: TlsPaths,
  first: TlsPair,
  { renew, say, everyMs = CHECK_INTERVAL_MS }: FollowTlsOptions,
): () => void {
  let current = first;
  const gone = (why: string) => `${why}; the certificate until ${current.end.toISOString()} stays in use`;
  const outage = new OutageReporter({ gone, back: "The certificate and its key can be read again" }, say);
  const checkFiles = async () => {
    try {
      const fresh = await readTlsPair(paths);
      outage.recordSuccess();
      if (fresh.key === current.key && fresh.cert === current.cert) return;
      renew(fresh);
      current = fresh;
      say(`The certificate was reloaded and is valid until ${fresh.end.toISOString()}`);
    } catch (error) {
      outage.recordFailure((error as Error).message);
    }
  };
  const timer = setInterval(() => void checkFiles(), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

async function readPem(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { message } = error as Error;
    throw new OperationError("not_found", `Cannot read "${path}": ${message}`, { cause: error });
  }
}

function wrapReadErrors<Result>(path: string, what: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new OperationError("invalid_argument", `"${path}" holds no ${what} in PEM`, { cause: error });
  }
}
