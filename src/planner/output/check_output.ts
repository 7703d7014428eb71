import { formatCountOf } from "#words/names.ts";
import { MAX_PROBLEM_LINES } from "../limits.ts";
import type { OutputVerdict } from "../ports.ts";
import { type Evaluation, evaluate } from "./evaluate.ts";
import { linkSchema } from "./link_schema.ts";
import type { LinkedSchema } from "./linked_schema.ts";
import { META_DOCUMENTS, metaSchemaProblems, olderDialect } from "./meta_schema.ts";
import type { PatternTest } from "./patterns.ts";
import { pointerTo, problemLine } from "./problems.ts";
import { type SchemaBundle, type SchemaDocument, SchemaError, schemaProblem } from "./schema_document.ts";
import { SchemaIndex } from "./schema_index.ts";
import { DIALECT } from "./schema_keywords.ts";

/** Callbacks during an output check. Both may throw to abort it. */
export interface CheckWatch {
  /** Runs each match of a schema's pattern. */
  readonly test?: PatternTest;
  /** Called every few hundred judgements. */
  readonly interrupt?: () => void;
}

/**
 * Compares a value with the first schema of a bundle.
 *
 * @param value parsed JSON of at most `MAX_JSON_DEPTH` levels, as the schemas are
 *
 * Throws only what `watch` throws.
 */
export function checkOutput(bundle: SchemaBundle, value: unknown, watch: CheckWatch = {}): OutputVerdict {
  try {
    const { problems, count } = evaluate(prepareSchema(bundle, watch), value, watch.interrupt);
    return count === 0
      ? { kind: "passed" }
      : { kind: "failed", problems: problemLines(problems.map(problemLine), count) };
  } catch (error) {
    if (error instanceof SchemaError) return { kind: "invalid_schema", problems: problemLines(error.problems) };
    if (error instanceof RangeError)
      return { kind: "invalid_schema", problems: ["the schema nests too deeply to be followed"] };
    throw error;
  }
}

/**
 * What is wrong with the schemas of a bundle, whatever the value; nothing when they can be used.
 *
 * Throws only what `watch` throws.
 */
export function schemaProblems(bundle: SchemaBundle, watch: CheckWatch = {}): readonly string[] {
  try {
    prepareSchema(bundle, watch);
    return [];
  } catch (error) {
    if (error instanceof SchemaError) return problemLines(error.problems);
    throw error;
  }
}

/**
 * Checks the schemas of a bundle by the rules of their dialect and links the first one.
 *
 * @throws SchemaError for the first kind of fault that is found
 */
function prepareSchema(bundle: SchemaBundle, watch: CheckWatch): LinkedSchema {
  refuse(bundle.flatMap(dialectProblems));
  refuse(bundle.flatMap((document) => metaSchemaProblems(document)));
  const index = new SchemaIndex();
  for (const document of bundle) index.add(document);
  for (const document of META_DOCUMENTS) if (index.resource(document.path) === undefined) index.add(document);
  for (const reference of index.references) index.resolve(reference.uri);
  refuse(index.strays.flatMap((stray) => metaSchemaProblems(stray.document, stray)));
  const schema = linkSchema(index, bundle[0].uris[0], watch.test);
  refuse(bundle.flatMap((document) => customDialectProblems(index, document, watch)));
  return schema;
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new SchemaError(problems);
}

function dialectProblems(document: SchemaDocument): readonly string[] {
  const older = olderDialect(document);
  return older === undefined
    ? []
    : [schemaProblem(document, "/$schema", `"${older}" is not supported: expected "${DIALECT}"`)];
}

/** What is wrong by the project's own meta-schema, where a schema names one. */
function customDialectProblems(index: SchemaIndex, document: SchemaDocument, watch: CheckWatch): readonly string[] {
  const dialect = index.resource(document.uris[0])?.dialect ?? DIALECT;
  if (dialect === DIALECT) return [];
  const { problems }: Evaluation = evaluate(linkSchema(index, dialect, watch.test), document.schema, watch.interrupt);
  return problems.map((problem) => {
    const line = problemLine({ ...problem, at: undefined, aboutField: true });
    return schemaProblem(document, pointerTo(problem.at), line);
  });
}

/** Each line once, and no more of them than a person reads. */
function problemLines(lines: readonly string[], count = lines.length): readonly string[] {
  const different = [...new Set(lines)];
  const kept = different.slice(0, MAX_PROBLEM_LINES);
  const more = different.length - kept.length + (count - lines.length);
  return more === 0 ? kept : [...kept, `and ${formatCountOf(more, "more problem")}`];
}
