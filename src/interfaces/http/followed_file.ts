import { createHash, timingSafeEqual } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { refuse } from "#dc/model/refusal.ts";
import { InvalidTokenRefusal } from "#dc/operations/messages/status.ts";
import { OperationError } from "#kernel/errors.ts";
import { OutageReporter } from "#kernel/notices.ts";

/** Interval of checks of the file, in milliseconds: removed entries stop working within it. */
const FILE_POLL_MS = 1000;

interface FollowedFileOptions<Content> {
  readonly path: string;
  /** Name of the file in messages, such as "token file". */
  readonly name: string;
  /** Effect while the file cannot be used, for messages. */
  readonly meanwhile: string;
  /** Parses the text of the file. @throws OperationError for text that cannot be used */
  readonly parseContent: (text: string) => Content;
  /** Called when the file changes, becomes unusable or becomes usable again. */
  readonly report: (message: string) => void;
}

/** A file that is read again after each change. While the file cannot be used, its content counts as empty. */
export class FollowedFile<Content> {
  readonly #options: FollowedFileOptions<Content>;
  readonly #outage: OutageReporter;
  #content: Content | undefined;
  #fileVersion = "";
  #checkedAt = Number.NEGATIVE_INFINITY;
  #runningCheck: Promise<void> | undefined;

  private constructor(options: FollowedFileOptions<Content>) {
    const { name, path, meanwhile, report } = options;
    this.#options = options;
    this.#outage = new OutageReporter(
      { gone: (why) => `${why}; ${meanwhile} until it can be read`, back: `The ${name} "${path}" can be read again` },
      report,
    );
  }

  /** Opens a file. @throws OperationError when the file cannot be used: not_found when it cannot be read */
  static async open<Content>(options: FollowedFileOptions<Content>): Promise<FollowedFile<Content>> {
    const file = new FollowedFile(options);
    await file.#readIfChanged();
    return file;
  }

  /** Returns the content, or undefined while the file cannot be used. */
  async readCurrent(): Promise<Content | undefined> {
    if (performance.now() - this.#checkedAt > FILE_POLL_MS) {
      this.#runningCheck ??= this.#checkFile().finally(() => {
        this.#runningCheck = undefined;
      });
      await this.#runningCheck;
    }
    return this.#content;
  }

  async #checkFile(): Promise<void> {
    try {
      const { name, path, report } = this.#options;
      const changed = await this.#readIfChanged();
      if (changed && !this.#outage.isLasting) report(`The ${name} "${path}" has changed and was read again`);
      this.#outage.recordSuccess();
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      this.#outage.recordFailure(error.message);
      this.#content = undefined;
      this.#fileVersion = "";
      this.#checkedAt = performance.now();
    }
  }

  async #readIfChanged(): Promise<boolean> {
    const { name, path, parseContent } = this.#options;
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const mark = `${mtimeMs} ${size} ${ino}`;
      const changed = mark !== this.#fileVersion;
      if (changed) this.#content = parseContent(await readFile(path, "utf8"));
      this.#fileVersion = mark;
      this.#checkedAt = performance.now();
      return changed;
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof OperationError) {
        throw new OperationError(error.kind, `Cannot use the ${name} "${path}": ${message}`, { cause: error });
      }
      throw new OperationError("not_found", `Cannot read the ${name} "${path}": ${message}`, { cause: error });
    }
  }
}

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
