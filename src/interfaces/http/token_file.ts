import type { Principal } from "#dc/context.ts";
import { OperationError } from "#kernel/errors.ts";
import { FollowedFile } from "./followed_file.ts";
import { findSubscriberByToken, findTokenPrincipal, parseTokenTable, type TokenRow } from "./token_table.ts";

/** The tokens of a file, read again after each change. While the file is unreadable, no token is valid. */
export class TokenFile {
  readonly #file: FollowedFile<readonly TokenRow[]>;

  private constructor(file: FollowedFile<readonly TokenRow[]>) {
    this.#file = file;
  }

  /** Opens a token file. @throws OperationError when the file cannot be read, or has two rows of one token */
  static async open(path: string, say: (message: string) => void): Promise<TokenFile> {
    const meanwhile = "no token works";
    let isStarting = true;
    const parse = (text: string): readonly TokenRow[] => {
      const { rows, faults, duplicates } = parseTokenTable(text);
      const [first] = duplicates;
      if (isStarting && first !== undefined)
        throw new OperationError("invalid_argument", `${first}: expected each token once`);
      for (const wrong of duplicates) say(`The token file "${path}" has rows that open nothing: ${wrong}`);
      for (const wrong of faults)
        say(`The token file "${path}" has a row that cannot be read and opens nothing: ${wrong}`);
      return rows;
    };
    const file = await FollowedFile.open({ path, name: "token file", meanwhile, parseContent: parse, report: say });
    isStarting = false;
    return new TokenFile(file);
  }

  /** Finds the principal of a call. @throws Refusal UNAUTHENTICATED */
  async findPrincipal(authorization: string | null): Promise<Principal | undefined> {
    return findTokenPrincipal((await this.#file.readCurrent()) ?? [], authorization);
  }

  /** Finds the principal of a calendar subscription. @throws Refusal UNAUTHENTICATED */
  async findSubscriber(secret: string): Promise<Principal> {
    return findSubscriberByToken((await this.#file.readCurrent()) ?? [], secret);
  }
}
