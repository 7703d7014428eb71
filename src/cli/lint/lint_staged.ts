import { OperationError } from "#kernel/errors.ts";
import { CONFIG_FILE, type PlannerConfig } from "#planner/config/config.ts";
import type { PlannerContext } from "#planner/context.ts";
import { MAX_SPEC_BYTES } from "#planner/limits.ts";
import { createLintReport, type Finding, type LintReport } from "#planner/lint/finding.ts";
import { checkSpecOutput, type LintSource, lintProject, parseSpec } from "#planner/lint/lint_project.ts";
import type { Spec, UnreadableFile } from "#planner/spec/spec.ts";
import { compareSpecIds, parseSpecId, type SpecId } from "#planner/spec/spec_id.ts";
import { decodeText, describeTooLarge } from "#planner/store/files/read_text.ts";
import { formatGitError, type Git } from "#planner/store/git/git.ts";
import type { ReadyGit } from "#planner/store/git/start_git.ts";
import { type Repository, requireRepository } from "../git/repository.ts";

/**
 * Lints the next commit: the specs that it adds or changes, and other specs that depend on a spec that it removes.
 * Source: docs/decisions.md#s-15.
 * @throws OperationError `failed_precondition` outside a git repository
 */
export async function lintStaged(context: PlannerContext, root: string): Promise<LintReport> {
  const repository = await requireRepository(root);
  const [index, { changed, removed }] = await Promise.all([readProjectIndex(repository), readStagedIds(repository)]);
  const gone = removed.filter((id) => !index.archivedIds.has(id) && !index.specs.has(id));
  const own = new Set(changed);
  const others = (await findSpecsMentioning(repository, gone)).filter((id) => !own.has(id) && index.specs.has(id));
  if (own.size + others.length === 0) return createLintReport(0, []);
  const source = await createStagedSource(context, index, repository.git);
  try {
    const report = await lintProject(source, { ids: [...own, ...others] });
    return createLintReport(
      report.specsChecked,
      report.files.map((file) =>
        own.has(file.specId as SpecId)
          ? file
          : { ...file, findings: file.findings.filter((finding) => mentionsMissingSpec(finding, gone)) },
      ),
    );
  } finally {
    source.close();
  }
}

function mentionsMissingSpec({ rule, message }: Finding, ids: readonly SpecId[]): boolean {
  return rule === "dependency" && ids.some((id) => message.includes(`'${id}' does not exist`));
}

/** A lint source that reads git's index; `close` ends the process that reads it. */
interface StagedSource extends LintSource {
  close(): void;
}

/** Creates a source that reads specs and configuration from git's index, and logs and output schemas from the disk. */
async function createStagedSource(context: PlannerContext, index: ProjectIndex, git: Git): Promise<StagedSource> {
  const blobs = new BlobReader(await git.prepare(["cat-file", "--batch"]));
  const readSpec = async (id: SpecId): Promise<Spec | UnreadableFile> => {
    const entry = index.specs.get(id);
    if (entry === undefined) throw new Error(`No spec "${id}" in the index`);
    const { file } = entry;
    const text = await readBlobText(entry, blobs);
    return text.ok ? parseSpec(id, file, text.text) : { file, ...text };
  };
  try {
    return {
      config: await readStagedConfig(context, index.config, blobs),
      ids: [...index.specs.keys()].sort(compareSpecIds),
      archivedIds: index.archivedIds,
      loadSpec: readSpec,
      async loadAll() {
        const found = await Promise.all([...index.specs.keys()].map(readSpec));
        return {
          specs: found.filter((each): each is Spec => "id" in each),
          unreadable: found.filter((each): each is UnreadableFile => !("id" in each)),
        };
      },
      async text(id) {
        const entry = index.specs.get(id);
        const text = entry === undefined ? undefined : await readBlobText(entry, blobs);
        return text?.ok === true ? text.text : "";
      },
      checkOutput: (spec) => checkSpecOutput(context, spec),
      close: () => blobs.close(),
    };
  } catch (error) {
    blobs.close();
    throw error;
  }
}

type StagedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly line: number | null; readonly column: number | null; readonly message: string };

async function readBlobText({ hash, isFile }: IndexEntry, blobs: BlobReader): Promise<StagedText> {
  const nowhere = { ok: false, line: null, column: null } as const;
  if (!isFile) return { ...nowhere, message: "Link or submodule is not read: expected a regular file" };
  const content = await blobs.readBlob(hash);
  return content.length > MAX_SPEC_BYTES
    ? { ...nowhere, message: describeTooLarge(content.length) }
    : decodeText(content);
}

async function readStagedConfig(
  context: PlannerContext,
  entry: IndexEntry | undefined,
  blobs: BlobReader,
): Promise<PlannerConfig> {
  if (entry === undefined || !entry.isFile) return context.readConfig();
  const { parseConfig } = await import("#planner/config/check_config.ts");
  return parseConfig((await blobs.readBlob(entry.hash)).toString()).config;
}

/** A file in git's index. */
interface IndexEntry {
  /** Path from the project root. */
  readonly file: string;
  readonly hash: string;
  /** False for links and submodules. */
  readonly isFile: boolean;
}

/** The files of a project in git's index. */
interface ProjectIndex {
  readonly specs: ReadonlyMap<SpecId, IndexEntry>;
  readonly archivedIds: ReadonlySet<string>;
  /** `.planner/config.md`, or undefined if git does not track it. */
  readonly config: IndexEntry | undefined;
}

const INDEX_LINE = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s;
const SPEC_PATH = /^\.planner\/specs\/([^/]+)\.md$/;
const ARCHIVED_PATH = /^\.planner\/archive\/(?:\d{4}-\d{2}-\d{2}\/)?([^/]+)\.md$/;

/** Lists the project's files in the index without reading them. A file in conflict is listed with its first side. */
async function readProjectIndex({ git, prefix }: Repository): Promise<ProjectIndex> {
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
async function readStagedIds({ git, prefix }: Repository): Promise<{ changed: SpecId[]; removed: SpecId[] }> {
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
async function findSpecsMentioning({ git, prefix }: Repository, ids: readonly SpecId[]): Promise<readonly SpecId[]> {
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
class BlobReader {
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
