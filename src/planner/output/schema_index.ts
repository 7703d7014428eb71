import { childPointer, member, pointerTokens } from "./json_pointer.ts";
import {
  isSchemaNode,
  isSchemaObject,
  type SchemaDocument,
  type SchemaNode,
  type SchemaObject,
  schemaProblem,
  subschemas,
} from "./schema_document.ts";
import { DIALECT } from "./schema_keywords.ts";

/** A schema with its own URI: a document, or a schema inside one that has an `$id`. */
export interface Resource {
  readonly uri: string;
  readonly root: SchemaNode;
  readonly document: SchemaDocument;
  /** From the root of the document. */
  readonly pointer: string;
  /** The `$schema` in force. */
  readonly dialect: string;
  /** Schemas by the names of their `$anchor` and `$dynamicAnchor`. */
  readonly anchors: Map<string, SchemaNode>;
  /** The part of `anchors` that `$dynamicRef` may rebind. */
  readonly dynamicAnchors: Map<string, SchemaNode>;
}

export interface SchemaPlace {
  readonly resource: Resource;
  /** From the root of the document. */
  readonly pointer: string;
  /** Counts the schemas of the index from 0. */
  readonly number: number;
}

/** A `$ref`, `$dynamicRef` or foreign `$schema`, as written and as the absolute URI it means. */
export interface SchemaReference {
  readonly document: SchemaDocument;
  readonly pointer: string;
  readonly text: string;
  readonly uri: string;
}

/** A schema at a place where the dialect expects none. */
export interface StraySchema {
  readonly document: SchemaDocument;
  readonly pointer: string;
  readonly node: SchemaObject;
}

export interface ReferenceTarget {
  readonly node: SchemaNode;
  readonly resource: Resource;
}

/**
 * Every schema of some documents by identity, by URI and by anchor. Only positions where the dialect expects a schema
 * are read, so an `$id` inside `enum`, `const` or an unknown keyword is data. Source: JSON Schema 2020-12 Core, 8 and
 * 9.
 */
export class SchemaIndex {
  /** In the order of the documents; documents added later append to it. */
  readonly references: SchemaReference[] = [];
  readonly problems: string[] = [];
  /** A location that became a schema only by a reference; it was not indexed before. */
  readonly strays: StraySchema[] = [];
  readonly #resources = new Map<string, Resource>();
  readonly #places = new Map<SchemaObject, SchemaPlace>();
  #count = 0;

  add(document: SchemaDocument): void {
    const { schema, uris } = document;
    if (!isSchemaNode(schema)) {
      this.problems.push(schemaProblem(document, "", "expected a schema, which is an object or a boolean"));
      return;
    }
    const resource = this.#resource(document, schema, { uri: uris[0], dialect: DIALECT, pointer: "" });
    for (const uri of uris) this.#resources.set(uri, resource);
    this.#visit(schema, resource, "");
  }

  /** Lets another URI lead to a document that was added. */
  alias(uri: string, document: SchemaDocument): void {
    const resource = this.#resources.get(document.uris[0]);
    if (resource !== undefined) this.#resources.set(uri, resource);
  }

  resource(uri: string): Resource | undefined {
    return this.#resources.get(withoutFragment(uri));
  }

  place(node: SchemaObject): SchemaPlace | undefined {
    return this.#places.get(node);
  }

  /** What a reference with an absolute URI leads to, or undefined. */
  resolve(uri: string): ReferenceTarget | undefined {
    const resource = this.resource(uri);
    const fragment = fragmentOf(uri);
    if (resource === undefined || fragment === undefined) return undefined;
    if (fragment !== "" && !fragment.startsWith("/")) return this.#target(resource.anchors.get(fragment), resource, "");
    return this.#follow(resource, fragment);
  }

