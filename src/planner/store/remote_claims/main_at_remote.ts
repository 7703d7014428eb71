import { parseDocument } from "../../spec/document.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { ARCHIVE, activeFile } from "../project/places.ts";
import type { ClaimRemote, RemoteLook } from "./claim_remote.ts";

/** Statuses with which nothing is left to do. */
const DONE: readonly unknown[] = ["completed", "cancelled"];

/** Refs of the remote that its main branch may be, the likeliest first. */
export async function mainRefs({ git }: ClaimRemote, mainBranch: string | null): Promise<readonly string[]> {
  const branch = mainBranch ?? (await git.ask(["symbolic-ref", "--short", "-q", "HEAD"]));
  return [...(branch === null ? [] : [`refs/heads/${branch}`]), "HEAD"];
}

/**
 * Returns which of the specs are done in the remote's main branch: completed, cancelled or archived. Brings that branch
 * here if it has moved.
 *
 * @throws OperationError `unavailable` if the remote cannot be reached
 */
export async function doneInMain(
  remote: ClaimRemote,
  { look, refs, ids }: { readonly look: RemoteLook; readonly refs: readonly string[]; readonly ids: readonly SpecId[] },
): Promise<ReadonlySet<SpecId>> {
  const ref = refs.find((one) => look.refs.has(one));
  const oid = look.refs.get(ref ?? "");
  if (ref === undefined || oid === undefined || ids.length === 0) return new Set();
  await remote.fetchBranch(ref, oid);
  const { git, prefix } = remote;
  const archived = new Set(
    (await git.list(["ls-tree", "-r", "-z", "--name-only", "--full-tree", oid, "--", `${prefix}${ARCHIVE}/`])).map(
      (path) => path.slice(path.lastIndexOf("/") + 1),
    ),
  );
  const done = new Set<SpecId>();
  for (const id of ids) {
    const { status, stdout } = await git.try(["cat-file", "blob", `${oid}:${prefix}${activeFile(id)}`]);
    if (status === 0 ? isDone(stdout.toString()) : archived.has(`${id}.md`)) done.add(id);
  }
  return done;
}

function isDone(text: string): boolean {
  const document = parseDocument(text);
  return document.ok && DONE.includes(document.frontmatter["status"]);
}
