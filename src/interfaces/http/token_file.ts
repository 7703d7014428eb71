import type { Principal } from "#dc/context.ts";
import { FollowedFile } from "./followed_file.ts";
import { parseTokens, principalOf, subscriberOf, type TokenRow } from "./token_table.ts";

/** The tokens of a file, read again when it changes. A file that has become unreadable opens nothing more. */
export class TokenFile {
  readonly #file: FollowedFile<readonly TokenRow[]>;

  private constructor(file: FollowedFile<readonly TokenRow[]>) {
    this.#file = file;
  }

  /** @throws OperationError when the file cannot be read */
  static async open(path: string, say: (message: string) => void): Promise<TokenFile> {
    const meanwhile = "no token works";
    const parse = (text: string): readonly TokenRow[] => {
      const { rows, faults } = parseTokens(text);
      for (const wrong of faults)
        say(`The token file "${path}" has a row that cannot be read and opens nothing: ${wrong}`);
      return rows;
    };
    return new TokenFile(await FollowedFile.open({ path, name: "token file", meanwhile, parse, say }));
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
