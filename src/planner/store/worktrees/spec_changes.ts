import { OperationError } from "#kernel/errors.ts";
import { CONFIG_FILE } from "../../config/config.ts";
import { parseSpecId, type SpecId } from "../../spec/spec_id.ts";
import type { Git } from "../git/git.ts";
import { ARCHIVE_FOLDER, SPECS_FOLDER } from "../project/places.ts";
import { readChangedFiles, type WorktreeState } from "./settle.ts";
import type { Repository } from "./worktree_place.ts";
import { readBlobText } from "./worktree_rebase.ts";

export interface CommittedState {
  /** Full hash of the commit. */
  readonly commit: string;
  /** Text of each spec, active or archived, whose file differs between the two states. */
  readonly specs: ReadonlyMap<SpecId, CommittedSpec>;
  /** Text of `.planner/config.md`; empty without that file. */
  readonly config: string;
}

export interface CommittedSpec {
  /** Path of the spec's file from the project's root. */
  readonly file: string;
  readonly text: string;
}

export interface SpecChanges {
  readonly before: CommittedState;
  readonly after: CommittedState;
  /** Files that `after` changes since its common ancestor with `before`, as in `WorktreeState`. */
  readonly changed: WorktreeState["changed"];
}

/** Reads the spec changes between `since` and the checked-out commit. */
export async function readSpecChanges({ git, prefix }: Repository, since: string): Promise<SpecChanges> {
  const [base, head] = [await resolveCommit(git, since), await resolveCommit(git, "HEAD")];
  const listed = await git.readEntries(["diff-tree", "-r", "--name-only", "--no-renames", "-z", base, head]);
  const files = listed
    .filter((path) => path.startsWith(prefix) && path.endsWith(".md"))
    .map((path) => path.slice(prefix.length))
    .filter((path) => path.startsWith(`${SPECS_FOLDER}/`) || path.startsWith(`${ARCHIVE_FOLDER}/`));
  // A shallow clone may lack the common ancestor; then every differing file counts as changed.
  const hasMergeBase = (await git.tryReadOutput(["merge-base", base, head])) !== null;
  return {
    before: await readCommittedState(git, { commit: base, prefix, files }),
    after: await readCommittedState(git, { commit: head, prefix, files }),
    changed: await readChangedFiles(git, prefix, `${base}${hasMergeBase ? "..." : ".."}${head}`),
  };
}

async function resolveCommit(git: Git, name: string): Promise<string> {
  const asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const hash = await (name === "HEAD" ? git.tryReadHead("%H") : git.tryReadOutput(asked));
  if (hash !== null) return hash;
  throw new OperationError("invalid_argument", `"${name}" is no commit of this repository`);
}

async function readCommittedState(
  git: Git,
  { commit, prefix, files }: { readonly commit: string; readonly prefix: string; readonly files: readonly string[] },
): Promise<CommittedState> {
  const read = (file: string): Promise<string | null> => readBlobText(git, `${commit}:${prefix}${file}`);
  const texts = await Promise.all(files.map(read));
  const specs = files.flatMap((file, index): readonly (readonly [SpecId, CommittedSpec])[] => {
    const text = texts[index] ?? null;
    const id = parseSpecId(file.slice(file.lastIndexOf("/") + 1, -".md".length));
    return text === null || id === undefined ? [] : [[id, { file, text }]];
  });
  return { commit, specs: new Map(specs), config: (await read(CONFIG_FILE)) ?? "" };
}
