import { readFile, stat } from "node:fs/promises";
import type { Principal } from "#dc/context.ts";
import { OperationError } from "#kernel/errors.ts";
import { parseTokens, principalOf, type TokenRow } from "./token_table.ts";

/** How long a look at the file holds, in milliseconds: a revoked token works no longer than that. */
const LOOK_EVERY_MS = 1000;

/** The tokens of a file, read again when it changes. A file that has become unreadable opens nothing more. */
export class TokenFile {
  readonly #path: string;
  readonly #warn: (message: string) => void;
  #rows: readonly TokenRow[] = [];
  #mark = "";
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  private constructor(path: string, warn: (message: string) => void) {
    this.#path = path;
    this.#warn = warn;
  }

  /** @throws OperationError when the file cannot be read */
  static async open(path: string, warn: (message: string) => void): Promise<TokenFile> {
    const file = new TokenFile(path, warn);
    await file.#read();
    return file;
  }

  /** Finds who calls. @throws Refusal UNAUTHENTICATED */
  async find(authorization: string | null): Promise<Principal | undefined> {
    if (performance.now() - this.#lookedAt > LOOK_EVERY_MS) {
      this.#looking ??= this.#lookAgain().finally(() => {
        this.#looking = undefined;
      });
      await this.#looking;
    }
    return principalOf(this.#rows, authorization);
  }

  async #lookAgain(): Promise<void> {
    try {
      await this.#read();
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      if (this.#rows.length > 0) this.#warn(`${error.message}; no token works until it can be read`);
      this.#rows = [];
      this.#mark = "";
      this.#lookedAt = performance.now();
    }
  }

  async #read(): Promise<void> {
    try {
      const { mtimeMs, size, ino } = await stat(this.#path);
      const mark = `${mtimeMs} ${size} ${ino}`;
      if (mark !== this.#mark) this.#rows = parseTokens(await readFile(this.#path, "utf8"));
      this.#mark = mark;
      this.#lookedAt = performance.now();
    } catch (error) {
      if (error instanceof OperationError) throw error;
      const { message } = error as Error;
      throw new OperationError("not_found", `Cannot read the token file "${this.#path}": ${message}`, { cause: error });
    }
  }
}
