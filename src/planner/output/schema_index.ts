import { isJsonObject } from "#kernel/json_object.ts";

/** A schema with its own URI: a document, or a schema inside one that has an `$id`. */
interface SchemaResource {
  readonly uri: string;
  readonly root: SchemaNode;
  readonly document: SchemaDocument;
  /** Pointer from the root of the document. */
  readonly pointer: string;
  /** Schemas by the name of their `$anchor` or `$dynamicAnchor`. */
  readonly anchors: Map<string, SchemaObject>;
}

/** A schema with its place in the files. */
interface IndexedSchema {
  readonly node: SchemaObject;
  readonly resource: SchemaResource;
  /** Pointer from the root of the document. */
  readonly pointer: string;
  /** True if it is a schema only because a reference leads to it. */
  readonly isStray: boolean;
}

/** Where a reference leads. */
interface SchemaTarget {
  readonly node: SchemaNode;
  readonly document: SchemaDocument;
  readonly pointer: string;
}

/** A `$ref`, `$dynamicRef` or foreign `$schema`, with its written text and its absolute URI. */
export interface SchemaReference {
  readonly document: SchemaDocument;
  readonly pointer: string;
  readonly text: string;
  readonly uri: string;
}

/**
 * Index of the schemas of several documents by object identity, URI and anchor. It reads only positions where the
 * dialect expects a schema, so an `$id` inside `enum`, `const` or an unknown keyword is data. Source: JSON Schema
 * 2020-12 Core, 8 and 9.
 */
export class SchemaIndex {
  /** References in the order of the documents; documents added later append to the list. */
  readonly references: SchemaReference[] = [];
  readonly problems: string[] = [];
  readonly schemas = new Map<SchemaObject, IndexedSchema>();
  readonly #resources = new Map<string, SchemaResource>();

  static of(bundle: SchemaBundle): SchemaIndex {
    const index = new SchemaIndex();
    for (const document of bundle) index.addDocument(document);
    return index;
  }

  addDocument(document: SchemaDocument): void {
    const { schema, uris } = document;
    if (!isSchemaNode(schema)) {
      this.problems.push(formatSchemaProblem(document, "", "expected a schema, which is an object or a boolean"));
      return;
    }
    const resource = this.#addResource(document, schema, uris[0], "");
    for (const uri of uris) this.#resources.set(uri, resource);
    this.#indexSchemas(schema, resource, "", false);
  }

  /** Adds another URI of an indexed document. */
  addAlias(uri: string, document: SchemaDocument): void {
    const resource = this.#resources.get(document.uris[0]);
    if (resource !== undefined) this.#resources.set(uri, resource);
  }

  hasResource(uri: string): boolean {
    return this.#resources.has(removeFragment(uri));
  }

  /** Returns the schema to which an absolute URI refers, or undefined. */
  resolveReference(uri: string): SchemaTarget | undefined {
    const resource = this.#resources.get(removeFragment(uri));
    const fragment = decodeFragment(uri);
    if (resource === undefined || fragment === undefined) return undefined;
    if (fragment !== "" && !fragment.startsWith("/")) return this.#locate(resource.anchors.get(fragment), resource, "");
    let node: unknown = resource.root;
    let nearest = resource;
    for (const token of parseJsonPointer(fragment) ?? [""]) {
      node = getMember(node, token);
      if (isSchemaObject(node)) nearest = this.schemas.get(node)?.resource ?? nearest;
    }
    // A pointer may refer to a value outside all keywords of the dialect. That value becomes a schema here.
    const pointer = resource.pointer + fragment;
    if (isSchemaObject(node) && !this.schemas.has(node)) this.#indexSchemas(node, nearest, pointer, true);
    return this.#locate(node, nearest, pointer);
  }

