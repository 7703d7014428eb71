import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SourceNote } from "#planner/exchange/source.ts";
import { reason } from "#planner/store/files/disk_error.ts";
import { contains } from "#planner/store/project/project_bounds.ts";

/** Levels of folders below a source. Ours: every tool's own folders have fewer. */
const MAX_LEVELS = 8;

/** Entries of a source. Ours: ten times the largest that is known; more is not a folder of tasks. */
const MAX_ENTRIES = 200_000;

/** Folders that hold no tasks and very many files. */
const SKIPPED = new Set([".git", "node_modules"]);

export interface FolderListing {
  /** Paths of regular files relative to the folder, with forward slashes, in natural order. */
  readonly paths: readonly string[];
  /** What is there and not read. */
  readonly notes: readonly SourceNote[];
}

/** Lists the files below a folder. A link is followed if it leads to a file inside of the folder. */
export function walkFolder(folder: string): FolderListing {
  const walk = new Walk(folder);
  walk.run();
  return { paths: walk.paths.sort(naturally), notes: walk.notes };
}

class Walk {
  readonly paths: string[] = [];
  readonly notes: SourceNote[] = [];
  readonly #folder: string;
  /** Without links on the way. */
  readonly #top: string;
  readonly #waiting = [{ path: "", level: 0 }];

  constructor(folder: string) {
    this.#folder = folder;
    this.#top = realpathSync(folder);
  }

  run(): void {
    for (const { path, level } of this.#waiting) {
      for (const entry of entriesOf(join(this.#folder, path), (detail) => this.#refuse(path, detail))) {
        const inside = path === "" ? entry.name : `${path}/${entry.name}`;
        if (this.paths.length + this.#waiting.length > MAX_ENTRIES) {
          this.#refuse(inside, `more than ${MAX_ENTRIES} files`);
          return;
        }
        this.#visit(entry, inside, level);
      }
    }
  }

  #visit(entry: Dirent, inside: string, level: number): void {
    if (entry.isDirectory()) {
      if (level < MAX_LEVELS && !SKIPPED.has(entry.name)) this.#waiting.push({ path: inside, level: level + 1 });
    } else if (entry.isSymbolicLink()) {
      const fault = linkFault(join(this.#folder, inside), this.#top);
      if (fault === undefined) this.paths.push(inside);
      else this.#refuse(inside, fault);
    } else if (entry.isFile()) this.paths.push(inside);
    else this.#refuse(inside, "neither a file nor a folder");
  }

  #refuse(file: string, detail: string): void {
    this.notes.push({ file, line: null, reason: "not read", detail, refused: true });
  }
}

function entriesOf(folder: string, refuse: (detail: string) => void) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    refuse(reason(error));
    return [];
  }
}

function linkFault(path: string, top: string): string | undefined {
  try {
    if (!contains(top, realpathSync(path))) return "a link that leads out of the folder";
    return statSync(path).isFile() ? undefined : "a link that leads to no file";
  } catch {
    return "a link that leads nowhere";
  }
}

const ORDER = new Intl.Collator("en", { numeric: true });

function naturally(a: string, b: string): number {
  return ORDER.compare(a, b) || (a < b ? -1 : 1);
}
