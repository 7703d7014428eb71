import { createHash } from "node:crypto";
import { chmodSync, existsSync, lstatSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import {
  type AcceptableLine,
  type AcceptanceStore,
  type AcceptedCommands,
  isRuleLine,
  isSameLine,
} from "../../work/acceptance.ts";
import { convertToDiskError } from "../files/disk_error.ts";
import { replaceFile } from "../files/place_file.ts";
import { readJsonFile } from "../files/read_text.ts";
import { Git } from "../git/git.ts";
import { runWithProjectLock } from "../locks/project_lock.ts";
import { findSharedFolder } from "../worktrees/admin_folder.ts";
import { findStateFolder } from "./places.ts";

interface AcceptedLine extends AcceptableLine {
  /** SHA-256 of kind, NUL and text. */
  readonly sha256: string;
  readonly at: string;
}

interface AcceptedList {
  /** First commit of the repository; null without one, or when git cannot tell it. */
  readonly repository: string | null;
  /** Path of the project in its repository; null without one. */
  readonly project: string | null;
  /** Real path of the shared git folder, or of the project, for people who read the file. */
  readonly of: string;
  /** Places in which every command is accepted: a fork has the same first commit, and must not be trusted with it. */
  readonly trusted: readonly string[];
  readonly prefixes: readonly string[];
  readonly lines: readonly AcceptedLine[];
  readonly held: readonly HeldRule[];
}

interface HeldRule extends AcceptableLine {
  /** Places whose runs it judged: a clone may be on a branch with other rules. */
  readonly places: readonly string[];
}

type Owner = Pick<AcceptedList, "repository" | "project" | "of">;

/**
 * Opens the accepted commands of the project in `root`. They belong to the repository, known by its first commit, and
 * the project's path in it; without that commit, to the path. A list of earlier versions, always of a path, belongs to
 * the first repository that reads it there.
 */
export async function openAcceptance(root: string, env: NodeJS.ProcessEnv = process.env): Promise<AcceptanceStore> {
  const { of, project } = findSharedFolder(root);
  const folder = join(findStateFolder(env), "planner", "accepted");
  const old = join(folder, `${computeSha256(of)}.json`);
  const nameList = (commit: string) => join(folder, `${computeSha256(`${commit}\0${project}`)}.json`);
  const repository = project === null ? null : await readFirstCommit(root, of, (one) => existsSync(nameList(one)));
  const owner = { of, project, repository };
  const file = repository === null ? old : nameList(repository);
  const readList = () => readAcceptedList(existsSync(file) ? file : old, owner);
  const isHere = (one: HeldRule, line: AcceptableLine) => isSameLine(one, line) && judgesHere(one, of);
  // Several repositories can have one list: clones of each other.
  const changeList = async (change: (list: AcceptedList) => AcceptedList): Promise<void> => {
    await makePrivateFolder(folder);
    return runWithProjectLock(folder, () => writePrivateFile(file, `${JSON.stringify(change(readList()), null, 2)}\n`));
  };
  if (file !== old) await takeOldList(old, owner, changeList);
  return {
    file,
    read: async () => buildAcceptedCommands(readList()),
    acceptLines: (lines) => {
      const at = new Date().toISOString();
      const added = lines.map((line) => ({ sha256: computeLineKey(line), ...line, at }));
      return changeList((list) => {
        const known = new Set(list.lines.map((line) => line.sha256));
        return {
          ...list,
          lines: [...list.lines, ...added.filter((line) => !isRuleLine(line) && !known.has(line.sha256))],
          held: list.held.filter((rule) => !lines.some((line) => isHere(rule, line))),
        };
      });
    },
    holdRules: async (rules) => {
      const isNew = (list: AcceptedList) => (rule: AcceptableLine) => !list.held.some((one) => isHere(one, rule));
      if (!rules.some(isNew(readList()))) return;
      const places = listPlaces(of);
      await changeList((list) => ({
        ...list,
        held: [...list.held, ...rules.filter(isNew(list)).map((rule) => ({ ...rule, places }))],
      }));
    },
    acceptPrefix: (prefix) => changeList((list) => ({ ...list, prefixes: [...new Set([...list.prefixes, prefix])] })),
    setTrusted: (on) => {
      const places = listPlaces(of);
      return changeList((list) => {
        const others = list.trusted.filter((place) => !places.includes(place));
        return { ...list, trusted: on ? [...others, ...places] : others };
      });
    },
  };
}

/** Adds the list of a path to that of the repository there, unless a repository has it already. */
async function takeOldList(
  old: string,
  owner: Owner,
  changeList: (change: (list: AcceptedList) => AcceptedList) => Promise<void>,
): Promise<void> {
  const read = readJsonFile(old);
  if (read.kind === "missing" || (read.kind === "object" && typeof read.object["repository"] === "string")) return;
  const list = readAcceptedList(old, owner);
  const merge = <One>(one: readonly One[], other: readonly One[], key: (item: One) => string) => [
    ...new Map([...one, ...other].map((item) => [key(item), item])).values(),
  ];
  try {
    await changeList((now) => ({
      ...now,
      trusted: [...new Set([...now.trusted, ...list.trusted])],
      prefixes: [...new Set([...now.prefixes, ...list.prefixes])],
      lines: merge(now.lines, list.lines, (line) => line.sha256),
      held: merge(now.held, list.held, (rule) => `${computeLineKey(rule)} ${rule.places}`),
    }));
    await writePrivateFile(old, `${JSON.stringify(list, null, 2)}\n`);
  } catch (error) {
    // Reading must work in a folder that cannot be written; the list is then taken from its old place.
    if (!(error instanceof OperationError)) throw error;
  }
}

/**
 * Returns the first commit along the first parents; null without a commit, and in a shallow clone. If HEAD names no
 * commit, such as after its branch was renamed, returns the first commit of a branch that has a list.
 */
async function readFirstCommit(
  root: string,
  gitFolder: string,
  hasList: (commit: string) => boolean,
): Promise<string | null> {
  // The end of a shallow history is not the first commit, and moves.
  if (existsSync(join(gitFolder, "shallow"))) return null;
  const git = new Git(root, { GIT_NO_REPLACE_OBJECTS: "1" });
  const list = async (...ends: readonly string[]) =>
    (await git.tryReadOutput(["rev-list", "--first-parent", "--max-parents=0", ...ends, "--"]).catch(() => null)) ?? "";
  const first = await list("HEAD");
  return first || ((await list("--branches")).split("\n").find(hasList) ?? null);
}

/** Returns names of the place of a git folder: its path, and its number and birth on the disk, which a move keeps. */
function listPlaces(of: string): readonly string[] {
  const facts = statSync(of, { bigint: true, throwIfNoEntry: false });
  return facts === undefined ? [of] : [of, `inode ${facts.ino} of ${facts.birthtimeNs}`];
}

function judgesHere({ places }: HeldRule, of: string): boolean {
  return listPlaces(of).some((place) => places.includes(place));
}

function buildAcceptedCommands({ of, trusted, prefixes, lines, held }: AcceptedList): AcceptedCommands {
  const keys = new Set(lines.map((line) => line.sha256));
  const isTrusted = listPlaces(of).some((place) => trusted.includes(place));
  const heldRules = held.filter((rule) => judgesHere(rule, of)).map(({ kind, text }) => ({ kind, text }));
  return { isTrusted, prefixes, heldRules, hasLine: (line) => keys.has(computeLineKey(line)) };
}

function computeLineKey({ kind, text }: AcceptableLine): string {
  return computeSha256(`${kind}\0${text}`);
}

function computeSha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function readAcceptedList(file: string, owner: Owner): AcceptedList {
  assertOwnFile(file);
  const read = readJsonFile(file);
  const emptyList = { ...owner, trusted: [], prefixes: [], lines: [], held: [] };
  if (read.kind === "missing") return emptyList;
  if (read.kind === "broken") throw buildFileError(file, `it cannot be read (${read.message})`);
  const { repository = null, trusted, prefixes, lines, held } = read.object;
  if (repository !== null && repository !== owner.repository) return emptyList;
  return {
    ...owner,
    trusted: trusted === true ? listPlaces(owner.of) : listTexts(trusted),
    prefixes: listTexts(prefixes),
    lines: Array.isArray(lines) ? lines.filter(isAcceptedLine) : [],
    held: Array.isArray(held)
      ? held
          .filter(isHeldLine)
          .map((rule) => ({ ...rule, places: Array.isArray(rule.places) ? rule.places : listPlaces(owner.of) }))
      : [],
  };
}

function listTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function isAcceptedLine(value: unknown): value is AcceptedLine {
  return isJsonObject(value) && typeof value["sha256"] === "string";
}

function isHeldLine(value: unknown): value is HeldRule {
  if (!isJsonObject(value) || typeof value["text"] !== "string") return false;
  return value["kind"] === "config" || value["kind"] === "schema";
}

/** Throws if another user wrote or could write the list, because it does not prove what this person accepted. */
function assertOwnFile(file: string): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  for (const path of [dirname(file), file]) {
    const facts = lstatSync(path, { throwIfNoEntry: false });
    if (facts === undefined) continue;
    if (facts.isSymbolicLink()) throw buildFileError(file, `"${path}" is a link`);
    if (facts.uid !== own) throw buildFileError(file, `"${path}" belongs to another user`);
    if ((facts.mode & 0o022) !== 0) throw buildFileError(file, `"${path}" can be written by other users`);
  }
}

function buildFileError(file: string, why: string): OperationError {
  return createPreconditionError(
    `Cannot read the accepted commands in "${file}": ${why}: remove it, then accept the commands again with "planner approve --all"`,
  );
}

async function makePrivateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw convertToDiskError(`write "${folder}"`, error);
  }
}

async function writePrivateFile(file: string, text: string): Promise<void> {
  try {
    await replaceFile(file, file, text);
    chmodSync(file, 0o600);
  } catch (error) {
    throw convertToDiskError(`write "${file}"`, error);
  }
}
