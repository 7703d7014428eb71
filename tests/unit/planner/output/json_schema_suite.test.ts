import { describe, expect, test } from "bun:test";
import { checkOutputValue } from "../../../../src/planner/output/check_output.ts";
import type { SchemaBundle } from "../../../../src/planner/output/schema_document.ts";
import { removeFragment, SchemaIndex } from "../../../../src/planner/output/schema_index.ts";
import { openSuite, type Suite, type SuiteGroup } from "../../../support/json_schema_suite.ts";

const suite = openSuite();

/** Optional tests that ask for what the product refuses or leaves to others, each with the reason. */
const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  [
    "refs to historic drafts are processed as historic drafts",
    "a schema of an older draft is refused (docs/decisions.md#s-17)",
  ],
  ["\\a is not an ECMA 262 control escape", "a pattern that does not parse makes the schema unusable, not the output"],
]);

/** Format tests that the format library does not pass. */
const KNOWN_FORMAT_FAILURES: readonly string[] = [
  "validation of IRIs: an IPvFuture host with an uppercase version letter is valid",
];

if (suite === undefined) {
  test.skip("the JSON-Schema-Test-Suite passes (not installed)", () => {});
} else {
  describe("checkOutput passes the JSON-Schema-Test-Suite for draft 2020-12", () => {
    for (const file of suite.required) {
      test(`required ${file}`, () => expect(failures(suite, file)).toEqual([]));
    }

    for (const file of suite.optional) {
      test(`optional ${file}`, () => expect(failures(suite, file)).toEqual([]));
    }

    for (const file of suite.formats) {
      test(`format ${file}`, () => {
        const failed = failures(suite, file, withFormats);

        expect(failed.filter((name) => !KNOWN_FORMAT_FAILURES.includes(name))).toEqual([]);
      });
    }

    test("with more than a thousand required cases", () => {
      const cases = suite.required.flatMap((file) => suite.groups(file).flatMap(({ tests }) => tests));

      expect(cases.length).toBeGreaterThan(1000);
    });
  });
}

/** The names of the cases whose verdict is wrong. */
function failures(from: Suite, file: string, adapt: (schema: unknown) => unknown = (schema) => schema): string[] {
  return from.groups(file).flatMap((group) => {
    if (LEFT_OUT.has(group.description)) return [];
    const bundle = bundleOf(adapt(group.schema), from);
    return group.tests
      .filter(({ data, valid }) => checkOutputValue(bundle, data).kind !== (valid ? "passed" : "failed"))
      .map(({ description }: SuiteGroup["tests"][number]) => `${group.description}: ${description}`);
  });
}

function withFormats(schema: unknown): unknown {
  const vocabulary = { "https://json-schema.org/draft/2020-12/vocab/format-assertion": true };
  return typeof schema === "object" ? { ...schema, $vocabulary: vocabulary } : schema;
}

/** The schema with the remote ones that it reaches, as the project's files would give them. */
function bundleOf(schema: unknown, { remotes }: Suite): SchemaBundle {
  const index = new SchemaIndex();
  const first = { path: "schema.json", uris: ["file:///schema.json"], schema } as const;
  index.addDocument(first);
  const others = new Map<string, SchemaBundle[number]>();
  for (const reference of index.references) {
    const uri = removeFragment(reference.uri);
    if (index.findResource(uri) !== undefined || !remotes.has(uri)) continue;
    const document = { path: uri, uris: [uri], schema: remotes.get(uri) } as const;
    others.set(uri, document);
    index.addDocument(document);
  }
  return [first, ...others.values()];
}
