import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tarGz } from "./pack.ts";
import { programOf, SHARED } from "./programs.ts";
import { OUT, PACKAGE, type Release, ROOT, WORK } from "./release.ts";
import { programName, TARGETS, type Target } from "./targets.ts";

const NODE_OS = { linux: "linux", darwin: "darwin", windows: "win32" } as const;

/** npm's name of a platform's package. */
export const npmNameOf = (target: Pick<Target, "name">): string => `@${PACKAGE}/${target.name}`;

/**
 * Writes the npm packages as tarballs: one whose launcher starts the program of the one platform package that
 * npm has installed beside it, and a package per platform. No package runs an install script.
 */
export function writeNpmPackages(release: Release): void {
  const shared = { version: release.version, license: "MIT", repository: repositoryOf(release) };
  for (const target of release.targets) {
    const folder = packageFolder(target.name);
    mkdirSync(join(folder, "bin"));
    cpSync(programOf(target), join(folder, "bin", programName(target)));
    writePackage(folder, {
      name: npmNameOf(target),
      ...shared,
      description: `The planner executable for ${target.name}`,
      os: [NODE_OS[target.os]],
      cpu: [target.cpu],
      ...(target.libc === undefined ? {} : { libc: [target.libc] }),
      files: ["bin", "THIRD-PARTY-LICENSES.txt"],
    });
    cpSync(join(SHARED, "THIRD-PARTY-LICENSES.txt"), join(folder, "THIRD-PARTY-LICENSES.txt"));
    tarGz(folder, join(OUT, `npm-${PACKAGE}-${target.name}-${release.version}.tgz`), release.epoch);
  }
  const folder = packageFolder(PACKAGE);
  cpSync(join(ROOT, "release", "npm", "planner.js"), join(folder, "planner.js"));
  chmodSync(join(folder, "planner.js"), 0o755);
  cpSync(join(ROOT, "README.md"), join(folder, "README.md"));
  writePackage(folder, {
    name: PACKAGE,
    ...shared,
    description: "Spec workflow tool and datacenter service in one executable",
    bin: { planner: "planner.js" },
    files: ["planner.js"],
    engines: { node: ">=20" },
    optionalDependencies: Object.fromEntries(TARGETS.map((target) => [npmNameOf(target), release.version])),
  });
  tarGz(folder, join(OUT, `npm-${PACKAGE}-${release.version}.tgz`), release.epoch);
}

// npm expects the one folder of a tarball to be named so.
function packageFolder(name: string): string {
  const folder = join(WORK, "npm", name, "package");
  mkdirSync(folder, { recursive: true });
  return folder;
}

function writePackage(folder: string, manifest: object): void {
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
}

function repositoryOf({ repository }: Release): object {
  return { type: "git", url: `git+${repository}.git` };
}
