import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fromDebian } from "./debian.ts";

/**
 * The public JSON-Schema-Test-Suite, which a package of Debian contains. `PLANNER_JSON_SCHEMA_SUITE` names a checkout of
 * the suite to use instead, a newer one for example.
 */
const INSTALLED = "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance";

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

export function openSuite(): Suite | undefined {
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
