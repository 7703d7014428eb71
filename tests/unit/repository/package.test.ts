import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { REPOSITORY } from "../../support/source_code.ts";

interface LockedPackage {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

const LOCK: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "..", "..", "package-lock.json"), "utf8"),
);

/** Returns the key under which Node.js finds `name` from the package at `from`: the nearest node_modules upwards. */
function lockedKey(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const key = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (Object.hasOwn(LOCK.packages, key)) return key;
    if (folder === "") return undefined;
  }
}

// npm drops the entries that the registry of the machine did not have, and `npm ci` then fails on those platforms.
test("the lock file has an entry for every optional dependency, so that npm ci works on every platform", () => {
  const optional = Object.entries(LOCK.packages).flatMap(([from, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).map((name) => ({ from, name })),
  );

  const missing = optional.filter(({ from, name }) => lockedKey(from, name) === undefined);

  expect(optional.length).toBeGreaterThan(100);
  expect(missing).toEqual([]);
});

test("the lock file pins the content of every package and names no host", () => {
  const packages = Object.entries(LOCK.packages).filter(([key, { link }]) => key !== "" && link !== true);

  expect(packages.filter(([, { integrity }]) => integrity === undefined).map(([key]) => key)).toEqual([]);
  expect(packages.filter(([, { resolved }]) => resolved !== undefined).map(([key]) => key)).toEqual([]);
});

const read = (path: string) => readFileSync(join(REPOSITORY, path), "utf8");

test("the tool versions file, the container for development and package.json name the same Node.js", () => {
  const [, major = ""] = /^nodejs (\d+)\.\d+\.\d+$/m.exec(read(".tool-versions")) ?? [];
  const manifest = JSON.parse(read("package.json"));
  const container = JSON.parse(read(".devcontainer/devcontainer.json"));

  expect(manifest.engines.node).toMatch(new RegExp(`^>=${major}(?:\\.\\d+)?$`));
  expect(container.image).toContain(`:${major}-`);
});

test("package.json pins every dependency to one version", () => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json"));
  const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(String(version)),
  );

  expect(loose).toEqual([]);
});

const { version } = manifest;
const [debian, rpm] = [`_${version}_`, `-${version}-1.`];

/** What names this version, outside of `docs/deploy`, whose test compares it with the image. */
const NAMED: readonly (readonly [file: string, ...texts: string[]])[] = [
  ["package-lock.json", `"name": "planner",\n  "version": "${version}"`],
  ["src/cli/version.ts", `"${version}"`],
  ["action.yml", `default: "${version}"`],
  ["plugins/planner/.claude-plugin/plugin.json", `"version": "${version}"`],
  ["docs/ci/gitlab.yml", `ref: v${version}`, `PLANNER_VERSION: "${version}"`],
  ["docs/work.md", `OWNER/planner@v${version}`],
  [
    "docs/install.md",
    debian,
    rpm,
    `toolkit-${version}.tgz`,
    `planner-${version}-image.tar`,
    `planner-${version}-linux-x64`,
  ],
];

test.each(NAMED)("%s names the version of package.json", (file, ...texts) => {
  const text = readFileSync(join(REPOSITORY, file), "utf8");

  for (const one of texts) expect(text).toContain(one);
});

test("CHANGELOG.md has a section of the version, after the unreleased one if there is one", () => {
  const headings = [...readFileSync(join(REPOSITORY, "CHANGELOG.md"), "utf8").matchAll(/^## (\S+)/gm)].map(
    ([, name]) => name,
  );

  expect(headings.filter((name) => name !== "Unreleased")[0]).toBe(version);
});
