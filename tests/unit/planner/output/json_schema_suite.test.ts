import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { OutputChecker } from "#planner/output/check_output.ts";
import { removeFragment, type SchemaBundle, SchemaIndex } from "#planner/output/schema_index.ts";
import { fromDebian } from "../../../support/debian.ts";

/**
 * The public JSON-Schema-Test-Suite, which a package of Debian contains. `PLANNER_JSON_SCHEMA_SUITE` names a checkout of
 * the suite to use instead, a newer one for example.
 */
const INSTALLED = "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance";

/** Several cases for one schema. */
interface SuiteGroup {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

interface Suite {
  /** Names of the files of required tests for draft 2020-12, then of optional ones and of formats. */
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly formats: readonly string[];
  groups(file: string): readonly SuiteGroup[];
  /** The schemas that tests expect on a server, by URI. */
  readonly remotes: ReadonlyMap<string, unknown>;
}

function openSuite(): Suite | undefined {
  const given = process.env["PLANNER_JSON_SCHEMA_SUITE"];
  if (given === undefined && !fromDebian(INSTALLED, "libtest-json-schema-acceptance-perl")) return undefined;
  return readSuite(given ?? INSTALLED);
}

function readSuite(root: string): Suite {
  const tests = join(root, "tests", "draft2020-12");
  const list = (folder: string): readonly string[] =>
    readdirSync(join(tests, folder))
      .filter((name) => name.endsWith(".json"))
      .map((name) => join(folder, name));
  return {
    required: list("."),
    optional: list("optional"),
    formats: list(join("optional", "format")),
    groups: (file) => readJson(join(tests, file)) as readonly SuiteGroup[],
    remotes: remotes(join(root, "remotes")),
  };
}

/** Older suites keep the schemas of all drafts in one folder; newer ones have a folder for each. */
function remotes(folder: string): ReadonlyMap<string, unknown> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  return new Map(names.map((name) => [`http://localhost:1234/${name}`, readJson(join(folder, name))]));
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`${basename(file)} is no JSON`, { cause: error });
  }
}

const suite = openSuite();

/** Optional tests that ask for what the product refuses or leaves to others, each with the reason. */
const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  [
    "refs to historic drafts are processed as historic drafts",
    "a schema of an older draft is refused (docs/decisions.md#s-17)",
  ],
  ["\\a is not an ECMA 262 control escape", "a pattern that does not parse makes the schema unusable, not the output"],
]);

const CONTAINS = "unevaluatedItems and contains interact to control item dependency relationship";
const LEAVING = "after leaving a dynamic scope, it is not used by a $dynamicRef";

/** Cases that Ajv judges otherwise. Source: docs/output-schemas.md#what-differs-from-the-draft. */
const DIFFERENCES: ReadonlySet<string> = new Set([
  "unevaluatedItems with nested items: with no additional items",
  "unevaluatedItems with nested items: with invalid additional item",
  "unevaluatedItems depends on adjacent contains: contains passes, second item is not evaluated",
  "unevaluatedItems depends on multiple nested contains: 7 not evaluated, fails unevaluatedItems",
  ...["b's", "c's", "b's and c's", "a's and c's"].map((which) => `${CONTAINS}: only ${which} are invalid`),
  "unevaluatedProperties with if/then/else, then not defined: when if is false and has unevaluated properties",
  "schema that uses custom metaschema with with no validation vocabulary: no validation: invalid number, but it still validates",
  "multiple dynamic paths to the $dynamicRef keyword: recurse to integerNode - floats are not allowed",
  `${LEAVING}: string matches /$defs/thingy, but the $dynamicRef does not stop here`,
  `${LEAVING}: /then/$defs/thingy is the final stop for the $dynamicRef`,
  ...["a space in the local part", "a double dot in the local part", "a @ in the local part"].map(
    (what) => `validation of e-mail addresses: a quoted string with ${what} is valid`,
  ),
  "validation of e-mail addresses: an IPv4-address-literal after the @ is valid",
  "validation of e-mail addresses: an IPv6-address-literal after the @ is valid",
]);

/** Formats that Ajv does not know, so that every text fits them. */
const UNKNOWN_FORMATS = /(?:idn-email|idn-hostname|iri|iri-reference)\.json$/;

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

    for (const file of suite.formats.filter((name) => !UNKNOWN_FORMATS.test(name))) {
      test(`format ${file}`, () => expect(failures(suite, file, withFormats)).toEqual([]));
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
      .filter(
        ({ data, valid }) =>
          new OutputChecker(bundle).checkJson(JSON.stringify(data)).kind !== (valid ? "passed" : "failed"),
      )
      .map(({ description }: SuiteGroup["tests"][number]) => `${group.description}: ${description}`)
      .filter((name) => !DIFFERENCES.has(name));
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
    if (index.hasResource(uri) || !remotes.has(uri)) continue;
    const document = { path: uri, uris: [uri], schema: remotes.get(uri) } as const;
    others.set(uri, document);
    index.addDocument(document);
  }
  return [first, ...others.values()];
}
