/**
 * Builds every artefact of a release into `dist/release/`: `npm run release` in a clean checkout after `npm ci`. The
 * commit's time is the only one that enters an artefact, so that two builds can be compared. Needs Debian's tar,
 * xz-utils, dpkg, rpm, umoci and libc6-arm64-cross; signs with minisign if PLANNER_RELEASE_KEY names a key.
 * PLANNER_RELEASE_REPOSITORY is the address that manifests point to.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeAgentFiles } from "./agents.ts";
import { writeArchives } from "./archives.ts";
import { writeImages } from "./image.ts";
import { licenceTexts } from "./licences.ts";
import { writeLinuxPackages } from "./linux_packages.ts";
import { writeInstallers, writeManifests } from "./manifests.ts";
import { writeNpmPackages } from "./npm_packages.ts";
import { tarXz } from "./pack.ts";
import { writeProvenance, writeSbom, writeSums } from "./papers.ts";
import { buildPrograms, programOf, writeShared, writeSourceMaps } from "./programs.ts";
import { OUT, type Release, ROOT, thisRelease, WORK } from "./release.ts";
import { hasProgram, run } from "./shell.ts";
import { TARGETS, type Target } from "./targets.ts";

const PROGRAMS = {
  git: "git",
  tar: "tar",
  xz: "xz-utils",
  "dpkg-deb": "dpkg",
  rpmbuild: "rpm",
  umoci: "umoci",
} as const;

function demandPrograms(): void {
  const missing = Object.entries(PROGRAMS).filter(([program]) => !hasProgram(program));
  if (missing.length === 0) return;
  throw new Error(`A release needs ${missing.map(([, name]) => name).join(", ")}: install the Debian packages`);
}

function native(): Target {
  const target = TARGETS.find(({ os, cpu }) => os === process.platform && cpu === process.arch);
  if (target === undefined) throw new Error("A release is built on Linux, x64 or arm64");
  return target;
}

/** Reads `--targets linux-x64,windows-x64`: a trial with some platforms, which leaves the manifests out. */
function chosenTargets(): readonly Target[] {
  const { values } = parseArgs({ options: { targets: { type: "string" } } });
  const names = values.targets?.split(",") ?? TARGETS.map(({ name }) => name);
  return names.map((name) => {
    const target = TARGETS.find((known) => known.name === name);
    if (target !== undefined) return target;
    throw new Error(`Unknown target "${name}": expected ${TARGETS.map((known) => known.name).join(", ")}`);
  });
}

/** Packs the documents' site, which is read without a server. */
function writeDocuments({ version, epoch }: Release): void {
  const name = `planner-${version}-docs`;
  run("bun", ["release/site/run.ts", join(WORK, name)], { cwd: ROOT });
  tarXz(join(WORK, name), join(OUT, `${name}.tar.xz`), epoch);
}

function step(name: string, work: () => void): void {
  const started = performance.now();
  work();
  process.stdout.write(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
}

function build(release: Release): void {
  rmSync(OUT, { recursive: true, force: true });
  rmSync(WORK, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  step("programs", () => buildPrograms(release.targets));
  step("source maps", () => writeSourceMaps(release));
  step("manual, completions, licences", () => writeShared(programOf(native()), release, licenceTexts()));
  step("archives", () => writeArchives(release));
  step("npm packages", () => writeNpmPackages(release));
  step("deb and rpm", () => writeLinuxPackages(release));
  step("images", () => writeImages(release));
  step("bundles for agents", () => writeAgentFiles(release));
  if (release.targets.length === TARGETS.length) step("manifests", () => writeManifests(release));
  step("documents", () => writeDocuments(release));
  step("installers", () => writeInstallers(release));
  let signed = "";
  step("papers", () => {
    writeSbom(release);
    signed = writeSums(release, writeProvenance(release));
  });
  for (const name of readdirSync(OUT)) {
    process.stdout.write(`${(statSync(join(OUT, name)).size / 1e6).toFixed(1).padStart(8)} MB  ${name}\n`);
  }
  process.stdout.write(`planner ${release.version} from ${release.commit.slice(0, 12)}, ${signed}\n`);
}

demandPrograms();
build(thisRelease(chosenTargets()));
