import { childPointer } from "./json_pointer.ts";
import type { LinkedObject, LinkedSchema } from "./linked_schema.ts";
import { type PatternTest, testPattern, type WatchedPattern, watchPattern } from "./patterns.ts";
import {
  isSchemaNode,
  isSchemaObject,
  SchemaError,
  type SchemaNode,
  type SchemaObject,
  schemaProblem,
} from "./schema_document.ts";
import { absoluteUri, fragmentOf, type Resource, type SchemaIndex, type SchemaPlace } from "./schema_index.ts";
import {
  APPLICATORS,
  type Applicator,
  ASSERTIONS,
  DIALECT,
  VOCABULARIES,
  VOCABULARY_BASE,
  type Vocabulary,
} from "./schema_keywords.ts";

/** What a schema of the dialect itself is made of: `format` is a note there, not a demand. */
const STANDARD: ReadonlySet<Vocabulary> = new Set(VOCABULARIES.filter((name) => name !== "format-assertion"));

/**
 * The vocabularies that a resource is written in, or the problem with its `$schema`.
 *
 * Another meta-schema than the dialect's must be among the indexed documents, and its `$vocabulary` decides. So that
 * no meta-schema is needed for it, `format-assertion` counts as well in a `$vocabulary` of the schema itself.
 * Source: JSON Schema 2020-12 Core, 8.1.2; docs/decisions.md#s-17.
 */
function vocabulariesOf(index: SchemaIndex, resource: Resource): ReadonlySet<Vocabulary> | string {
  const own = knownVocabularies(resource.root);
  const dialect = resource.dialect === DIALECT ? STANDARD : ofMetaSchema(index, resource.dialect);
  if (typeof dialect === "string" || !own.has("format-assertion")) return dialect;
  return new Set([...dialect, "format-assertion"]);
}

function ofMetaSchema(index: SchemaIndex, uri: string): ReadonlySet<Vocabulary> | string {
  const meta = index.resource(uri);
  if (meta === undefined) return `"${uri}" is not supported: expected "${DIALECT}"`;
  const declared = isSchemaObject(meta.root) ? meta.root["$vocabulary"] : undefined;
  if (!isSchemaObject(declared)) return STANDARD;
  const names = knownVocabularies(meta.root);
  const foreign = Object.keys(declared).find((each) => declared[each] === true && !names.has(shortName(each)));
  return foreign === undefined ? names : `"${uri}" demands the vocabulary "${foreign}", which is not supported`;
}

function knownVocabularies(root: unknown): ReadonlySet<Vocabulary> {
  const declared = isSchemaObject(root) ? root["$vocabulary"] : undefined;
  const uris = isSchemaObject(declared) ? Object.keys(declared) : [];
  const names = uris.filter((uri) => uri.startsWith(VOCABULARY_BASE)).map(shortName);
  return new Set(names.filter((name) => VOCABULARIES.includes(name)));
}

function shortName(uri: string): Vocabulary {
  return uri.slice(VOCABULARY_BASE.length) as Vocabulary;
}

/** What the resources that evaluation came through say about dynamic anchors. `key` is equal for equal bindings. */
interface DynamicScope {
  readonly key: string;
  readonly bindings: ReadonlyMap<string, SchemaNode>;
}

interface Draft extends LinkedObject {
  readonly keywords: Map<string, unknown>;
}

const EMPTY_SCOPE: DynamicScope = { key: "", bindings: new Map() };

/**
 * Links the schema at `uri` with everything that it refers to.
 *
 * What depends on URIs and scopes is settled here once: references become the schemas meant, `$dynamicRef` is bound for
 * each way that leads to it, and keywords of vocabularies that the dialect leaves out are dropped.
 * Source: JSON Schema 2020-12 Core, 8.1.2 and 8.2.3.
 *
 * @param test how patterns meet texts
 * @throws SchemaError for references that lead nowhere or in circles, patterns that do not parse and unknown dialects
 *
 * Cost: O(schemas × dynamic scopes that reach them); there is one scope unless `$dynamicRef` is used.
 */
export function linkSchema(index: SchemaIndex, uri: string, test: PatternTest = testPattern): LinkedSchema {
  return new Linker(index, test).link(uri);
}

class Linker {
  readonly #index: SchemaIndex;
  readonly #test: PatternTest;
  readonly #drafts = new Map<string, Draft>();
  readonly #unfilled: (() => void)[] = [];
  readonly #problems: string[];
  readonly #rebound: ReadonlySet<string>;

  constructor(index: SchemaIndex, test: PatternTest) {
    this.#index = index;
    this.#test = test;
    this.#problems = [...index.problems];
    const dynamic = index.references.filter(({ pointer }) => pointer.endsWith("/$dynamicRef"));
    this.#rebound = new Set(dynamic.map(({ uri }) => fragmentOf(uri) ?? ""));
  }

