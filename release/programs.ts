import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeManual } from "./manual.ts";
import { tarXz } from "./pack.ts";
import { OUT, type Release, ROOT, WORK } from "./release.ts";
import { run } from "./shell.ts";
import { programName, type Target } from "./targets.ts";

const SHELLS = { bash: "planner.bash", zsh: "_planner", fish: "planner.fish", powershell: "planner.ps1" } as const;

/** Path of the executable of a platform, once it is built. */
export const programOf = (target: Target): string => join(WORK, "programs", target.name, programName(target));

/** Files that every package carries beside the executable. */
export const SHARED = join(WORK, "shared");

/** Builds the executable of each platform. Every build has a folder of its own, since its name enters the file. */
export function buildPrograms(targets: readonly Target[]): void {
  for (const target of targets) {
    mkdirSync(join(WORK, "programs", target.name), { recursive: true });
    run("bun", ["build.ts", "--without-maps", "--target", target.bun, "--outfile", programOf(target)], { cwd: ROOT });
  }
}

/** Packs the source maps that the executables leave out: `release/source_places.ts` reads stack traces with them. */
export function writeSourceMaps(release: Release): void {
  const name = `planner-${release.version}-source-maps`;
  run("bun", ["build.ts", "--maps", join(WORK, name)], { cwd: ROOT });
  tarXz(join(WORK, name), join(OUT, `${name}.tar.xz`), release.epoch);
}

/** Writes licence, README, manual pages and completion scripts. @param program an executable that runs here */
export function writeShared(program: string, release: Release, licences: string): void {
  rmSync(SHARED, { recursive: true, force: true });
  mkdirSync(join(SHARED, "completions"), { recursive: true });
  for (const file of ["LICENSE", "README.md", "CHANGELOG.md"]) cpSync(join(ROOT, file), join(SHARED, file));
  writeFileSync(join(SHARED, "THIRD-PARTY-LICENSES.txt"), licences);
  writeManual(program, join(SHARED, "man", "man1"), release);
  for (const [shell, file] of Object.entries(SHELLS)) {
    writeFileSync(join(SHARED, "completions", file), run(program, ["completion", shell]));
  }
}
