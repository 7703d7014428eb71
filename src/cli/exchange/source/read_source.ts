import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { SourceFile, SourceFormat, SourceNote, SourceReading } from "#planner/exchange/source.ts";
import { MAX_SPEC_BYTES } from "#planner/limits.ts";
import { describeSystemError } from "#planner/store/files/disk_error.ts";
import { decodeText } from "#planner/store/files/read_text.ts";
import { isInsideFolder } from "#planner/store/project/places.ts";

export interface FoundSource {
  readonly format: SourceFormat;
  /** The folder to which the paths are relative. */
  readonly folder: string;
  readonly paths: readonly string[];
  readonly notes: readonly SourceNote[];
}

/** Maximum bytes of a JSON file; 10,000 issues with long texts need a tenth of it. */
const MAX_JSON_BYTES = 256 * 1024 * 1024;

/** Reads the files of a source and parses their tasks, with statuses as of `now`. */
export function readSource({ format, folder, paths, notes }: FoundSource, now: Date): SourceReading {
  const wanted = paths.filter((path) => format.readsPath(path));
  const files: SourceFile[] = [];
  const refused: SourceNote[] = notes.filter(({ file }) => isRelevantPath(file, format));
  for (const path of wanted) {
    const read = readSourceFile(join(folder, path), path);
    if ("text" in read) files.push(read);
    else refused.push(read);
  }
  const reading = format.readTasks(files, now);
  return { tasks: reading.tasks, notes: [...refused, ...reading.notes] };
}

/** Returns whether a path may contain tasks: the folder itself, a file of the format, or a name without a dot. */
function isRelevantPath(path: string, format: SourceFormat): boolean {
  return path === "" || format.readsPath(path) || !basename(path).includes(".");
}

function readSourceFile(path: string, shown: string): SourceFile | SourceNote {
  const refuse = (detail: string, line: number | null = null): SourceNote => {
    return { file: shown, line, reason: "not read", detail, refused: true };
  };
  try {
    const most = /\.jsonl?$/i.test(shown) ? MAX_JSON_BYTES : MAX_SPEC_BYTES;
    const { size } = statSync(path);
    if (size > most) return refuse(`${size} bytes, expected at most ${most}`);
    const decoded = decodeBytes(readFileSync(path));
    return "text" in decoded ? { path: shown, text: decoded.text } : refuse(decoded.message, decoded.line);
  } catch (error) {
    return refuse(describeSystemError(error));
  }
}

/** Decodes UTF-8, or UTF-16 with a byte-order mark, which PowerShell writes. */
function decodeBytes(
  bytes: Uint8Array,
): { readonly text: string } | { readonly message: string; readonly line: number } {
  const [first, second] = bytes;
  const label = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "";
  if (label !== "") return { text: new TextDecoder(label).decode(bytes) };
  const decoded = decodeText(bytes);
  return decoded.ok ? { text: decoded.text.replace(/^\ufeff/, "") } : decoded;
}

/** Returns the beginning of a file, for format detection. */
export function readFileHead(path: string): string {
  const decoded = decodeBytes(wrapImportErrors(path, () => readFileSync(path)));
  return "text" in decoded ? decoded.text.slice(0, HEAD_CHARS) : "";
}

/** Runs `read`. @throws OperationError not_found that names the path and the reason if it fails */
export function wrapImportErrors<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new OperationError("not_found", `Cannot import "${path}": ${describeSystemError(error)}`, { cause: error });
  }
}

const HEAD_CHARS = 64 * 1024;

/** Maximum levels of folders below a source; the folders of every known tool have fewer. */
const MAX_LEVELS = 8;

/** Maximum number of entries in a source: ten times the largest known source. */
const MAX_ENTRIES = 200_000;

/** Folders without tasks that may contain very many files. */
const SKIPPED_FOLDERS = new Set([".git", "node_modules"]);

interface FolderListing {
  /** Paths of regular files relative to the folder, with forward slashes, in natural order. */
  readonly paths: readonly string[];
  /** Notes about entries that are not read. */
  readonly notes: readonly SourceNote[];
}

/** Lists the files below a folder. A link is followed if it points to a file inside the folder. */
export function listFolderFiles(folder: string): FolderListing {
  const walk = new FolderWalk(folder);
  walk.run();
  return { paths: walk.paths.sort(compareNaturally), notes: walk.notes };
}

class FolderWalk {
  readonly paths: string[] = [];
  readonly notes: SourceNote[] = [];
  readonly #folder: string;
  /** Absolute path of the folder with all links resolved. */
  readonly #realFolder: string;
  readonly #pendingFolders = [{ path: "", level: 0 }];

  constructor(folder: string) {
    this.#folder = folder;
    this.#realFolder = realpathSync(folder);
  }

  run(): void {
    for (const { path, level } of this.#pendingFolders) {
      for (const entry of listEntries(join(this.#folder, path), (detail) => this.#addNote(path, detail))) {
        const inside = path === "" ? entry.name : `${path}/${entry.name}`;
        if (this.paths.length + this.#pendingFolders.length > MAX_ENTRIES) {
          this.#addNote(inside, `more than ${MAX_ENTRIES} files`);
          return;
        }
        this.#visitEntry(entry, inside, level);
      }
    }
  }

  #visitEntry(entry: Dirent, inside: string, level: number): void {
    if (entry.isDirectory()) {
      if (level < MAX_LEVELS && !SKIPPED_FOLDERS.has(entry.name))
        this.#pendingFolders.push({ path: inside, level: level + 1 });
    } else if (entry.isSymbolicLink()) {
      const fault = findLinkFault(join(this.#folder, inside), this.#realFolder);
      if (fault === undefined) this.paths.push(inside);
      else this.#addNote(inside, fault);
    } else if (entry.isFile()) this.paths.push(inside);
    else this.#addNote(inside, "neither a file nor a folder");
  }

  #addNote(file: string, detail: string): void {
    this.notes.push({ file, line: null, reason: "not read", detail, refused: true });
  }
}

function listEntries(folder: string, refuse: (detail: string) => void) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    refuse(describeSystemError(error));
    return [];
  }
}

function findLinkFault(path: string, top: string): string | undefined {
  try {
    if (!isInsideFolder(top, realpathSync(path))) return "a link that leads out of the folder";
    return statSync(path).isFile() ? undefined : "a link that leads to no file";
  } catch {
    return "a link that leads nowhere";
  }
}

const NATURAL_ORDER = new Intl.Collator("en", { numeric: true });

function compareNaturally(a: string, b: string): number {
  return NATURAL_ORDER.compare(a, b) || (a < b ? -1 : 1);
}
