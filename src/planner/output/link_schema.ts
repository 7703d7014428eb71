import { appendPointerToken } from "./json_pointer.ts";
import type { LinkedObject, LinkedSchema } from "./linked_schema.ts";
import { compileWatchedPattern, type RunPatternTest, runUnlimitedMatch, type WatchedPattern } from "./patterns.ts";
import {
  formatSchemaProblem,
  isSchemaNode,
  isSchemaObject,
  SchemaError,
  type SchemaNode,
  type SchemaObject,
} from "./schema_document.ts";
import {
  decodeFragment,
  type IndexedSchema,
  resolveUri,
  type SchemaIndex,
  type SchemaResource,
} from "./schema_index.ts";
import {
  ASSERTION_KEYWORDS,
  SCHEMA_DIALECT,
  SUBSCHEMA_KEYWORDS,
  type SubschemaKeyword,
  VOCABULARIES,
  VOCABULARY_BASE,
  type Vocabulary,
} from "./schema_keywords.ts";

/** Vocabularies of a schema of the standard dialect, in which `format` is only an annotation. */
const STANDARD_VOCABULARIES: ReadonlySet<Vocabulary> = new Set(
  VOCABULARIES.filter((name) => name !== "format-assertion"),
);

/**
 * Returns the vocabularies of a resource, or the problem with its `$schema`.
 *
 * A meta-schema other than the dialect's must be among the indexed documents; its `$vocabulary` decides.
 * `format-assertion` also counts in a `$vocabulary` of the schema itself, so that it needs no meta-schema. Source: JSON
 * Schema 2020-12 Core, 8.1.2; docs/decisions.md#s-17.
 */
function readVocabularies(index: SchemaIndex, resource: SchemaResource): ReadonlySet<Vocabulary> | string {
  const own = listKnownVocabularies(resource.root);
  const dialect =
    resource.dialect === SCHEMA_DIALECT ? STANDARD_VOCABULARIES : readMetaSchemaVocabularies(index, resource.dialect);
  if (typeof dialect === "string" || !own.has("format-assertion")) return dialect;
  return new Set([...dialect, "format-assertion"]);
}

function readMetaSchemaVocabularies(index: SchemaIndex, uri: string): ReadonlySet<Vocabulary> | string {
  const meta = index.findResource(uri);
  if (meta === undefined) return `"${uri}" is not supported: expected "${SCHEMA_DIALECT}"`;
  const declared = isSchemaObject(meta.root) ? meta.root["$vocabulary"] : undefined;
  if (!isSchemaObject(declared)) return STANDARD_VOCABULARIES;
  const names = listKnownVocabularies(meta.root);
  const foreign = Object.keys(declared).find(
    (each) => declared[each] === true && !names.has(parseVocabularyName(each)),
  );
  return foreign === undefined ? names : `"${uri}" demands the vocabulary "${foreign}", which is not supported`;
}

function listKnownVocabularies(root: unknown): ReadonlySet<Vocabulary> {
  const declared = isSchemaObject(root) ? root["$vocabulary"] : undefined;
  const uris = isSchemaObject(declared) ? Object.keys(declared) : [];
  const names = uris.filter((uri) => uri.startsWith(VOCABULARY_BASE)).map(parseVocabularyName);
  return new Set(names.filter((name) => VOCABULARIES.includes(name)));
}

function parseVocabularyName(uri: string): Vocabulary {
  return uri.slice(VOCABULARY_BASE.length) as Vocabulary;
}

/** Dynamic anchors' bindings from the resources that evaluation passed. Scopes with equal bindings share a `key`. */
interface DynamicScope {
  readonly key: string;
  readonly bindings: ReadonlyMap<string, SchemaNode>;
}

interface LinkedDraft extends LinkedObject {
  readonly keywords: Map<string, unknown>;
}

const EMPTY_SCOPE: DynamicScope = { key: "", bindings: new Map() };

