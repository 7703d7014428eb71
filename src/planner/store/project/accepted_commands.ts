import { createHash } from "node:crypto";
import { chmodSync, existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import {
  type AcceptableLine,
  type AcceptanceStore,
  type AcceptedCommands,
  isRuleLine,
  isSameLine,
} from "../../work/acceptance.ts";
import { convertToDiskError } from "../files/disk_error.ts";
import { readJsonFile } from "../files/json_file.ts";
import { replaceFile } from "../files/place_file.ts";
import { findGitFolder, readGitFile } from "../worktrees/admin_folder.ts";
import { findStateFolder } from "./places.ts";

/** Maximum number of write tries. Chosen by planner: a try fails only when several processes write at once. */
const MAX_WRITE_TRIES = 5;

interface AcceptedLine extends AcceptableLine {
  /** SHA-256 of kind, NUL and text. */
  readonly sha256: string;
  readonly at: string;
}

interface AcceptedList {
  /** Real path of the shared git folder, or of the project, for people who read the file. */
  readonly of: string;
  readonly trusted: boolean;
  readonly prefixes: readonly string[];
  readonly lines: readonly AcceptedLine[];
  readonly held: readonly AcceptableLine[];
}

/** Opens the accepted commands of the project in `root`. All worktrees of a repository share one list. */
export function openAcceptance(root: string, env: NodeJS.ProcessEnv = process.env): AcceptanceStore {
  const of = findSharedFolder(root);
  const file = join(findStateFolder(env), "planner", "accepted", `${computeSha256(of)}.json`);
  const changeList = async (change: (list: AcceptedList) => AcceptedList): Promise<void> => {
    for (let tries = 0; tries < MAX_WRITE_TRIES; tries++) {
      const before = readAcceptedList(file, of);
      const text = `${JSON.stringify(change(before), null, 2)}\n`;
      await writePrivateFile(file, text);
      // Another writer may have replaced these lines meanwhile.
      if (`${JSON.stringify(change(readAcceptedList(file, of)), null, 2)}\n` === text) return;
    }
    throw new OperationError("aborted", `Cannot write "${file}": another process keeps changing it`);
  };
  return {
    file,
    read: async () => buildAcceptedCommands(readAcceptedList(file, of)),
    acceptLines: (lines) => {
      const at = new Date().toISOString();
      const added = lines.map((line) => ({ sha256: computeLineKey(line), ...line, at }));
      return changeList((list) => {
        const known = new Set(list.lines.map((line) => line.sha256));
        return {
          ...list,
          lines: [...list.lines, ...added.filter((line) => !isRuleLine(line) && !known.has(line.sha256))],
          held: list.held.filter((rule) => !lines.some((line) => isSameLine(line, rule))),
        };
      });
    },
    holdRules: async (rules) => {
      const isNew = (list: AcceptedList) => (rule: AcceptableLine) => !list.held.some((one) => isSameLine(one, rule));
      if (!rules.some(isNew(readAcceptedList(file, of)))) return;
      await changeList((list) => ({ ...list, held: [...list.held, ...rules.filter(isNew(list))] }));
    },
    acceptPrefix: (prefix) => changeList((list) => ({ ...list, prefixes: [...new Set([...list.prefixes, prefix])] })),
    setTrusted: (on) => changeList((list) => ({ ...list, trusted: on })),
  };
}

function buildAcceptedCommands({ trusted, prefixes, lines, held }: AcceptedList): AcceptedCommands {
  const keys = new Set(lines.map((line) => line.sha256));
  return { isTrusted: trusted, prefixes, heldRules: held, hasLine: (line) => keys.has(computeLineKey(line)) };
}

function computeLineKey({ kind, text }: AcceptableLine): string {
  return computeSha256(`${kind}\0${text}`);
}

function computeSha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns the real path of the git folder that all worktrees share; of the project without a repository. */
function findSharedFolder(root: string): string {
  for (let folder = resolve(root); ; folder = dirname(folder)) {
    const git = join(folder, ".git");
    if (existsSync(git)) {
      const own = statSync(git).isDirectory() ? git : findGitFolder(folder);
      if (own !== null) return realpathSync(resolve(own, readGitFile(own, "commondir") ?? "."));
    }
    if (dirname(folder) === folder) return existsSync(root) ? realpathSync(root) : resolve(root);
  }
}

function readAcceptedList(file: string, of: string): AcceptedList {
  assertOwnFile(file);
  const read = readJsonFile(file);
  const emptyList = { of, trusted: false, prefixes: [], lines: [], held: [] };
  if (read.kind === "missing") return emptyList;
  if (read.kind === "broken") throw buildFileError(file, `it cannot be read (${read.message})`);
  const { trusted, prefixes, lines, held } = read.object;
  return {
    of,
    trusted: trusted === true,
    prefixes: Array.isArray(prefixes) ? prefixes.filter((one) => typeof one === "string") : [],
    lines: Array.isArray(lines) ? lines.filter(isAcceptedLine) : [],
    held: Array.isArray(held) ? held.filter(isHeldLine) : [],
  };
}

function isAcceptedLine(value: unknown): value is AcceptedLine {
  return isJsonObject(value) && typeof value["sha256"] === "string";
}

function isHeldLine(value: unknown): value is AcceptableLine {
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
  return new OperationError(
    "failed_precondition",
    `Cannot read the accepted commands in "${file}": ${why}: remove it, then accept the commands again with "planner approve --all"`,
  );
}

async function writePrivateFile(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, file, text);
    chmodSync(file, 0o600);
  } catch (error) {
    throw convertToDiskError(`write "${file}"`, error);
  }
}
