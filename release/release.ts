import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { run } from "./shell.ts";
import type { Target } from "./targets.ts";

export const ROOT = join(import.meta.dirname, "..");
export const OUT = join(ROOT, "dist", "release");
/** Everything that is made on the way; not part of the release. */
export const WORK = join(ROOT, "dist", "release-work");

/**
 * Name of the npm, Debian and RPM packages: neither npm nor Debian has another package of this name, both have one called
 * `planner`. The command is `planner`. `tests/release/names.ts` asks both registries.
 */
export const PACKAGE = "planner-toolkit";

/** What every part of a release is stamped with. */
export interface Release {
  readonly version: string;
  readonly commit: string;
  /** Seconds since 1970 of the commit: the only time that enters an artefact, so that two builds are equal. */
  readonly epoch: number;
  /** Address of the repository; manifests point to its releases. */
  readonly repository: string;
  /** Platforms to build for: all of them, except on trial. */
  readonly targets: readonly Target[];
}

/** Reads version, commit and time of the checkout. @throws Error when it has uncommitted changes */
export function thisRelease(targets: readonly Target[]): Release {
  const changes = run("git", ["status", "--porcelain"], { cwd: ROOT });
  if (changes !== "") throw new Error(`A release is built from a clean checkout. Commit or remove first:\n${changes}`);
  return {
    version: manifest.version,
    commit: run("git", ["rev-parse", "HEAD"], { cwd: ROOT }).trim(),
    epoch: Number(run("git", ["log", "-1", "--format=%ct"], { cwd: ROOT })),
    repository: repositoryAddress(),
    targets,
  };
}

/** Address of the repository. */
export function repositoryAddress(): string {
  return (process.env["PLANNER_RELEASE_REPOSITORY"] ?? "https://github.com/OWNER/planner").replace(/\/$/, "");
}

/** The commit's time as packages write it: `2026-11-22T00:51:07Z`. */
export function timestamp({ epoch }: Release): string {
  return new Date(epoch * 1000).toISOString().replace(".000Z", "Z");
}

/** Address at which a release's file can be downloaded once it is published. */
export function downloadUrl({ repository, version }: Release, file: string): string {
  return `${repository}/releases/download/v${version}/${file}`;
}
