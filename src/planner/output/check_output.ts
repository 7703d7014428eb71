import type { Ajv2020, ValidateFunction } from "ajv/dist/2020.js";
import type { OutputVerdict } from "#planner/work/judge_output.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { MAX_LISTED_OUTPUT_CHARS, MAX_PROBLEM_LINES } from "../limits.ts";
import { createCompiler, type RunPatternTest } from "./compile_schema.ts";
import {
  formatSchemaProblem,
  isSchemaObject,
  META_SCHEMA_URI_PATTERN,
  SCHEMA_DIALECT,
  type SchemaBundle,
  type SchemaDocument,
  SchemaError,
  SchemaIndex,
} from "./schema_index.ts";
import { formatProblem, translateErrors } from "./violations.ts";

/** Beginning of the URIs of draft 2020-12's vocabularies; a vocabulary's name follows it. */
const VOCABULARY_BASE = "https://json-schema.org/draft/2020-12/vocab/";

const OLDER_DIALECT_PATTERN = /^https?:\/\/json-schema\.org\/(?!draft\/2020-12\/schema#?$)/;

const runUnlimitedMatch: RunPatternTest = (_pattern, _text, match) => match();

/**
 * Compares outputs with the first schema of a bundle. A pattern of the schema may run for years, so this belongs into
 * a process that can be killed.
 */
export class OutputChecker {
  readonly #bundle: SchemaBundle;
  readonly #testPattern: RunPatternTest;
  readonly #validators = new Map<boolean, ValidateFunction>();

  constructor(bundle: SchemaBundle, testPattern: RunPatternTest = runUnlimitedMatch) {
    this.#bundle = bundle;
    this.#testPattern = testPattern;
  }

  /** Checks JSON of at most `MAX_JSON_DEPTH` levels. Throws only errors of `testPattern`. */
  checkJson(json: string): OutputVerdict {
    try {
      const validate = this.#prepare(json.length <= MAX_LISTED_OUTPUT_CHARS);
      if (validate(JSON.parse(json))) return { kind: "passed" };
      const lines = translateErrors(validate.errors ?? []).map(formatProblem);
      return { kind: "failed", problems: limitProblems(lines) };
    } catch (error) {
      if (error instanceof SchemaError) return { kind: "invalid_schema", problems: limitProblems(error.problems) };
      if (!(error instanceof RangeError)) throw error;
      const problem = "the schema refers to itself without end, or nests too deeply to be followed";
      return { kind: "invalid_schema", problems: [problem] };
    }
  }

  #prepare(findsAll: boolean): ValidateFunction {
    const known = this.#validators.get(findsAll) ?? compileBundle(this.#bundle, findsAll, this.#testPattern);
    this.#validators.set(findsAll, known);
    return known;
  }
}

let metaSchema: ValidateFunction | undefined;

/**
 * Validates the schemas of a bundle by the rules of their dialect and compiles the first one.
 * @throws SchemaError with all problems of the first kind that is found
 */
function compileBundle(originals: SchemaBundle, findsAll: boolean, testPattern: RunPatternTest): ValidateFunction {
  const bundle = structuredClone(originals);
  const index = SchemaIndex.of(bundle);
  metaSchema ??= createCompiler({ findsAll: true, checksFormats: false, testPattern: runUnlimitedMatch }).getSchema(
    SCHEMA_DIALECT,
  ) as ValidateFunction;
  const isSound = metaSchema;
  assertNoSchemaProblems(bundle.flatMap(findDialectProblems));
  assertNoSchemaProblems(bundle.flatMap((document) => findMetaSchemaProblems(isSound, document)));
  assertNoSchemaProblems(
    [...index.problems, ...findDanglingReferences(index), ...findBrokenPatterns(index)].toSorted(),
  );
  const strays = [...index.schemas.values()].filter(({ isStray }) => isStray);
  assertNoSchemaProblems(
    strays.flatMap(({ resource: { document }, node, pointer }) =>
      findMetaSchemaProblems(isSound, document, node, pointer),
    ),
  );
  const checksFormats = bundle.some(({ schema }) => listVocabularies(schema).includes("format-assertion"));
  const compiler = createCompiler({ findsAll, checksFormats, testPattern });
  rewriteReferences(bundle, index);
  const validate = compileSchemas(compiler, bundle);
  assertNoSchemaProblems(originals.flatMap((document) => findCustomDialectProblems(compiler, bundle, index, document)));
  return validate;
}

function assertNoSchemaProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new SchemaError(problems);
}

/** Registers the schemas of a bundle, whose references `rewriteReferences` has replaced, and compiles the first one. */
function compileSchemas(compiler: Ajv2020, bundle: SchemaBundle): ValidateFunction {
  try {
    for (const document of bundle) compiler.addSchema(document.schema as object, createTargetUri(bundle, document));
    const validate = compiler.getSchema(createTargetUri(bundle, bundle[0]));
    if (validate !== undefined) return validate as ValidateFunction;
    throw new Error("Ajv finds no schema");
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new SchemaError([`${bundle[0].path}: cannot be used: ${(error as Error).message}`]);
  }
}

function createTargetUri(bundle: SchemaBundle, document: SchemaDocument, pointer = ""): string {
  const fragment = pointer.split("/").map(encodeURIComponent).join("/");
  return `file:///${bundle.indexOf(document)}${fragment === "" ? "" : `#${fragment}`}`;
}

/** Names that are in no schema after `rewriteReferences`, and keywords of Ajv and other dialects that are notes here. */
const REMOVED_KEYWORDS = [
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$dynamicRef",
  "$async",
  "id",
  "nullable",
  "discriminator",
];