  #locate(node: unknown, { document }: SchemaResource, pointer: string): SchemaTarget | undefined {
    if (!isSchemaNode(node)) return undefined;
    return { node, document, pointer: (typeof node === "object" && this.schemas.get(node)?.pointer) || pointer };
  }

  /**
   * Returns the schema to which `$ref` or `$dynamicRef` of an indexed schema leads, or undefined. A dynamic reference
   * means the anchor of the first document if that has one, because every comparison begins there. Source: JSON Schema
   * 2020-12 Core, 8.2.3.2.
   */
  followReference(schema: SchemaObject, keyword: "$ref" | "$dynamicRef"): SchemaTarget | undefined {
    const text = schema[keyword];
    const base = this.schemas.get(schema)?.resource.uri;
    const uri = typeof text === "string" && base !== undefined ? resolveUri(text, base) : undefined;
    const target = uri === undefined ? undefined : this.resolveReference(uri);
    const anchor = isSchemaObject(target?.node) ? target.node["$dynamicAnchor"] : undefined;
    if (keyword === "$ref" || typeof anchor !== "string" || !uri?.endsWith(`#${anchor}`)) return target;
    const [first] = this.#resources.values();
    const outermost = first?.anchors.get(anchor);
    return outermost?.["$dynamicAnchor"] === anchor && first !== undefined
      ? this.#locate(outermost, first, "")
      : target;
  }

  #indexSchemas(root: SchemaNode, rootResource: SchemaResource, rootPointer: string, isStray: boolean): void {
    const open: [SchemaNode, SchemaResource, string][] = [[root, rootResource, rootPointer]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [node, outer, pointer] = next;
      if (typeof node === "boolean") continue;
      const hasOwnUri = node !== outer.root && typeof node["$id"] === "string";
      const resource = hasOwnUri ? this.#addResource(outer.document, node, outer.uri, pointer) : outer;
      this.schemas.set(node, { node, resource, pointer, isStray: isStray && node === root });
      this.#registerNames(node, resource, pointer);
      for (const child of listSubschemas(node).toReversed()) {
        open.push([child.node, resource, pointer + child.pointer]);
      }
    }
  }

  #addResource(document: SchemaDocument, root: SchemaNode, base: string, pointer: string): SchemaResource {
    const own = isSchemaObject(root) ? root : {};
    const id = own["$id"];
    const uri = typeof id === "string" ? this.#resolveUri(document, `${pointer}/$id`, id, base) : base;
    const resource = { uri: removeFragment(uri ?? base), root, document, pointer, anchors: new Map() };
    const known = this.#resources.get(resource.uri);
    if (known !== undefined && known.root !== root) {
      const where = known.document === document ? "twice" : `in ${known.document.path} as well`;
      this.problems.push(formatSchemaProblem(document, `${pointer}/$id`, `"${resource.uri}" is defined ${where}`));
    }
    this.#resources.set(resource.uri, resource);
    const dialect = own["$schema"];
    if (typeof dialect === "string" && dialect.replace(/#$/, "") !== SCHEMA_DIALECT) {
      this.references.push({ document, pointer: `${pointer}/$schema`, text: dialect, uri: dialect });
    }
    return resource;
  }

  #registerNames(node: SchemaObject, resource: SchemaResource, pointer: string): void {
    for (const name of [node["$anchor"], node["$dynamicAnchor"]]) {
      if (typeof name === "string") resource.anchors.set(name, node);
    }
    for (const keyword of ["$ref", "$dynamicRef"]) {
      const text = node[keyword];
      if (typeof text !== "string") continue;
      const at = appendPointerToken(pointer, keyword);
      const uri = this.#resolveUri(resource.document, at, text, resource.uri);
      if (uri !== undefined) this.references.push({ document: resource.document, pointer: at, text, uri });
    }
  }

  #resolveUri(document: SchemaDocument, pointer: string, text: string, base: string): string | undefined {
    const uri = resolveUri(text, base);
    if (uri === undefined) this.problems.push(formatSchemaProblem(document, pointer, `"${text}" is no URI reference`));
    return uri;
  }
}