/**
 * Links the schema at `uri` with everything that it refers to.
 *
 * All that depends on URIs and scopes is resolved here once: references are replaced by their schemas, `$dynamicRef` is
 * bound for each scope that reaches it, and keywords of vocabularies outside the dialect are dropped. Source: JSON
 * Schema 2020-12 Core, 8.1.2 and 8.2.3.
 * @param test matches patterns with texts
 * @throws SchemaError for references to nothing or in a cycle, invalid patterns and unknown dialects
 *
 * Cost: O(schemas × dynamic scopes that reach them); there is one scope unless `$dynamicRef` is used.
 */
export function linkSchema(index: SchemaIndex, uri: string, test: RunPatternTest = runUnlimitedMatch): LinkedSchema {
  return new SchemaLinker(index, test).linkUri(uri);
}

class SchemaLinker {
  readonly #index: SchemaIndex;
  readonly #test: RunPatternTest;
  readonly #drafts = new Map<string, LinkedDraft>();
  readonly #pendingFills: (() => void)[] = [];
  readonly #problems: string[];
  readonly #reboundAnchors: ReadonlySet<string>;

  constructor(index: SchemaIndex, test: RunPatternTest) {
    this.#index = index;
    this.#test = test;
    this.#problems = [...index.problems];
    const dynamic = index.references.filter(({ pointer }) => pointer.endsWith("/$dynamicRef"));
    this.#reboundAnchors = new Set(dynamic.map(({ uri }) => decodeFragment(uri) ?? ""));
  }