/**
 * Replaces all references by pointers from the root of a file, and removes `$id` and anchors. Ajv would look for them in
 * data and unknown keywords as well, and follows dynamic references in few places.
 */
function rewriteReferences(bundle: SchemaBundle, index: SchemaIndex): void {
  const rewritten = [...index.schemas.keys()].map((node) => {
    const uris = (["$ref", "$dynamicRef"] as const).flatMap((keyword) => {
      if (typeof node[keyword] !== "string") return [];
      const target = index.followReference(node, keyword);
      return [target === undefined ? node[keyword] : createTargetUri(bundle, target.document, target.pointer)];
    });
    return [node as Record<string, unknown>, uris] as const;
  });
  for (const [node, [first, second]] of rewritten) {
    for (const keyword of REMOVED_KEYWORDS) delete node[keyword];
    if (first !== undefined) node["$ref"] = first;
    if (second !== undefined) node["allOf"] = [...((node["allOf"] as unknown[]) ?? []), { $ref: second }];
    keepPrototypeProperty(node);
  }
}

const PROTOTYPE = "__proto__";

/** Moves a property of this name, which Ajv passes over, to the patterns. */
function keepPrototypeProperty(node: Record<string, unknown>): void {
  const { properties, patternProperties } = node;
  if (!isSchemaObject(properties) || !Object.hasOwn(properties, PROTOTYPE)) return;
  node["patternProperties"] = { ...(patternProperties as object), [`^${PROTOTYPE}$`]: properties[PROTOTYPE] };
}

function findDialectProblems(document: SchemaDocument): readonly string[] {
  const dialect = isSchemaObject(document.schema) ? document.schema["$schema"] : undefined;
  if (typeof dialect !== "string" || !OLDER_DIALECT_PATTERN.test(dialect)) return [];
  return [formatSchemaProblem(document, "/$schema", `"${dialect}" is not supported: expected "${SCHEMA_DIALECT}"`)];
}

/** Returns violations of a meta-schema in a file, or in one schema of it. */
function findMetaSchemaProblems(
  isSound: ValidateFunction,
  document: SchemaDocument,
  node = document.schema,
  pointer = "",
): readonly string[] {
  if (isSound(node)) return [];
  return translateErrors(isSound.errors ?? []).map((violation) => {
    const line = formatProblem({ ...violation, pointer: "", aboutField: true });
    return formatSchemaProblem(document, pointer + violation.pointer, line);
  });
}

function findDanglingReferences(index: SchemaIndex): readonly string[] {
  const dangling: string[] = [];
  // A value that becomes a schema by a reference may append further references.
  for (const { document, pointer, text, uri } of index.references) {
    if (META_SCHEMA_URI_PATTERN.test(uri) || index.resolveReference(uri) !== undefined) continue;
    dangling.push(formatSchemaProblem(document, pointer, `"${text}" leads to no schema`));
  }
  return dangling;
}

function findBrokenPatterns(index: SchemaIndex): readonly string[] {
  return [...index.schemas.values()].flatMap(({ node, resource, pointer }) => {
    const { pattern, patternProperties } = node;
    const named = isSchemaObject(patternProperties) ? Object.keys(patternProperties) : [];
    const patterns = named.map((name) => [name, `/patternProperties/${name}`] as const);
    return [...patterns, [pattern, "/pattern"] as const].flatMap(([source, at]) => {
      const fault = typeof source === "string" ? findPatternFault(source) : undefined;
      if (fault === undefined) return [];
      const what = `"${source}" is no regular expression: ${fault}`;
      return [formatSchemaProblem(resource.document, pointer + at, what)];
    });
  });
}

/** Returns why a text is no ECMAScript regular expression with the `u` flag. Source: JSON Schema 2020-12 Core, 6.4. */
function findPatternFault(source: string): string | undefined {
  try {
    new RegExp(source, "u");
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns violations of the project's own meta-schema, if a schema names one, and demands of unknown vocabularies. */
function findCustomDialectProblems(
  compiler: Ajv2020,
  bundle: SchemaBundle,
  index: SchemaIndex,
  document: SchemaDocument,
): readonly string[] {
  const uri = isSchemaObject(document.schema) ? document.schema["$schema"] : undefined;
  if (typeof uri !== "string" || META_SCHEMA_URI_PATTERN.test(uri)) return [];
  const meta = index.resolveReference(uri);
  const foreign = listVocabularies(meta?.node, true).find((name) => name.includes("://"));
  if (foreign !== undefined) {
    const what = `"${uri}" demands the vocabulary "${foreign}", which is not supported`;
    return [formatSchemaProblem(document, "/$schema", what)];
  }
  const isSound = meta && compiler.getSchema(createTargetUri(bundle, meta.document, meta.pointer));
  return isSound === undefined ? [] : findMetaSchemaProblems(isSound as ValidateFunction, document);
}

/** Returns the vocabularies that a schema declares: names of the draft's, URIs of others. */
function listVocabularies(schema: unknown, onlyDemanded = false): readonly string[] {
  const declared = isSchemaObject(schema) ? schema["$vocabulary"] : undefined;
  if (!isSchemaObject(declared)) return [];
  return Object.keys(declared)
    .filter((uri) => !onlyDemanded || declared[uri] === true)
    .map((uri) => (uri.startsWith(VOCABULARY_BASE) ? uri.slice(VOCABULARY_BASE.length) : uri));
}

/** Removes repeated lines and shortens a list that is too long for a person to read. */
function limitProblems(lines: readonly string[]): readonly string[] {
  const different = [...new Set(lines)];
  const kept = different.slice(0, MAX_PROBLEM_LINES);
  const more = different.length - kept.length;
  return more === 0 ? kept : [...kept, `and ${formatCountWithNoun(more, "more problem")}`];
}
