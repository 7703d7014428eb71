import type { Principal } from "#dc/context.ts";
import { OperationError } from "#kernel/errors.ts";
import { FollowedFile } from "./followed_file.ts";
import { parseTokens, principalOf, subscriberOf, type TokenRow } from "./token_table.ts";

/** The tokens of a file, read again when it changes. A file that has become unreadable opens nothing more. */
export class TokenFile {
  readonly #file: FollowedFile<readonly TokenRow[]>;

  private constructor(file: FollowedFile<readonly TokenRow[]>) {
    this.#file = file;
  }

  /** @throws OperationError when the file cannot be read, or has two rows of one token */
  static async open(path: string, say: (message: string) => void): Promise<TokenFile> {
    const meanwhile = "no token works";
    let isStarting = true;
    const parse = (text: string): readonly TokenRow[] => {
      const { rows, faults, doubles } = parseTokens(text);
      const [first] = doubles;
      if (isStarting && first !== undefined)
        throw new OperationError("invalid_argument", `${first}: expected each token once`);
      for (const wrong of doubles) say(`The token file "${path}" has rows that open nothing: ${wrong}`);
      for (const wrong of faults)
        say(`The token file "${path}" has a row that cannot be read and opens nothing: ${wrong}`);
      return rows;
    };
    const file = await FollowedFile.open({ path, name: "token file", meanwhile, parse, say });
    isStarting = false;
    return new TokenFile(file);
  }

  /** Finds who calls. @throws Refusal UNAUTHENTICATED */
  async find(authorization: string | null): Promise<Principal | undefined> {
    return principalOf((await this.#file.current()) ?? [], authorization);
  }

  /** Finds who subscribes to the calendar. @throws Refusal UNAUTHENTICATED */
  async findSubscriber(secret: string): Promise<Principal> {
    return subscriberOf((await this.#file.current()) ?? [], secret);
  }
}
