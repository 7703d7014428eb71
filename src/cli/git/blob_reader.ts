import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { OperationError } from "#kernel/errors.ts";
import { gitsWords } from "#planner/store/git/git.ts";
import type { ReadyGit } from "#planner/store/git/start_git.ts";

/** Most of what git says that a refusal quotes, in characters. */
const MAX_WORDS = 1000;

interface Waiting {
  readonly resolve: (content: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/** Reads any number of blobs through one `git cat-file --batch`; `close` ends it. Answers come in the order asked. */
export class BlobReader {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting: Waiting[] = [];
  #chunks: Buffer[] = [];
  #length = 0;
  /** Bytes of the answer under way with its header, or 0 while the header is not whole. */
  #expected = 0;
  #failure: Error | undefined;
  #words = "";

  /** @param git a `git cat-file --batch` */
  constructor(git: ReadyGit) {
    this.#child = git.start();
    this.#child.stderr.on("data", (chunk: Buffer) => {
      this.#words = `${this.#words}${chunk}`.slice(0, MAX_WORDS);
    });
    this.#child.stdout.on("data", (chunk: Buffer) => this.#take(chunk));
    // The end of the process says why it no longer reads.
    this.#child.stdin.on("error", () => {});
    this.#child.on("error", (error) => this.#fail(error));
    this.#child.on("close", () => this.#fail(new Error(gitsWords(this.#words) || "it ended")));
  }

  /** @param hash of a blob that is in the repository */
  read(hash: string): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (this.#failure === undefined) this.#child.stdin.write(`${hash}\n`);
      else this.#fail(this.#failure);
    });
  }

  close(): void {
    this.#child.stdin.end();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    // Joining only when an answer is whole keeps a large blob from being copied once per chunk.
    while (this.#length > 0 && this.#length >= this.#expected && this.#answer()) {}
  }

  /** Hands out one answer, `<hash> <type> <size>\n<content>\n`; false while it is not whole. */
  #answer(): boolean {
    const [only] = this.#chunks;
    const data = only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
    this.#chunks = [data];
    const header = data.indexOf(10);
    if (header === -1) return false;
    const [hash, type, size] = data.toString("latin1", 0, header).split(" ");
    const end = header + 1 + (type === "missing" ? 0 : Number(size) + 1);
    if (data.length < end) {
      this.#expected = end;
      return false;
    }
    const waiting = this.#waiting.shift();
    if (type === "blob") waiting?.resolve(data.subarray(header + 1, end - 1));
    else waiting?.reject(new OperationError("not_found", `Cannot read ${hash} from git: it is no stored file`));
    this.#chunks = [data.subarray(end)];
    this.#length = data.length - end;
    this.#expected = 0;
    return true;
  }

  #fail(error: Error): void {
    this.#failure = error;
    for (const { reject } of this.#waiting.splice(0)) {
      reject(new OperationError("unavailable", `Cannot read from git: ${error.message}`));
    }
  }
}
