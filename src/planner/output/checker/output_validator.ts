import { createHash } from "node:crypto";
import { type FileHandle, open, readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { OutputValidator, OutputVerdict } from "#planner/work/judge_output.ts";
import {
  MAX_JSON_DEPTH,
  MAX_OUTPUT_CHARS,
  MAX_SCHEMA_BYTES,
  MAX_SCHEMA_FILES,
  MAX_SCHEMA_FOLDER_FILES,
  OUTPUT_CHECK_LIMIT_MS,
  PATTERN_LIMIT_MS,
} from "../../limits.ts";
import { type CombinedSchema, combineSchemas, createExample } from "../example.ts";
import { countNestingLevels, extractJson, JsonScanner } from "../scan_json.ts";
import {
  formatSchemaProblem,
  isSchemaNode,
  isSchemaObject,
  META_SCHEMA_URI_PATTERN,
  removeFragment,
  resolveUri,
  type SchemaBundle,
  type SchemaDocument,
  SchemaError,
  SchemaIndex,
  type SchemaReference,
} from "../schema_index.ts";
import { CheckProcess } from "./check_process.ts";
import type { CheckLimits } from "./messages.ts";

const DEFAULT_LIMITS: CheckLimits = { checkMs: OUTPUT_CHECK_LIMIT_MS, patternMs: PATTERN_LIMIT_MS };

/** Creates a validator that checks outputs against the schema files of the project at `root`, an absolute path. */
export function createOutputValidator(root: string, limits = DEFAULT_LIMITS): OutputValidator {
  return new ProjectOutputValidator(root, limits);
}

class ProjectOutputValidator implements OutputValidator {
  readonly #root: string;
  readonly #process: CheckProcess;

  constructor(root: string, limits: CheckLimits) {
    this.#root = root;
    this.#process = new CheckProcess(limits);
  }

  async validateOutput(schemaPath: string, output: string): Promise<OutputVerdict> {
    try {
      const bundle = await loadBundle(new SchemaFiles(this.#root), schemaPath);
      return await this.#validateJson(bundle, output);
    } catch (error) {
      if (error instanceof SchemaError) return { kind: "invalid_schema", problems: error.problems };
      throw error;
    }
  }

  async promptSection(schemaPath: string): Promise<string> {
    const problems = await this.#buildSection(schemaPath);
    if (typeof problems === "string") return problems;
    throw new OperationError("failed_precondition", `Cannot use the schema "${schemaPath}": ${problems.join("\n")}`);
  }

  /** Returns the section, or the problems of the schema. */
  async #buildSection(schemaPath: string): Promise<string | readonly string[]> {
    try {
      const bundle = await loadBundle(new SchemaFiles(this.#root), schemaPath);
      const index = SchemaIndex.of(bundle);
      const [{ schema }] = bundle;
      const example = isSchemaNode(schema) ? createExample(index, schema) : null;
      const verdict = await this.#process.checkOutput({ bundle, json: JSON.stringify(example) });
      if (verdict.kind === "invalid_schema") return verdict.problems;
      return formatOutputSection(schemaPath, bundle, { value: example, fits: verdict.kind === "passed" });
    } catch (error) {
      if (error instanceof SchemaError) return error.problems;
      throw error;
    }
  }

  async computeFingerprint(schemaPath: string): Promise<string | null> {
    try {
      const bundle = await loadBundle(new SchemaFiles(this.#root), schemaPath);
      const text = JSON.stringify(bundle.map(({ path, schema }) => [path, schema]));
      return createHash("sha256").update(text).digest("hex");
    } catch (error) {
      if (error instanceof SchemaError) return null;
      throw error;
    }
  }

  async #validateJson(bundle: SchemaBundle, output: string): Promise<OutputVerdict> {
    if (output.length > MAX_OUTPUT_CHARS) {
      return {
        kind: "failed",
        problems: [`output of ${output.length} characters: expected at most ${MAX_OUTPUT_CHARS}`],
      };
    }
    const found = extractJson(output);
    if (found === undefined) return { kind: "no_json" };
    const depth = countNestingLevels(found.text);
    if (depth > MAX_JSON_DEPTH) {
      return { kind: "failed", problems: [`output nests ${depth} levels deep: expected at most ${MAX_JSON_DEPTH}`] };
    }
    return this.#process.checkOutput({ bundle, json: found.text });
  }
}

/**
 * Builds the section of an agent's prompt about the expected output: the schema, its required fields and an example.
 * @param schemaPath path as the spec writes it
 * @param bundle the schema and the files that it refers to
 *
 * Source: docs/contract/spec-tool.md#output-1.
 */
export function formatOutputSection(
  schemaPath: string,
  bundle: SchemaBundle,
  example: { readonly value: unknown; readonly fits: boolean },
): string {
  const [{ schema }, ...others] = bundle;
  const required = formatRequiredFields(bundle);
  const paragraphs = [
    "## Output Format",
    `When the work is done, end your output with one JSON value in a code block tagged \`json\`. It is checked against the JSON Schema (draft 2020-12) \`${schemaPath}\`.`,
    "### Schema",
    fenceJson(schema),
    ...others.flatMap((other) => [`Referred to as \`${other.path}\`:`, fenceJson(other.schema)]),
    "### Required fields",
    required.length === 0 ? "None." : required.join("\n"),
    "### Example",
    ...(example.fits ? [] : ["It only shows the shape; the schema demands more than it fulfils."]),
    fenceJson(example.value),
  ];
  return `${paragraphs.join("\n\n")}\n`;
}

function fenceJson(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

/** Formats one line per required field of the output's root: name, type and description. */
function formatRequiredFields(bundle: SchemaBundle): readonly string[] {
  const index = SchemaIndex.of(bundle);
  const [{ schema }] = bundle;
  if (!isSchemaNode(schema)) return [];
  // A requirement of one of several alternatives is not always required, so no alternative is followed.
  const { required, properties } = combineSchemas(index, [schema], false);
  return required.map((name) => {
    const field = combineSchemas(index, properties.get(name) ?? [], false);
    const { description } = field.keywords;
    const told = typeof description === "string" ? `: ${description.replace(/\s+/g, " ").trim()}` : "";
    return `- \`${name}\`${formatTypes(field)}${told}`;
  });
}

function formatTypes({ parts, keywords: { enum: values } }: CombinedSchema): string {
  const types = [...new Set(parts.flatMap((part) => part["type"] ?? []))];
  if (types.length > 0) return ` (${types.join(" or ")})`;
  if (!Array.isArray(values) || values.length === 0) return "";
  return ` (one of ${values.map((value) => JSON.stringify(value)).join(", ")})`;
}

/**
 * Reads the schema that a spec names and all schemas that it refers to, in any number of files; cyclic references are
 * allowed. A reference means the file with that `$id`, otherwise the file at that path relative to the referring one.
 * Nothing is downloaded. Source: docs/decisions.md#s-17.
 * @throws SchemaError that names every reference to a missing file
 */
async function loadBundle(files: SchemaFiles, schemaPath: string): Promise<SchemaBundle> {
  try {
    return await new BundleLoader(files).loadBundle(await files.readNamed(schemaPath));
  } catch (error) {
    if (error instanceof SchemaFileError) throw new SchemaError([error.message]);
    throw error;
  }
}

class BundleLoader {
  readonly #files: SchemaFiles;
  readonly #index = new SchemaIndex();
  readonly #documents = new Map<string, SchemaDocument>();
  readonly #problems: string[] = [];

  constructor(files: SchemaFiles) {
    this.#files = files;
  }

  async loadBundle(file: SchemaFile): Promise<SchemaBundle> {
    const first = this.#addDocument(file);
    // The loop appends to the list that it walks: each added file brings its own references.
    for (const reference of this.#index.references) {
      await this.#loadReference(reference);
      // A value that becomes a schema by a reference may refer to further files.
      this.#index.resolveReference(reference.uri);
    }
    if (this.#problems.length > 0) throw new SchemaError(this.#problems);
    const [, ...others] = this.#documents.values();
    return [this.#documents.get(first.path) ?? first, ...others];
  }

  #addDocument({ path, schema }: SchemaFile): SchemaDocument {
    const document: SchemaDocument = { path, uris: [buildFileUri(path)], schema };
    this.#documents.set(path, document);
    this.#index.addDocument(document);
    return document;
  }

  async #loadReference(reference: SchemaReference): Promise<void> {
    const uri = removeFragment(reference.uri);
    // Schemas of older drafts are skipped, because the check of dialects refuses them with a clearer message.
    if (this.#index.hasResource(uri) || META_SCHEMA_URI_PATTERN.test(uri)) return;
    try {
      const file = (await this.#files.findById(uri)) ?? (await this.#readAtPath(reference, uri));
      if (this.#documents.size >= MAX_SCHEMA_FILES && !this.#documents.has(file.path)) {
        throw new SchemaFileError(`reaches more than ${MAX_SCHEMA_FILES} files`);
      }
      this.#addAlias(uri, this.#documents.get(file.path) ?? this.#addDocument(file));
    } catch (error) {
      if (!(error instanceof SchemaFileError)) throw error;
      const what = `"${reference.text}" leads to no schema (${error.message})`;
      this.#problems.push(formatSchemaProblem(reference.document, reference.pointer, what));
    }
  }

  async #readAtPath({ document, text }: SchemaReference, uri: string): Promise<SchemaFile> {
    // Under an `$id`, a relative reference resolves to a URI of the `$id`, but authors mean the file beside this one.
    const place = uri.startsWith("file:") ? uri : resolveUri(text, document.uris[0]);
    if (place === undefined || !place.startsWith("file:")) {
      throw new SchemaFileError("no file under .planner/schemas/ has this $id, and the network is never asked");
    }
    return this.#files.readReferred(parseFileUri(removeFragment(place)));
  }

  #addAlias(uri: string, document: SchemaDocument): void {
    const aliased: SchemaDocument = { ...document, uris: [...document.uris, uri] };
    this.#documents.set(document.path, aliased);
    this.#index.addAlias(uri, document);
  }
}

/** Returns a file URI relative to the project root, so that no message or `$ref` reveals the project's path. */
function buildFileUri(path: string): string {
  return `file:///${path.split("/").map(encodeURIComponent).join("/")}`;
}

function parseFileUri(uri: string): string {
  try {
    return decodeURIComponent(new URL(uri).pathname).slice(1);
  } catch {
    throw new SchemaFileError("its percent escapes are broken");
  }
}

/** A schema file: its path from the project root, with forward slashes, and its parsed JSON. */
interface SchemaFile {
  readonly path: string;
  readonly schema: unknown;
}

/** Thrown for a schema file that is missing or cannot be used. */
class SchemaFileError extends Error {
  override readonly name = "SchemaFileError";
}

const SCHEMA_FOLDER = ".planner/schemas";

/** The schema files of one project. It reads nothing outside the project, even through links. */
class SchemaFiles {
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
