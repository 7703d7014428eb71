import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

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
