import { appendPointerToken, getMember, parseJsonPointer } from "./json_pointer.ts";
import {
  formatSchemaProblem,
  isSchemaNode,
  isSchemaObject,
  listSubschemas,
  type SchemaDocument,
  type SchemaNode,
  type SchemaObject,
} from "./schema_document.ts";
import { SCHEMA_DIALECT } from "./schema_keywords.ts";

/** A schema with its own URI: a document, or a schema inside one that has an `$id`. */
export interface SchemaResource {
  readonly uri: string;
  readonly root: SchemaNode;
  readonly document: SchemaDocument;
  /** Pointer from the root of the document. */
  readonly pointer: string;
  /** The `$schema` that applies to the resource. */
  readonly dialect: string;
  /** Schemas by the name of their `$anchor` or `$dynamicAnchor`. */
  readonly anchors: Map<string, SchemaNode>;
  /** The subset of `anchors` that `$dynamicRef` may rebind. */
  readonly dynamicAnchors: Map<string, SchemaNode>;
}

export interface IndexedSchema {
  readonly resource: SchemaResource;
  /** Pointer from the root of the document. */
  readonly pointer: string;
  /** Number of the schema in the index, from 0. */
  readonly number: number;
}

/** A `$ref`, `$dynamicRef` or foreign `$schema`, with its written text and its absolute URI. */
export interface SchemaReference {
  readonly document: SchemaDocument;
  readonly pointer: string;
  readonly text: string;
  readonly uri: string;
}

/** A schema at a location where the dialect expects none. */
export interface StraySchema {
  readonly document: SchemaDocument;
  readonly pointer: string;
  readonly node: SchemaObject;
}

export interface ReferenceTarget {
  readonly node: SchemaNode;
  readonly resource: SchemaResource;
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
  /** Values that are schemas only because a reference points to them. */
  readonly straySchemas: StraySchema[] = [];
  readonly #resources = new Map<string, SchemaResource>();
  readonly #schemas = new Map<SchemaObject, IndexedSchema>();
  #count = 0;

  addDocument(document: SchemaDocument): void {
    const { schema, uris } = document;
    if (!isSchemaNode(schema)) {
      this.problems.push(formatSchemaProblem(document, "", "expected a schema, which is an object or a boolean"));
      return;
    }
    const resource = this.#addResource(document, schema, { uri: uris[0], dialect: SCHEMA_DIALECT, pointer: "" });
    for (const uri of uris) this.#resources.set(uri, resource);
    this.#indexSchemas(schema, resource, "");
  }

  /** Adds another URI of an indexed document. */
  addAlias(uri: string, document: SchemaDocument): void {
    const resource = this.#resources.get(document.uris[0]);
    if (resource !== undefined) this.#resources.set(uri, resource);
  }

  findResource(uri: string): SchemaResource | undefined {
    return this.#resources.get(removeFragment(uri));
  }

  findSchema(node: SchemaObject): IndexedSchema | undefined {
    return this.#schemas.get(node);
  }

  /** Returns the schema to which an absolute URI refers, or undefined. */
  resolveReference(uri: string): ReferenceTarget | undefined {
    const resource = this.findResource(uri);
    const fragment = decodeFragment(uri);
    if (resource === undefined || fragment === undefined) return undefined;
    if (fragment !== "" && !fragment.startsWith("/"))
      return this.#createTarget(resource.anchors.get(fragment), resource, "");
    return this.#followPointer(resource, fragment);
  }

  #followPointer(resource: SchemaResource, pointer: string): ReferenceTarget | undefined {
    let node: unknown = resource.root;
    let nearest = resource;
    for (const token of parseJsonPointer(pointer) ?? [""]) {
      node = getMember(node, token);
      if (isSchemaObject(node)) nearest = this.findSchema(node)?.resource ?? nearest;
    }
    return this.#createTarget(node, nearest, resource.pointer + pointer);
  }

  #createTarget(node: unknown, resource: SchemaResource, pointer: string): ReferenceTarget | undefined {
    if (!isSchemaNode(node)) return undefined;
    if (typeof node === "boolean") return { node, resource };
    // A pointer may refer to a value outside all keywords of the dialect. That value becomes a schema here.
    if (!this.#schemas.has(node)) {
      this.straySchemas.push({ document: resource.document, pointer, node });
      this.#indexSchemas(node, resource, pointer);
    }
    return { node, resource: this.findSchema(node)?.resource ?? resource };
  }

  #indexSchemas(root: SchemaNode, rootResource: SchemaResource, rootPointer: string): void {
    const open: [SchemaNode, SchemaResource, string][] = [[root, rootResource, rootPointer]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [node, outer, pointer] = next;
      if (typeof node === "boolean") continue;
      const resource = node === outer.root ? outer : this.#enterSchema(node, outer, pointer);
      this.#registerSchema(node, resource, pointer);
      for (const child of listSubschemas(node).toReversed()) {
        open.push([child.node, resource, pointer + child.pointer]);
      }
    }
  }

  /** Returns the resource of a schema inside `outer`: a new one if it has an `$id`. */
  #enterSchema(node: SchemaObject, outer: SchemaResource, pointer: string): SchemaResource {
    if (typeof node["$id"] !== "string") return outer;
    return this.#addResource(outer.document, node, { uri: outer.uri, dialect: outer.dialect, pointer });
  }

  #addResource(document: SchemaDocument, root: SchemaNode, outer: { uri: string; dialect: string; pointer: string }) {
    const own = isSchemaObject(root) ? root : {};
    const id = own["$id"];
    const uri = typeof id === "string" ? this.#resolveUri(document, `${outer.pointer}/$id`, id, outer.uri) : outer.uri;
    const dialect = own["$schema"];
    const resource: SchemaResource = {
      uri: removeFragment(uri ?? outer.uri),
      root,
      document,
      pointer: outer.pointer,
      dialect: typeof dialect === "string" ? dialect.replace(/#$/, "") : outer.dialect,
      anchors: new Map(),
      dynamicAnchors: new Map(),
    };
    const known = this.#resources.get(resource.uri);
    if (known !== undefined && known.root !== root) {
      const where = known.document === document ? "twice" : `in ${known.document.path} as well`;
      this.problems.push(
        formatSchemaProblem(document, `${outer.pointer}/$id`, `"${resource.uri}" is defined ${where}`),
      );
    }
    this.#resources.set(resource.uri, resource);
    if (resource.dialect !== SCHEMA_DIALECT) {
      const { document: from, dialect: text } = resource;
      this.references.push({ document: from, pointer: `${outer.pointer}/$schema`, text, uri: text });
    }
    return resource;
  }

  #registerSchema(node: SchemaObject, resource: SchemaResource, pointer: string): void {
    this.#schemas.set(node, { resource, pointer, number: this.#count++ });
    const { $anchor: anchor, $dynamicAnchor: dynamicAnchor } = node;
    if (typeof anchor === "string") resource.anchors.set(anchor, node);
    if (typeof dynamicAnchor === "string") {
      resource.anchors.set(dynamicAnchor, node);
      resource.dynamicAnchors.set(dynamicAnchor, node);
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
export function decodeFragment(uri: string): string | undefined {
  const hash = uri.indexOf("#");
  try {
    return hash < 0 ? "" : decodeURIComponent(uri.slice(hash + 1));
  } catch {
    return undefined;
  }
}
