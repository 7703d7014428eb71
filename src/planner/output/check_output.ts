import { formatCountWithNoun } from "#words/names.ts";
import { MAX_PROBLEM_LINES } from "../limits.ts";
import type { OutputVerdict } from "../ports.ts";
import { type EvaluationResult, evaluateValue } from "./evaluate.ts";
import { linkSchema } from "./link_schema.ts";
import type { LinkedSchema } from "./linked_schema.ts";
import { findMetaSchemaProblems, findOlderDialect, META_DOCUMENTS } from "./meta_schema.ts";
import type { RunPatternTest } from "./patterns.ts";
import { formatPointer, formatProblem } from "./problems.ts";
import { formatSchemaProblem, type SchemaBundle, type SchemaDocument, SchemaError } from "./schema_document.ts";
import { SchemaIndex } from "./schema_index.ts";
import { SCHEMA_DIALECT } from "./schema_keywords.ts";

/** Callbacks during an output check. Both may throw to abort it. */
export interface CheckWatch {
  /** Runs each match of a schema's pattern. */
  readonly testPattern?: RunPatternTest;
  /** Called every few hundred evaluations. */
  readonly interrupt?: () => void;
}

/**
 * Checks a value against the first schema of a bundle.
 * @param value parsed JSON of at most `MAX_JSON_DEPTH` levels, as the schemas are
 *
 * Throws only errors of `watch`.
 */
export function checkOutputValue(bundle: SchemaBundle, value: unknown, watch: CheckWatch = {}): OutputVerdict {
  try {
    const { problems, count } = evaluateValue(prepareSchema(bundle, watch), value, watch.interrupt);
    return count === 0
      ? { kind: "passed" }
      : { kind: "failed", problems: limitProblems(problems.map(formatProblem), count) };
  } catch (error) {
    if (error instanceof SchemaError) return { kind: "invalid_schema", problems: limitProblems(error.problems) };
    if (error instanceof RangeError)
      return { kind: "invalid_schema", problems: ["the schema nests too deeply to be followed"] };
    throw error;
  }
}

/** Returns the problems of a bundle's schemas; empty if they can be used. Throws only errors of `watch`. */
export function findSchemaProblems(bundle: SchemaBundle, watch: CheckWatch = {}): readonly string[] {
  try {
    prepareSchema(bundle, watch);
    return [];
  } catch (error) {
    if (error instanceof SchemaError) return limitProblems(error.problems);
    throw error;
  }
}

/**
 * Validates the schemas of a bundle by the rules of their dialect and links the first one.
 * @throws SchemaError with all problems of the first kind that is found
 */
function prepareSchema(bundle: SchemaBundle, watch: CheckWatch): LinkedSchema {
  assertNoSchemaProblems(bundle.flatMap(findDialectProblems));
  assertNoSchemaProblems(bundle.flatMap((document) => findMetaSchemaProblems(document)));
  const index = new SchemaIndex();
  for (const document of bundle) index.addDocument(document);
  for (const document of META_DOCUMENTS)
    if (index.findResource(document.path) === undefined) index.addDocument(document);
  for (const reference of index.references) index.resolveReference(reference.uri);
  assertNoSchemaProblems(index.straySchemas.flatMap((stray) => findMetaSchemaProblems(stray.document, stray)));
  const schema = linkSchema(index, bundle[0].uris[0], watch.testPattern);
  assertNoSchemaProblems(bundle.flatMap((document) => findCustomDialectProblems(index, document, watch)));
  return schema;
}

function assertNoSchemaProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new SchemaError(problems);
}

function findDialectProblems(document: SchemaDocument): readonly string[] {
  const older = findOlderDialect(document);
  return older === undefined
    ? []
    : [formatSchemaProblem(document, "/$schema", `"${older}" is not supported: expected "${SCHEMA_DIALECT}"`)];
}

/** Returns violations of the project's own meta-schema, if a schema names one. */
function findCustomDialectProblems(index: SchemaIndex, document: SchemaDocument, watch: CheckWatch): readonly string[] {
  const dialect = index.findResource(document.uris[0])?.dialect ?? SCHEMA_DIALECT;
  if (dialect === SCHEMA_DIALECT) return [];
  const { problems }: EvaluationResult = evaluateValue(
    linkSchema(index, dialect, watch.testPattern),
    document.schema,
    watch.interrupt,
  );
  return problems.map((problem) => {
    const line = formatProblem({ ...problem, location: undefined, aboutField: true });
    return formatSchemaProblem(document, formatPointer(problem.location), line);
  });
}

/** Removes repeated lines and shortens a list that is too long for a person to read. */
function limitProblems(lines: readonly string[], count = lines.length): readonly string[] {
  const different = [...new Set(lines)];
  const kept = different.slice(0, MAX_PROBLEM_LINES);
  const more = different.length - kept.length + (count - lines.length);
  return more === 0 ? kept : [...kept, `and ${formatCountWithNoun(more, "more problem")}`];
}
