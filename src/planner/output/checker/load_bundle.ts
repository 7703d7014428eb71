import { MAX_SCHEMA_FILES } from "#planner/limits.ts";
import { type SchemaBundle, type SchemaDocument, SchemaError, schemaProblem } from "../schema_document.ts";
import { absoluteUri, SchemaIndex, type SchemaReference, withoutFragment } from "../schema_index.ts";
import { type SchemaFile, SchemaFileError, type SchemaFiles } from "./schema_files.ts";

/** The meta-schemas of JSON Schema itself, which need no file. */
const OWN_SCHEMAS = /^https?:\/\/json-schema\.org\//;

/**
 * Reads the schema that a spec names and everything that it refers to, over as many files as it takes; circles of files
 * are fine. A reference leads to the file with that `$id`, else to the file at that path from the referring one. The
 * network is never asked. Source: docs/decisions.md#s-17.
 *
 * @throws SchemaError that names every reference which leads to no file
 */
export async function loadBundle(files: SchemaFiles, schemaPath: string): Promise<SchemaBundle> {
  try {
    return await new Loader(files).load(await files.named(schemaPath));
  } catch (error) {
    if (error instanceof SchemaFileError) throw new SchemaError([error.message]);
    throw error;
  }
}

class Loader {
  readonly #files: SchemaFiles;
  readonly #index = new SchemaIndex();
  readonly #documents = new Map<string, SchemaDocument>();
  readonly #problems: string[] = [];

  constructor(files: SchemaFiles) {
    this.#files = files;
  }

  async load(file: SchemaFile): Promise<SchemaBundle> {
    const first = this.#add(file);
    // The list grows while it is walked: every file that is added brings its own references.
    for (const reference of this.#index.references) {
      await this.#follow(reference);
      // What a reference makes a schema of may refer to further files.
      this.#index.resolve(reference.uri);
    }
    if (this.#problems.length > 0) throw new SchemaError(this.#problems);
    const [, ...others] = this.#documents.values();
    return [this.#documents.get(first.path) ?? first, ...others];
  }

  #add({ path, schema }: SchemaFile): SchemaDocument {
    const document: SchemaDocument = { path, uris: [fileUri(path)], schema };
    this.#documents.set(path, document);
    this.#index.add(document);
    return document;
  }

  async #follow(reference: SchemaReference): Promise<void> {
    const uri = withoutFragment(reference.uri);
    // What older drafts call themselves is refused with better words where the dialects are checked.
    if (this.#index.resource(uri) !== undefined || OWN_SCHEMAS.test(uri)) return;
    try {
      const file = (await this.#files.withId(uri)) ?? (await this.#atPath(reference, uri));
      if (this.#documents.size >= MAX_SCHEMA_FILES && !this.#documents.has(file.path)) {
        throw new SchemaFileError(`reaches more than ${MAX_SCHEMA_FILES} files`);
      }
      this.#alias(uri, this.#documents.get(file.path) ?? this.#add(file));
    } catch (error) {
      if (!(error instanceof SchemaFileError)) throw error;
      const what = `"${reference.text}" leads to no schema (${error.message})`;
      this.#problems.push(schemaProblem(reference.document, reference.pointer, what));
    }
  }

  async #atPath({ document, text }: SchemaReference, uri: string): Promise<SchemaFile> {
    // With an `$id` in force a reference means another URI than the file's place, but people mean the file beside.
    const place = uri.startsWith("file:") ? uri : absoluteUri(text, document.uris[0]);
    if (place === undefined || !place.startsWith("file:")) {
      throw new SchemaFileError("no file under .planner/schemas/ has this $id, and the network is never asked");
    }
    return this.#files.referred(pathOf(withoutFragment(place)));
  }

  #alias(uri: string, document: SchemaDocument): void {
    const aliased: SchemaDocument = { ...document, uris: [...document.uris, uri] };
    this.#documents.set(document.path, aliased);
    this.#index.alias(uri, document);
  }
}

/** File URIs here count from the project root, so that no message or `$ref` reveals the project's path. */
function fileUri(path: string): string {
  return `file:///${path.split("/").map(encodeURIComponent).join("/")}`;
}

function pathOf(uri: string): string {
  try {
    return decodeURIComponent(new URL(uri).pathname).slice(1);
  } catch {
    throw new SchemaFileError("its percent escapes are broken");
  }
}