  linkUri(uri: string): LinkedSchema {
    const target = this.#index.resolveReference(uri);
    const schema = target === undefined ? false : this.#linkNode(target.node, EMPTY_SCOPE);
    for (let fill = this.#pendingFills.pop(); fill !== undefined; fill = this.#pendingFills.pop()) fill();
    const circle = findSelfReference(this.#drafts.values());
    if (circle !== undefined) this.#addProblem(circle.source, "", "refers to itself without end");
    if (this.#problems.length > 0) throw new SchemaError([...new Set(this.#problems)].toSorted());
    return schema;
  }

  /** Returns a schema's linked form in a scope. Keywords are filled in later, so schemas may refer to themselves. */
  #linkNode(node: SchemaNode, outer: DynamicScope): LinkedSchema {
    if (typeof node === "boolean") return node;
    const place = this.#index.findSchema(node);
    if (place === undefined) return true;
    const scope = this.#enterResource(outer, place.resource);
    const key = `${place.number}${scope.key}`;
    const known = this.#drafts.get(key);
    if (known !== undefined) return known;
    const draft: LinkedDraft = { keywords: new Map(), source: place };
    this.#drafts.set(key, draft);
    this.#pendingFills.push(() => this.#fillDraft(draft, node, scope));
    return draft;
  }

  /** Adds the dynamic anchors of a resource; the outermost resource with an anchor keeps it. */
  #enterResource(scope: DynamicScope, resource: SchemaResource): DynamicScope {
    const bindings = new Map(scope.bindings);
    let key = scope.key;
    for (const [name, node] of resource.dynamicAnchors) {
      if (bindings.has(name) || !this.#reboundAnchors.has(name)) continue;
      bindings.set(name, node);
      key += ` ${name}=${typeof node === "boolean" ? node : this.#index.findSchema(node)?.number}`;
    }
    return key === scope.key ? scope : { key, bindings };
  }

  #fillDraft({ keywords, source }: LinkedDraft, node: SchemaObject, scope: DynamicScope): void {
    const vocabularies = readVocabularies(this.#index, source.resource);
    if (typeof vocabularies === "string") {
      this.#problems.push(
        formatSchemaProblem(source.resource.document, `${source.resource.pointer}/$schema`, vocabularies),
      );
      return;
    }
    for (const [keyword, value] of Object.entries(node)) {
      const applicator = SUBSCHEMA_KEYWORDS.get(keyword);
      if (keyword === "$ref" || keyword === "$dynamicRef") {
        keywords.set(keyword, this.#linkReference(keyword, String(value), source, scope));
      } else if (applicator?.isApplied === true && vocabularies.has(applicator.vocabulary)) {
        keywords.set(keyword, this.#linkApplicator(keyword, applicator, value, { place: source, scope }));
      } else if (isAssertedKeyword(keyword, vocabularies)) {
        keywords.set(keyword, keyword === "pattern" ? this.#compilePattern(String(value), source, "/pattern") : value);
      }
    }
  }

  #linkApplicator(
    keyword: string,
    { form: shape }: SubschemaKeyword,
    value: unknown,
    at: { place: IndexedSchema; scope: DynamicScope },
  ) {
    const link = (node: unknown): unknown => (isSchemaNode(node) ? this.#linkNode(node, at.scope) : node);
    if (shape === "schema") return link(value);
    if (shape === "list") return (value as readonly unknown[]).map(link);
    const entries = Object.entries(value as SchemaObject);
    if (keyword !== "patternProperties") return new Map(entries.map(([name, node]) => [name, link(node)]));
    return entries.map(([source, node]) => [
      this.#compilePattern(source, at.place, appendPointerToken("/patternProperties", source)),
      link(node),
    ]);
  }

  #linkReference(
    keyword: "$ref" | "$dynamicRef",
    text: string,
    place: IndexedSchema,
    scope: DynamicScope,
  ): LinkedSchema {
    const uri = resolveUri(text, place.resource.uri);
    // The index has already reported a text that is not a URI.
    if (uri === undefined) return false;
    const target = this.#index.resolveReference(uri);
    if (target === undefined) {
      this.#addProblem(place, `/${keyword}`, `"${text}" leads to no schema`);
      return false;
    }
    const anchor = decodeFragment(uri) ?? "";
    const rebinds = keyword === "$dynamicRef" && target.resource.dynamicAnchors.get(anchor) === target.node;
    return this.#linkNode(rebinds ? (scope.bindings.get(anchor) ?? target.node) : target.node, scope);
  }

  #compilePattern(source: string, place: IndexedSchema, pointer: string): WatchedPattern {
    try {
      return compileWatchedPattern(source, this.#test);
    } catch (error) {
      this.#addProblem(place, pointer, `"${source}" is no regular expression: ${(error as Error).message}`);
      return { source, matches: () => false };
    }
  }

  #addProblem(place: IndexedSchema, pointer: string, what: string): void {
    this.#problems.push(formatSchemaProblem(place.resource.document, place.pointer + pointer, what));
  }
}

function isAssertedKeyword(keyword: string, vocabularies: ReadonlySet<Vocabulary>): boolean {
  if (keyword === "format") return vocabularies.has("format-assertion");
  return vocabularies.has("validation") && ASSERTION_KEYWORDS.has(keyword);
}

/**
 * Returns a schema that applies itself to the same value through its references, or undefined. Its evaluation would
 * never end. Source: JSON Schema 2020-12 Core, 9.4.1. Cost: O(schemas + references), without recursion.
 */
function findSelfReference(schemas: Iterable<LinkedObject>): LinkedObject | undefined {
  const state = new Map<LinkedObject, "open" | "done">();
  for (const start of schemas) {
    const path: { readonly schema: LinkedObject; readonly next: LinkedObject[] }[] = [];
    const enter = (schema: LinkedObject): void => {
      state.set(schema, "open");
      path.push({ schema, next: listInPlaceSchemas(schema) });
    };
    if (!state.has(start)) enter(start);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const schema = last.next.pop();
      if (schema === undefined) {
        state.set(last.schema, "done");
        path.pop();
      } else if (state.get(schema) === "open") return schema;
      else if (!state.has(schema)) enter(schema);
    }
  }
  return undefined;
}

function listInPlaceSchemas({ keywords }: LinkedObject): LinkedObject[] {
  const found: unknown[] = [];
  for (const [keyword, value] of keywords) {
    if (keyword === "$ref" || keyword === "$dynamicRef") found.push(value);
    else if (SUBSCHEMA_KEYWORDS.get(keyword)?.appliesInPlace !== true) continue;
    else if (value instanceof Map) found.push(...value.values());
    else found.push(...[value].flat());
  }
  return found.filter((each) => typeof each === "object" && each !== null && "keywords" in each) as LinkedObject[];
}
