import { createHash, timingSafeEqual } from "node:crypto";
import { refuse } from "#dc/model/refusal.ts";
import { InvalidTokenRefusal } from "#dc/operations/messages/status.ts";
import { OperationError } from "#kernel/errors.ts";
import { FollowedFile } from "./followed_file.ts";

/** Minimum length of a secret, in characters. Our choice: 16 random characters cannot be guessed over a network. */
const MIN_SECRET_CHARS = 16;

/** The secrets that authorize the webhook: several while one replaces another. */
export class WebhookSecrets {
  readonly #hashes: () => Promise<readonly Buffer[] | undefined>;

  private constructor(hashes: () => Promise<readonly Buffer[] | undefined>) {
    this.#hashes = hashes;
  }

  /**
   * Opens a file with one secret per line and follows its changes.
   * @throws OperationError when it cannot be read or contains no valid secret
   */
  static async open(path: string, say: (message: string) => void): Promise<WebhookSecrets> {
    const meanwhile = "deliveries of change feeds are rejected";
    const file = await FollowedFile.open({
      path,
      name: "webhook's secret file",
      meanwhile,
      parseContent: parseSecrets,
      report: say,
    });
    return new WebhookSecrets(() => file.readCurrent());
  }

  /** Parses secrets. @throws OperationError for text without a valid secret */
  static parse(text: string): WebhookSecrets {
    const hashes = parseSecrets(text);
    return new WebhookSecrets(async () => hashes);
  }

  /**
   * Checks the header that a feed sends: the secret itself, or the secret after `Bearer`. Compares all secrets in
   * constant time. Source: CockroachDB, webhook_auth_header.
   * @throws Refusal UNAUTHENTICATED; OperationError unavailable while the file cannot be read, so that the feed tries
   * again
   */
  async checkAuthorization(authorization: string | null): Promise<void> {
    if (authorization === null)
      throw refuse("UNAUTHENTICATED", "The webhook requires its secret: expected Authorization: Bearer <secret>");
    const hashes = await this.#hashes();
    if (hashes === undefined) throw refuse("CREDENTIALS_UNAVAILABLE", "The webhook's secrets are not available");
    const given = hashSecret(authorization.replace(/^Bearer +/i, "").trim());
    const fits = hashes.filter((hash) => timingSafeEqual(hash, given));
    if (fits.length === 0)
      throw new InvalidTokenRefusal("Authorization holds a wrong webhook secret: expected one of the secret file");
  }
}

function parseSecrets(text: string): readonly Buffer[] {
  const secrets = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (secrets.length === 0 || secrets.some((secret) => secret.length < MIN_SECRET_CHARS)) {
    const expected = `expected one secret of at least ${MIN_SECRET_CHARS} characters per line`;
    throw new OperationError("invalid_argument", expected);
  }
  return secrets.map(hashSecret);
}

function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
