import { readFile, stat } from "node:fs/promises";
import { OperationError } from "#kernel/errors.ts";
import { Outage } from "#kernel/outage.ts";

/** Interval of checks of the file, in milliseconds: removed entries stop working within it. */
const FILE_POLL_MS = 1000;

export interface FollowedFileOptions<Content> {
  readonly path: string;
  /** Name of the file in messages, such as "token file". */
  readonly name: string;
  /** Effect while the file cannot be used, for messages. */
  readonly meanwhile: string;
  /** Parses the text of the file. @throws OperationError for text that cannot be used */
  readonly parse: (text: string) => Content;
  /** Called when the file changes, becomes unusable or becomes usable again. */
  readonly say: (message: string) => void;
}

/** A file that is read again after each change. While the file cannot be used, its content counts as empty. */
export class FollowedFile<Content> {
  readonly #options: FollowedFileOptions<Content>;
  readonly #outage: Outage;
  #content: Content | undefined;
  #mark = "";
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  private constructor(options: FollowedFileOptions<Content>) {
    const { name, path, meanwhile, say } = options;
    this.#options = options;
    this.#outage = new Outage(
      { gone: (why) => `${why}; ${meanwhile} until it can be read`, back: `The ${name} "${path}" can be read again` },
      say,
    );
  }

  /** Opens a file. @throws OperationError when the file cannot be used: not_found when it cannot be read */
  static async open<Content>(options: FollowedFileOptions<Content>): Promise<FollowedFile<Content>> {
    const file = new FollowedFile(options);
    await file.#read();
    return file;
  }

  /** Returns the content, or undefined while the file cannot be used. */
  async current(): Promise<Content | undefined> {
    if (performance.now() - this.#lookedAt > FILE_POLL_MS) {
      this.#looking ??= this.#lookAgain().finally(() => {
        this.#looking = undefined;
      });
      await this.#looking;
    }
    return this.#content;
  }

  async #lookAgain(): Promise<void> {
    try {
      const { name, path, say } = this.#options;
      const changed = await this.#read();
      if (changed && !this.#outage.lasts) say(`The ${name} "${path}" has changed and was read again`);
      this.#outage.worked();
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      this.#outage.failed(error.message);
      this.#content = undefined;
      this.#mark = "";
      this.#lookedAt = performance.now();
    }
  }

  async #read(): Promise<boolean> {
    const { name, path, parse } = this.#options;
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const mark = `${mtimeMs} ${size} ${ino}`;
      const changed = mark !== this.#mark;
      if (changed) this.#content = parse(await readFile(path, "utf8"));
      this.#mark = mark;
      this.#lookedAt = performance.now();
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