  link(uri: string): LinkedSchema {
    const target = this.#index.resolve(uri);
    const schema = target === undefined ? false : this.#node(target.node, EMPTY_SCOPE);
    for (let fill = this.#unfilled.pop(); fill !== undefined; fill = this.#unfilled.pop()) fill();
    const circle = findSelfReference(this.#drafts.values());
    if (circle !== undefined) this.#problem(circle.place, "", "refers to itself without end");
    if (this.#problems.length > 0) throw new SchemaError([...new Set(this.#problems)].toSorted());
    return schema;
  }

  /** The linked form of a schema in a scope. It is filled in later, so that schemas may lead back to themselves. */
  #node(node: SchemaNode, outer: DynamicScope): LinkedSchema {
    if (typeof node === "boolean") return node;
    const place = this.#index.place(node);
    if (place === undefined) return true;
    const scope = this.#enter(outer, place.resource);
    const key = `${place.number}${scope.key}`;
    const known = this.#drafts.get(key);
    if (known !== undefined) return known;
    const draft: Draft = { keywords: new Map(), place };
    this.#drafts.set(key, draft);
    this.#unfilled.push(() => this.#fill(draft, node, scope));
    return draft;
  }

  /** The outermost resource that has an anchor keeps it. */
  #enter(scope: DynamicScope, resource: Resource): DynamicScope {
    const bindings = new Map(scope.bindings);
    let key = scope.key;
    for (const [name, node] of resource.dynamicAnchors) {
      if (bindings.has(name) || !this.#rebound.has(name)) continue;
      bindings.set(name, node);
      key += ` ${name}=${typeof node === "boolean" ? node : this.#index.place(node)?.number}`;
    }
    return key === scope.key ? scope : { key, bindings };
  }

  #fill({ keywords, place }: Draft, node: SchemaObject, scope: DynamicScope): void {
    const vocabularies = vocabulariesOf(this.#index, place.resource);
    if (typeof vocabularies === "string") {
      this.#problems.push(schemaProblem(place.resource.document, `${place.resource.pointer}/$schema`, vocabularies));
      return;
    }
    for (const [keyword, value] of Object.entries(node)) {
      const applicator = APPLICATORS.get(keyword);
      if (keyword === "$ref" || keyword === "$dynamicRef") {
        keywords.set(keyword, this.#reference(keyword, String(value), place, scope));
      } else if (applicator?.applies === true && vocabularies.has(applicator.vocabulary)) {
        keywords.set(keyword, this.#applicator(keyword, applicator, value, { place, scope }));
      } else if (isAsserted(keyword, vocabularies)) {
        keywords.set(keyword, keyword === "pattern" ? this.#pattern(String(value), place, "/pattern") : value);
      }
    }
  }

  #applicator(
    keyword: string,
    { place: shape }: Applicator,
    value: unknown,
    at: { place: SchemaPlace; scope: DynamicScope },
  ) {
    const link = (node: unknown): unknown => (isSchemaNode(node) ? this.#node(node, at.scope) : node);
    if (shape === "schema") return link(value);
    if (shape === "list") return (value as readonly unknown[]).map(link);
    const entries = Object.entries(value as SchemaObject);
    if (keyword !== "patternProperties") return new Map(entries.map(([name, node]) => [name, link(node)]));
    return entries.map(([source, node]) => [
      this.#pattern(source, at.place, childPointer("/patternProperties", source)),
      link(node),
    ]);
  }

  #reference(keyword: "$ref" | "$dynamicRef", text: string, place: SchemaPlace, scope: DynamicScope): LinkedSchema {
    const uri = absoluteUri(text, place.resource.uri);
    // A text that is no URI is in the index's problems already.
    if (uri === undefined) return false;
    const target = this.#index.resolve(uri);
    if (target === undefined) {
      this.#problem(place, `/${keyword}`, `"${text}" leads to no schema`);
      return false;
    }
    const anchor = fragmentOf(uri) ?? "";
    const rebinds = keyword === "$dynamicRef" && target.resource.dynamicAnchors.get(anchor) === target.node;
    return this.#node(rebinds ? (scope.bindings.get(anchor) ?? target.node) : target.node, scope);
  }

  #pattern(source: string, place: SchemaPlace, pointer: string): WatchedPattern {
    try {
      return watchPattern(source, this.#test);
    } catch (error) {
      this.#problem(place, pointer, `"${source}" is no regular expression: ${(error as Error).message}`);
      return { source, matches: () => false };
    }
  }

  #problem(place: SchemaPlace, pointer: string, what: string): void {
    this.#problems.push(schemaProblem(place.resource.document, place.pointer + pointer, what));
  }
}

function isAsserted(keyword: string, vocabularies: ReadonlySet<Vocabulary>): boolean {
  if (keyword === "format") return vocabularies.has("format-assertion");
  return vocabularies.has("validation") && ASSERTIONS.has(keyword);
}

/**
 * A schema that judges a value only by judging the same value with itself again, or undefined. Such a
 * schema never ends. Source: JSON Schema 2020-12 Core, 9.4.1. Cost: O(schemas + references), without recursion.
 */
function findSelfReference(schemas: Iterable<LinkedObject>): LinkedObject | undefined {
  const state = new Map<LinkedObject, "open" | "done">();
  for (const start of schemas) {
    const path: { readonly schema: LinkedObject; readonly next: LinkedObject[] }[] = [];
    const enter = (schema: LinkedObject): void => {
      state.set(schema, "open");
      path.push({ schema, next: judgesSameValue(schema) });
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

function judgesSameValue({ keywords }: LinkedObject): LinkedObject[] {
  const found: unknown[] = [];
  for (const [keyword, value] of keywords) {
    if (keyword === "$ref" || keyword === "$dynamicRef") found.push(value);
    else if (APPLICATORS.get(keyword)?.inPlace !== true) continue;
    else if (value instanceof Map) found.push(...value.values());
    else found.push(...[value].flat());
  }
  return found.filter((each) => typeof each === "object" && each !== null && "keywords" in each) as LinkedObject[];
}
