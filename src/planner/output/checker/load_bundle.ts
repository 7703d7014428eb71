import { MAX_SCHEMA_FILES } from "#planner/limits.ts";
import {
  formatSchemaProblem,
  META_SCHEMA_URI_PATTERN,
  type SchemaBundle,
  type SchemaDocument,
  SchemaError,
} from "../schema_document.ts";
import { removeFragment, resolveUri, SchemaIndex, type SchemaReference } from "../schema_index.ts";
import { type SchemaFile, SchemaFileError, type SchemaFiles } from "./schema_files.ts";

/**
 * Reads the schema that a spec names and all schemas that it refers to, in any number of files; cyclic references are
 * allowed. A reference means the file with that `$id`, otherwise the file at that path relative to the referring one.
 * Nothing is downloaded. Source: docs/decisions.md#s-17.
 * @throws SchemaError that names every reference to a missing file
 */
export async function loadBundle(files: SchemaFiles, schemaPath: string): Promise<SchemaBundle> {
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