  #follow(resource: Resource, pointer: string): ReferenceTarget | undefined {
    let node: unknown = resource.root;
    let nearest = resource;
    for (const token of pointerTokens(pointer) ?? [""]) {
      node = member(node, token);
      if (isSchemaObject(node)) nearest = this.place(node)?.resource ?? nearest;
    }
    return this.#target(node, nearest, resource.pointer + pointer);
  }

  #target(node: unknown, resource: Resource, pointer: string): ReferenceTarget | undefined {
    if (!isSchemaNode(node)) return undefined;
    if (typeof node === "boolean") return { node, resource };
    // A pointer may lead to a value outside all keywords of the dialect. That value is treated as a schema from now on.
    if (!this.#places.has(node)) {
      this.strays.push({ document: resource.document, pointer, node });
      this.#visit(node, resource, pointer);
    }
    return { node, resource: this.place(node)?.resource ?? resource };
  }

  #visit(root: SchemaNode, rootResource: Resource, rootPointer: string): void {
    const open: [SchemaNode, Resource, string][] = [[root, rootResource, rootPointer]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [node, outer, pointer] = next;
      if (typeof node === "boolean") continue;
      const resource = node === outer.root ? outer : this.#enter(node, outer, pointer);
      this.#register(node, resource, pointer);
      for (const child of subschemas(node).toReversed()) {
        open.push([child.node, resource, pointer + child.pointer]);
      }
    }
  }

  /** The resource that a schema inside `outer` belongs to: a new one when it has an `$id`. */
  #enter(node: SchemaObject, outer: Resource, pointer: string): Resource {
    if (typeof node["$id"] !== "string") return outer;
    return this.#resource(outer.document, node, { uri: outer.uri, dialect: outer.dialect, pointer });
  }

  #resource(document: SchemaDocument, root: SchemaNode, outer: { uri: string; dialect: string; pointer: string }) {
    const own = isSchemaObject(root) ? root : {};
    const id = own["$id"];
    const uri = typeof id === "string" ? this.#absolute(document, `${outer.pointer}/$id`, id, outer.uri) : outer.uri;
    const dialect = own["$schema"];
    const resource: Resource = {
      uri: withoutFragment(uri ?? outer.uri),
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
      this.problems.push(schemaProblem(document, `${outer.pointer}/$id`, `"${resource.uri}" is defined ${where}`));
    }
    this.#resources.set(resource.uri, resource);
    if (resource.dialect !== DIALECT) {
      const { document: from, dialect: text } = resource;
      this.references.push({ document: from, pointer: `${outer.pointer}/$schema`, text, uri: text });
    }
    return resource;
  }

  #register(node: SchemaObject, resource: Resource, pointer: string): void {
    this.#places.set(node, { resource, pointer, number: this.#count++ });
    const { $anchor: anchor, $dynamicAnchor: dynamicAnchor } = node;
    if (typeof anchor === "string") resource.anchors.set(anchor, node);
    if (typeof dynamicAnchor === "string") {
      resource.anchors.set(dynamicAnchor, node);
      resource.dynamicAnchors.set(dynamicAnchor, node);
    }
    for (const keyword of ["$ref", "$dynamicRef"]) {
      const text = node[keyword];
      if (typeof text !== "string") continue;
      const at = childPointer(pointer, keyword);
      const uri = this.#absolute(resource.document, at, text, resource.uri);
      if (uri !== undefined) this.references.push({ document: resource.document, pointer: at, text, uri });
    }
  }

  #absolute(document: SchemaDocument, pointer: string, text: string, base: string): string | undefined {
    const uri = absoluteUri(text, base);
    if (uri === undefined) this.problems.push(schemaProblem(document, pointer, `"${text}" is no URI reference`));
    return uri;
  }
}

/** The URI that `reference` means where `base` is in force, or undefined when it means none. */
export function absoluteUri(reference: string, base: string): string | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base).href : undefined;
}

export function withoutFragment(uri: string): string {
  const hash = uri.indexOf("#");
  return hash < 0 ? uri : uri.slice(0, hash);
}

/** The fragment with its percent escapes decoded; undefined when they are broken. */
export function fragmentOf(uri: string): string | undefined {
  const hash = uri.indexOf("#");
  try {
    return hash < 0 ? "" : decodeURIComponent(uri.slice(hash + 1));
  } catch {
    return undefined;
  }
}
