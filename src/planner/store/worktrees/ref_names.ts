import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseDocument } from "../../spec/document.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { encodeSpecId } from "../../work/claims/decide_claim.ts";
import { getTextField, readJsonFile, readRegularFile } from "../files/read_text.ts";
import { buildActivePath, buildArchivePath } from "../project/places.ts";
import { findSharedFolder, resolveStoredPath } from "./admin_folder.ts";
import { locateWorktree, worktreeFiles } from "./worktree_files.ts";

/** Longest path in a name. Chosen by planner: files of refs stay below the limits of file systems. */
const MAX_PLACE_CHARS = 100;

/** Kinds of refs about a spec, as the folders below `refs/planner/`. */
type SpecRefKind = "runs" | "kept" | "pr";

/**
 * Returns the part of names that differs between the projects of one repository, such as `in/packages/app/-/`; empty for a project
 * at the repository's top. It ends with a part that no path has, so that no name is the folder of another one.
 *
 * @param path the project's path from the repository's top, with forward slashes
 */
export function formatPlace(path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.length === 0) return "";
  const whole = parts.map((part) => (part === "-" ? "%2D" : encodeSpecId(part as SpecId))).join("/");
  if (whole.length <= MAX_PLACE_CHARS) return `in/${whole}/-/`;
  const end = whole.replace(/[^\w]+/g, "-").slice(-40);
  return `in/${createHash("sha256").update(path).digest("hex").slice(0, 16)}${end}/-/`;
}

/** Returns `formatPlace` of the project in `root`. Starts no process. */
function findPlace(root: string): string {
  return formatPlace(findSharedFolder(root).project ?? "");
}

/**
 * Returns the ref about a spec of the project in `root`, or the folder of refs. Work that began under the name of
 * earlier versions, without the project's path, goes on under it.
 */
export function buildSpecRef(root: string, kind: SpecRefKind, id: SpecId): string {
  const place = findPlace(root);
  const name = kind === "pr" ? encodeSpecId(id) : id;
  return `refs/planner/${kind}/${place === "" || isNamedPlainly(root, id, place) ? "" : place}${name}`;
}

/**
 * Returns a function that returns the spec of a ref by its name after `refs/planner/<kind>/`, and null for a ref of
 * another project.
 *
 * @param decode returns the spec that the last part of the name stands for
 */
export function createRefParser(
  root: string,
  decode: (name: string) => SpecId | null,
): (rest: string) => SpecId | null {
  const place = findPlace(root);
  return (rest) => {
    const isPlain = !rest.includes("/");
    if (!isPlain && (place === "" || !rest.startsWith(place))) return null;
    const name = isPlain ? rest : rest.slice(place.length);
    const id = name.includes("/") ? null : decode(name);
    return id !== null && place !== "" && isPlain && !isNamedPlainly(root, id, place) ? null : id;
  };
}

/**
 * Returns the branch for new work on a spec: with the project's path, unless earlier work is in one without it.
 *
 * @param readCheckouts returns the path of its checkout by the full name of every branch, or an empty text
 */
export async function nameBranch(
  root: string,
  { id, prefix }: { readonly id: SpecId; readonly prefix: string },
  readCheckouts: () => Promise<ReadonlyMap<string, string>>,
): Promise<string> {
  const [place, plain] = [findPlace(root), prefix + id];
  if (place === "") return plain;
  const named = prefix + place + id;
  if (readRecordedBranch(root, id) !== plain) return named;
  const checkout = (await readCheckouts()).get(`refs/heads/${plain}`);
  if (checkout === undefined) return named;
  // A checkout that exists elsewhere belongs to another project of this repository.
  const isOwn = resolveStoredPath(resolve(checkout)) === resolveStoredPath(locateWorktree(root, id));
  return checkout === "" || !existsSync(checkout) || isOwn ? plain : named;
}

function isNamedPlainly(root: string, id: SpecId, place: string): boolean {
  const branch = readRecordedBranch(root, id);
  return branch?.endsWith(id) === true && !branch.endsWith(place + id);
}

/** Returns the branch in the record of the spec's worktree, else in the spec; null without either. */
function readRecordedBranch(root: string, id: SpecId): string | null {
  const read = readJsonFile(join(root, worktreeFiles.origin(id)));
  const recorded = read.kind === "object" ? getTextField(read.object, "branch") : null;
  if (recorded !== null) return recorded;
  for (const path of [buildActivePath(id), buildArchivePath(id)]) {
    if (!existsSync(join(root, path))) continue;
    const spec = parseDocument(readRegularFile(join(root, path)).toString());
    const branch = spec.ok ? spec.frontmatter["branch"] : null;
    return typeof branch === "string" ? branch : null;
  }
  return null;
}