/** Resolves `reference` against the URI `base`; undefined if the result is not a URI. */
export function resolveUri(reference: string, base: string): string | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base).href : undefined;
}

export function removeFragment(uri: string): string {
  const hash = uri.indexOf("#");
  return hash < 0 ? uri : uri.slice(0, hash);
}

/** Returns the fragment with its percent escapes decoded; undefined if an escape is invalid. */
function decodeFragment(uri: string): string | undefined {
  const hash = uri.indexOf("#");
  try {
    return hash < 0 ? "" : decodeURIComponent(uri.slice(hash + 1));
  } catch {
    return undefined;
  }
}

export type SchemaObject = Readonly<Record<string, unknown>>;
export type SchemaNode = SchemaObject | boolean;

export interface SchemaDocument {
  /** Path from the project root, which messages print. */
  readonly path: string;
  /** URIs of the document. The first is the one under which it was read; relative references resolve against it. */
  readonly uris: readonly [string, ...string[]];
  readonly schema: unknown;
}

/** A schema file and all files that it refers to, directly or indirectly; the file itself comes first. */
export type SchemaBundle = readonly [SchemaDocument, ...SchemaDocument[]];

export const SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** Beginning of the URIs of the meta-schemas of JSON Schema itself, which need no file. */
export const META_SCHEMA_URI_PATTERN = /^https?:\/\/json-schema\.org\//;

/** An error in a schema file. Each line of the message names the file and the location in it. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** Formats an error in a schema file as `<path>#<pointer>: <what>`. */
export function formatSchemaProblem(document: SchemaDocument, pointer: string, what: string): string {
  return `${document.path}#${pointer === "" ? "/" : pointer}: ${what}`;
}

export function isSchemaObject(value: unknown): value is SchemaObject {
  return isJsonObject(value);
}

export function isSchemaNode(value: unknown): value is SchemaNode {
  return typeof value === "boolean" || isSchemaObject(value);
}

/** Keywords that map names to schemas. `definitions` and `dependencies` are older ones that the dialect still allows. */
const MAP_KEYWORDS: ReadonlySet<string> = new Set(
  "$defs definitions properties patternProperties dependentSchemas dependencies".split(" "),
);

/** Keywords that hold a schema or a list of schemas. Source: JSON Schema 2020-12 Core, 10 and 11; Validation, 8. */
const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  ..."allOf anyOf oneOf not if then else prefixItems items contains additionalProperties propertyNames".split(" "),
  ..."unevaluatedItems unevaluatedProperties contentSchema".split(" "),
]);

/** Returns the schemas directly inside `schema`, with their pointers from it, for example `/properties/name`. */
function listSubschemas(schema: SchemaObject): readonly { node: SchemaNode; pointer: string }[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const pointer = `/${keyword}`;
    const isMap = MAP_KEYWORDS.has(keyword) && isSchemaObject(value);
    if (!isMap && !SCHEMA_KEYWORDS.has(keyword)) return [];
    if (!isMap && !Array.isArray(value)) return isSchemaNode(value) ? [{ node: value, pointer }] : [];
    return Object.entries(value as object)
      .filter(([, node]) => isSchemaNode(node))
      .map(([name, node]) => ({ node: node as SchemaNode, pointer: appendPointerToken(pointer, name) }));
  });
}

/** Appends a token to a JSON pointer. Source: RFC 6901. */
function appendPointerToken(pointer: string, token: string | number): string {
  return `${pointer}/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Splits a JSON pointer into unescaped tokens; undefined if the text is not a pointer. */
function parseJsonPointer(pointer: string): readonly string[] | undefined {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the field or item of `value` that one token names, or undefined. */
function getMember(value: unknown, token: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
  return Object.hasOwn(value, token) ? (value as Record<string, unknown>)[token] : undefined;
}
