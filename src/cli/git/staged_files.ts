import { parseSpecId, type SpecId } from "#planner/spec/spec_id.ts";
import type { Repository } from "./repository.ts";

/** A file as git's index holds it. */
export interface IndexEntry {
  /** Path from the project root. */
  readonly file: string;
  readonly hash: string;
  /** False for links and submodules. */
  readonly isFile: boolean;
}

/** What git's index holds of a project. */
export interface ProjectIndex {
  readonly specs: ReadonlyMap<SpecId, IndexEntry>;
  readonly archivedIds: ReadonlySet<string>;
  /** `.planner/config.md`, or undefined if git does not track it. */
  readonly config: IndexEntry | undefined;
}

const ENTRY = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s;
const SPEC = /^\.planner\/specs\/([^/]+)\.md$/;
const ARCHIVED = /^\.planner\/archive\/(?:\d{4}-\d{2}-\d{2}\/)?([^/]+)\.md$/;

/** Lists the project's files in the index; reads none of them. A file in conflict counts with its first side. */
export async function readIndex({ git, prefix }: Repository): Promise<ProjectIndex> {
  const specs = new Map<SpecId, IndexEntry>();
  const archivedIds = new Set<string>();
  let config: IndexEntry | undefined;
  for (const line of await git.list(["ls-files", "--stage", "--full-name", "-z", ...below(prefix)])) {
    const [, mode = "", hash = "", , path = ""] = ENTRY.exec(line) ?? [];
    const entry = { file: path.slice(prefix.length), hash, isFile: mode.startsWith("100") };
    const id = parseSpecId(SPEC.exec(entry.file)?.[1] ?? "");
    const archived = ARCHIVED.exec(entry.file)?.[1];
    if (id !== undefined && !specs.has(id)) specs.set(id, entry);
    if (archived !== undefined) archivedIds.add(archived);
    if (entry.file === ".planner/config.md") config ??= entry;
  }
  return { specs, archivedIds, config };
}

/** Which specs the next commit adds or changes, and which ids lose their file; a renamed spec is both. */
export async function stagedIds({ git, prefix }: Repository): Promise<{ changed: SpecId[]; removed: SpecId[] }> {
  const paths = async (filter: string): Promise<readonly string[]> => {
    const words = ["diff", "--cached", "--name-only", "--no-renames", "--no-relative", "-z", `--diff-filter=${filter}`];
    return (await git.list([...words, ...below(prefix)])).map((path) => path.slice(prefix.length));
  };
  const [kept, gone] = await Promise.all([paths("d"), paths("D")]);
  return { changed: idsIn(kept, [SPEC]), removed: idsIn(gone, [SPEC, ARCHIVED]) };
}

function idsIn(paths: readonly string[], shapes: readonly RegExp[]): SpecId[] {
  const names = paths.map((path) => shapes.map((shape) => shape.exec(path)?.[1]).find((name) => name !== undefined));
  return names.map((name) => parseSpecId(name ?? "")).filter((id) => id !== undefined);
}

/** The specs in the index whose text holds one of `ids`. */
export async function specsNaming({ git, prefix }: Repository, ids: readonly SpecId[]): Promise<readonly SpecId[]> {
  if (ids.length === 0) return [];
  const patterns = ids.flatMap((id) => ["-e", id]);
  const words = ["grep", "--cached", "--files-with-matches", "--fixed-strings", "--full-name", "-z", ...patterns];
  // Status 1 means that no file matches.
  const { status, stdout } = await git.try([...words, ...below(prefix)]);
  if (status !== 0) return [];
  const paths = stdout.toString().split("\0").slice(0, -1);
  return idsIn(
    paths.map((path) => path.slice(prefix.length)),
    [SPEC],
  );
}

/** A pathspec that means the same wherever git is started, and takes no character of the path for a pattern. */
function below(prefix: string): readonly string[] {
  return ["--", `:(top,literal)${prefix}.planner`];
}
