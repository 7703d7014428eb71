import { readFile, stat } from "node:fs/promises";
import { OperationError } from "#kernel/errors.ts";
import { OutageReporter } from "#kernel/outage.ts";

/** Interval of checks of the file, in milliseconds: removed entries stop working within it. */
const FILE_POLL_MS = 1000;

export interface FollowedFileOptions<Content> {
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
