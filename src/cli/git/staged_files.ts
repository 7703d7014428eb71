import { OperationError } from "#kernel/errors.ts";
import { CONFIG_FILE } from "#planner/config/config.ts";
import { parseSpecId, type SpecId } from "#planner/spec/spec_id.ts";
import { formatGitError } from "#planner/store/git/git.ts";
import type { ReadyGit } from "#planner/store/git/start_git.ts";
import type { Repository } from "./repository.ts";

/** A file in git's index. */
export interface IndexEntry {
  /** Path from the project root. */
  readonly file: string;
  readonly hash: string;
  /** False for links and submodules. */
  readonly isFile: boolean;
}

/** The files of a project in git's index. */
export interface ProjectIndex {
  readonly specs: ReadonlyMap<SpecId, IndexEntry>;
  readonly archivedIds: ReadonlySet<string>;
  /** `.planner/config.md`, or undefined if git does not track it. */
  readonly config: IndexEntry | undefined;
}

const INDEX_LINE = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s;
const SPEC_PATH = /^\.planner\/specs\/([^/]+)\.md$/;
const ARCHIVED_PATH = /^\.planner\/archive\/(?:\d{4}-\d{2}-\d{2}\/)?([^/]+)\.md$/;

/** Lists the project's files in the index without reading them. A file in conflict is listed with its first side. */
export async function readProjectIndex({ git, prefix }: Repository): Promise<ProjectIndex> {
  const specs = new Map<SpecId, IndexEntry>();
  const archivedIds = new Set<string>();
  let config: IndexEntry | undefined;
  for (const line of await git.readEntries(["ls-files", "--stage", "--full-name", "-z", ...buildPathspec(prefix)])) {
    const [, mode = "", hash = "", , path = ""] = INDEX_LINE.exec(line) ?? [];
    const entry = { file: path.slice(prefix.length), hash, isFile: mode.startsWith("100") };
    const id = parseSpecId(SPEC_PATH.exec(entry.file)?.[1] ?? "");
    const archived = ARCHIVED_PATH.exec(entry.file)?.[1];
    if (id !== undefined && !specs.has(id)) specs.set(id, entry);
    if (archived !== undefined) archivedIds.add(archived);
    if (entry.file === CONFIG_FILE) config ??= entry;
  }
  return { specs, archivedIds, config };
}

/** Returns the specs that the next commit adds or changes, and the removed ids; a renamed spec is in both lists. */
export async function readStagedIds({ git, prefix }: Repository): Promise<{ changed: SpecId[]; removed: SpecId[] }> {
  const listPaths = async (filter: string): Promise<readonly string[]> => {
    const words = ["diff", "--cached", "--name-only", "--no-renames", "--no-relative", "-z", `--diff-filter=${filter}`];
    return (await git.readEntries([...words, ...buildPathspec(prefix)])).map((path) => path.slice(prefix.length));
  };
  const [kept, gone] = await Promise.all([listPaths("d"), listPaths("D")]);
  return { changed: parseIds(kept, [SPEC_PATH]), removed: parseIds(gone, [SPEC_PATH, ARCHIVED_PATH]) };
}

function parseIds(paths: readonly string[], shapes: readonly RegExp[]): SpecId[] {
  const names = paths.map((path) => shapes.map((shape) => shape.exec(path)?.[1]).find((name) => name !== undefined));
  return names.map((name) => parseSpecId(name ?? "")).filter((id) => id !== undefined);
}

/** Returns the specs in the index whose text contains one of `ids`. */
export async function findSpecsMentioning(
  { git, prefix }: Repository,
  ids: readonly SpecId[],
): Promise<readonly SpecId[]> {
  if (ids.length === 0) return [];
  const patterns = ids.flatMap((id) => ["-e", id]);
  const words = ["grep", "--cached", "--files-with-matches", "--fixed-strings", "--full-name", "-z", ...patterns];
  const listed = (await git.tryReadOutput([...words, ...buildPathspec(prefix)])) ?? "";
  const paths = listed.split("\0").slice(0, -1);
  return parseIds(
    paths.map((path) => path.slice(prefix.length)),
    [SPEC_PATH],
  );
}

/** Builds a pathspec independent of git's working directory, in which no character of the path is a pattern. */
function buildPathspec(prefix: string): readonly string[] {
  return ["--", `:(top,literal)${prefix}.planner`];
}

/** Maximum length of git's error output in a message, in characters. */
const MAX_ERROR_CHARS = 1000;

interface PendingRead {
  readonly resolve: (content: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/** Reads many blobs through one `git cat-file --batch` process, which replies in the order of the requests. */
export class BlobReader {
  readonly #child: ReturnType<ReadyGit["start"]>;
  readonly #pendingReads: PendingRead[] = [];
  #chunks: Buffer[] = [];
  #length = 0;
  /** Size in bytes of the current reply including its header, or 0 until the header is complete. */
  #expected = 0;
  #failure: Error | undefined;
  #errorText = "";

  /** @param git a started `git cat-file --batch` */
  constructor(git: ReadyGit) {
    this.#child = git.start();
    this.#child.stderr.on("data", (chunk: Buffer) => {
      this.#errorText = `${this.#errorText}${chunk}`.slice(0, MAX_ERROR_CHARS);
    });
    this.#child.stdout.on("data", (chunk: Buffer) => this.#receiveChunk(chunk));
    // The exit of the process reports the reason, so write errors are ignored.
    this.#child.stdin.on("error", () => {});
    this.#child.on("error", (error) => this.#rejectPendingReads(error));
    this.#child.on("close", () => this.#rejectPendingReads(new Error(formatGitError(this.#errorText) || "it ended")));
  }

  /** @param hash hash of a blob in the repository */
  readBlob(hash: string): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#pendingReads.push({ resolve, reject });
      if (this.#failure === undefined) this.#child.stdin.write(`${hash}\n`);
      else this.#rejectPendingReads(this.#failure);
    });
  }

  close(): void {
    this.#child.stdin.end();
  }

  #receiveChunk(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    // Chunks are joined only when a reply is complete, so that a large blob is not copied once per chunk.
    while (this.#length > 0 && this.#length >= this.#expected && this.#completeOldestRead()) {}
  }

  /** Completes the oldest request if its reply, a header line and the content, has arrived. Returns false otherwise. */
  #completeOldestRead(): boolean {
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
    const waiting = this.#pendingReads.shift();
    if (type === "blob") waiting?.resolve(data.subarray(header + 1, end - 1));
    else waiting?.reject(new OperationError("not_found", `Cannot read ${hash} from git: it is no stored file`));
    this.#chunks = [data.subarray(end)];
    this.#length = data.length - end;
    this.#expected = 0;
    return true;
  }

  #rejectPendingReads(error: Error): void {
    this.#failure = error;
    for (const { reject } of this.#pendingReads.splice(0)) {
      reject(new OperationError("unavailable", `Cannot read from git: ${error.message}`));
    }
  }
}
