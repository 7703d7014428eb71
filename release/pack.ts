import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { type Zippable, zipSync } from "fflate";
import { run } from "./shell.ts";

// Owners, order and times are fixed, so that the same content always gives the same bytes.
function tarArguments(folder: string, epoch: number): readonly string[] {
  const fixed = ["--format=gnu", "--sort=name", `--mtime=@${epoch}`, "--owner=0", "--group=0", "--numeric-owner"];
  return [...fixed, "--mode=go-w", "-C", dirname(folder), basename(folder)];
}

/**
 * Packs a folder as `.tar.xz`. `isX64` filters the addresses of x64 code, which takes 2 % off; BusyBox, which Alpine unpacks
 * with, has no such filter.
 */
export function tarXz(folder: string, file: string, epoch: number, isX64 = false): void {
  const tar = file.replace(/\.xz$/, "");
  run("tar", ["-cf", tar, ...tarArguments(folder, epoch)]);
  run("xz", ["-T1", ...(isX64 ? ["--x86"] : []), "--lzma2=preset=6", "--force", tar]);
}

/** Packs a folder as gzipped tar. */
export function tarGz(folder: string, file: string, epoch: number): void {
  const tar = file.replace(/\.(tgz|gz)$/, ".tar.tmp");
  run("tar", ["-cf", tar, ...tarArguments(folder, epoch)]);
  writeFileSync(file, Bun.gzipSync(readFileSync(tar), { level: 6 }));
  run("rm", [tar]);
}

/** Packs the files of a folder as `.zip`, with the folder's own name in front unless `flat`. */
export function zip(folder: string, file: string, epoch: number, flat = false): void {
  const entries: Zippable = {};
  for (const path of filesBelow(folder)) {
    const name = relative(flat ? folder : dirname(folder), path);
    const executable = (statSync(path).mode & 0o111) !== 0;
    entries[name] = [readFileSync(path), { mtime: dosTime(epoch), os: 3, attrs: (executable ? 0o755 : 0o644) << 16 }];
  }
  writeFileSync(file, zipSync(entries, { level: 6 }));
}

// ZIP stores local time without a zone and the library reads it by the zone of this machine, which is taken out here.
function dosTime(epoch: number): Date {
  const utc = new Date(epoch * 1000);
  return new Date(utc.getTime() + utc.getTimezoneOffset() * 60_000);
}

/** Every file below a folder, sorted by path. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .toSorted();
}

/** Sets the modification time of everything below a folder. */
export function fixTimes(folder: string, epoch: number): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    utimesSync(join(folder, name), epoch, epoch);
  }
  utimesSync(folder, epoch, epoch);
}
