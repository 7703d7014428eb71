import { type FileHandle, open, readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { MAX_JSON_DEPTH, MAX_SCHEMA_BYTES, MAX_SCHEMA_FOLDER_FILES } from "#planner/limits.ts";
import { countNestingLevels, JsonScanner } from "../scan_json.ts";
import { isSchemaObject } from "../schema_document.ts";
import { removeFragment } from "../schema_index.ts";

/** A schema file: its path from the project root, with forward slashes, and its parsed JSON. */
export interface SchemaFile {
  readonly path: string;
  readonly schema: unknown;
}

/** Thrown for a schema file that is missing or cannot be used. */
export class SchemaFileError extends Error {
  override readonly name = "SchemaFileError";
}

const SCHEMA_FOLDER = ".planner/schemas";

/** The schema files of one project. It reads nothing outside the project, even through links. */
export class SchemaFiles {
  readonly #root: string;
  #byId: Promise<ReadonlyMap<string, SchemaFile>> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Reads the file that a spec names: a path from the project root, or a bare name under `.planner/schemas/`.
   * @throws SchemaFileError
   */
  async readNamed(schemaPath: string): Promise<SchemaFile> {
    if (schemaPath === "" || schemaPath.includes("\0")) throw new SchemaFileError(`"${schemaPath}" names no file`);
    const inFolder = join(this.#root, SCHEMA_FOLDER, schemaPath);
    const bare = !/[\\/]/.test(schemaPath) && (await fileExists(inFolder));
    const file = bare ? inFolder : resolve(this.#root, schemaPath);
    if (!folderContains(this.#root, file)) throw new SchemaFileError(`${schemaPath}: lies outside the project`);
    return this.#readSchema(file, this.#root, "the project");
  }

  /**
   * Reads the file to which a schema refers, by its path from the project root; it must be under `.planner/schemas/`.
   * @throws SchemaFileError
   */
  async readReferred(path: string): Promise<SchemaFile> {
    return this.#readSchema(join(this.#root, path), join(this.#root, SCHEMA_FOLDER), `${SCHEMA_FOLDER}/`);
  }

  /** Finds the file under `.planner/schemas/` with the `$id` `uri`, or undefined. Reads the folder once. */
  async findById(uri: string): Promise<SchemaFile | undefined> {
    this.#byId ??= this.#indexById();
    return (await this.#byId).get(uri);
  }

  async #readSchema(file: string, within: string, place: string): Promise<SchemaFile> {
    const path = relative(this.#root, file).split(sep).join("/");
    if (!folderContains(within, file)) throw new SchemaFileError(`${path}: lies outside ${place}`);
    const text = await readBoundedFile(file, path, within, place);
    return { path, schema: parseSchemaJson(text, path) };
  }

  async #indexById(): Promise<ReadonlyMap<string, SchemaFile>> {
    const folder = join(this.#root, SCHEMA_FOLDER);
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    const ids = new Map<string, SchemaFile>();
    const candidates = names.filter((name) => name.endsWith(".json")).toSorted();
    for (const name of candidates.slice(0, MAX_SCHEMA_FOLDER_FILES)) {
      const file = await this.#readSchema(join(folder, name), folder, `${SCHEMA_FOLDER}/`).catch(ignoreUnusableFile);
      const id = isSchemaObject(file?.schema) ? file.schema["$id"] : undefined;
      if (file !== undefined && typeof id === "string" && !ids.has(id)) ids.set(removeFragment(id), file);
    }
    return ids;
  }
}

/** Ignores an unusable file; the error is reported only if a reference names its path. */
function ignoreUnusableFile(error: unknown): undefined {
  if (!(error instanceof SchemaFileError)) throw error;
}

async function readBoundedFile(file: string, path: string, within: string, place: string): Promise<string> {
  try {
    // The file type is checked first, because opening a named pipe blocks.
    const info = await stat(file);
    if (!info.isFile()) throw new SchemaFileError(`${path}: is no file`);
    if (info.size > MAX_SCHEMA_BYTES) throw new SchemaFileError(`${path}: is larger than ${MAX_SCHEMA_BYTES} bytes`);
    const [target, folder] = await Promise.all([realpath(file), realpath(within)]);
    if (!folderContains(folder, target)) throw new SchemaFileError(`${path}: leads outside ${place}`);
    return await readWholeFile(await open(file, "r"));
  } catch (error) {
    if (error instanceof SchemaFileError) throw error;
    throw new SchemaFileError(`${path}: ${getErrorReason(error as NodeJS.ErrnoException)}`);
  }
}

async function readWholeFile(handle: FileHandle): Promise<string> {
  try {
    return (await handle.readFile("utf8")).replace(/^\uFEFF/, "");
  } finally {
    await handle.close();
  }
}

function getErrorReason({ code, message }: NodeJS.ErrnoException): string {
  const words: Readonly<Record<string, string>> = {
    ENOENT: "no such file",
    ENOTDIR: "no such file",
    EACCES: "may not be read",
    ELOOP: "is a link that leads to itself",
  };
  return words[code ?? ""] ?? `cannot be read: ${message}`;
}

function parseSchemaJson(text: string, path: string): unknown {
  const depth = countNestingLevels(text);
  if (depth > MAX_JSON_DEPTH)
    throw new SchemaFileError(`${path}: nests ${depth} levels deep, more than ${MAX_JSON_DEPTH}`);
  try {
    return JSON.parse(text);
  } catch {
    const { line, column } = findSyntaxError(text);
    throw new SchemaFileError(`${path}:${line}:${column}: is no valid JSON`);
  }
}

/** Finds line and column, from 1, at which a text stops being JSON, because some engines do not report them. */
function findSyntaxError(text: string): { line: number; column: number } {
  const { isComplete, end } = new JsonScanner(text).scanValue(0);
  const at = isComplete ? end + (/^\s*/.exec(text.slice(end))?.[0].length ?? 0) : end;
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function folderContains(folder: string, file: string): boolean {
  const inside = relative(folder, file);
  return inside !== "" && inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

async function fileExists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
