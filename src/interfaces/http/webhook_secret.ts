import { createHash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { refuse } from "#dc/model/refusal.ts";
import { OperationError } from "#kernel/errors.ts";

/** Shortest secret that is taken, in characters. Ours: 16 random characters cannot be guessed over a network. */
const MIN_CHARS = 16;

/** The secrets that open the webhook: several while one takes another's place. */
export class WebhookSecret {
  readonly #hashes: readonly Buffer[];

  private constructor(hashes: readonly Buffer[]) {
    this.#hashes = hashes;
  }

  /** Reads a file with one secret per line. @throws OperationError when it cannot be read or holds none that is good */
  static async open(path: string): Promise<WebhookSecret> {
    let text: string;
    try {
      text = await readFile(path, "utf8");
    } catch (error) {
      const { message } = error as Error;
      throw new OperationError("not_found", `Cannot read the webhook's secret "${path}": ${message}`, { cause: error });
    }
    return WebhookSecret.of(text, path);
  }

  static of(text: string, path: string): WebhookSecret {
    const secrets = text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
    if (secrets.length === 0 || secrets.some((secret) => secret.length < MIN_CHARS)) {
      const expected = `expected one secret of at least ${MIN_CHARS} characters per line`;
      throw new OperationError("invalid_argument", `Cannot use the webhook's secret file "${path}": ${expected}`);
    }
    return new WebhookSecret(secrets.map(hashed));
  }

  /**
   * Checks the header that a feed sends: the secret itself, or behind `Bearer`. All are compared, in constant time.
   * Source: CockroachDB, webhook_auth_header. @throws Refusal UNAUTHENTICATED
   */
  check(authorization: string | null): void {
    if (authorization === null)
      throw refuse("UNAUTHENTICATED", "The webhook needs its secret: expected Authorization: Bearer");
    const given = hashed(authorization.replace(/^Bearer +/i, "").trim());
    const fits = this.#hashes.filter((hash) => timingSafeEqual(hash, given));
    if (fits.length === 0) throw refuse("UNAUTHENTICATED", "The webhook's secret is another one");
  }
}

function hashed(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
