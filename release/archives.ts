import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { tarGz, tarXz, zip } from "./pack.ts";
import { programOf, SHARED } from "./programs.ts";
import { OUT, type Release, WORK } from "./release.ts";
import { programName, type Target } from "./targets.ts";

/** Base name of a platform's archive, and of the one folder in it. */
export const archiveName = ({ version }: Release, target: Pick<Target, "name">): string =>
  `planner-${version}-${target.name}`;

/** Packs each platform's program with licence, README, manual and completions: `.tar.xz` and `.tgz`, or `.zip`. */
export function writeArchives(release: Release): void {
  for (const target of release.targets) {
    const name = archiveName(release, target);
    const folder = join(WORK, "archives", name);
    mkdirSync(folder, { recursive: true });
    cpSync(SHARED, folder, { recursive: true });
    cpSync(programOf(target), join(folder, programName(target)));
    if (target.os === "windows") {
      zip(folder, join(OUT, `${name}.zip`), release.epoch);
    } else {
      tarXz(folder, join(OUT, `${name}.tar.xz`), release.epoch, target.cpu === "x64" && target.libc !== "musl");
      tarGz(folder, join(OUT, `${name}.tgz`), release.epoch);
    }
  }
}
