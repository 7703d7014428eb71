import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OUT, type Release, ROOT, timestamp } from "./release.ts";
import { hasProgram, run, sha256 } from "./shell.ts";

function versionOf(name: string): string {
  return JSON.parse(readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8")).version;
}

/** Writes the software bill of materials (CycloneDX 1.5): npm's own, with Bun, the C library of the images, and nothing that differs per run. */
export function writeSbom(release: Release): string {
  const file = `planner-${release.version}.cdx.json`;
  const text = run("npm", ["sbom", "--sbom-format=cyclonedx", "--omit=dev", "--package-lock-only"], { cwd: ROOT });
  const sbom = JSON.parse(text);
  // npm draws a random serial number and takes the time of day.
  delete sbom.serialNumber;
  sbom.metadata.timestamp = timestamp(release);
  sbom.metadata.component.version = release.version;
  // npm takes the name of the folder.
  sbom.metadata.component.name = "planner";
  // The runtime is built in, and to npm it is a tool of development.
  const version = versionOf("bun");
  sbom.components.push({
    type: "application",
    name: "bun",
    version,
    "bom-ref": `bun@${version}`,
    purl: `pkg:npm/bun@${version}`,
    licenses: [{ license: { id: "MIT" } }],
  });
  // The images carry the C library of the machine that builds them; the executable itself is linked to the reader's.
  const libc = run("dpkg-query", ["--show", "--showformat=$" + "{Version}", "libc6"]);
  sbom.components.push({
    type: "library",
    name: "libc6",
    version: libc,
    "bom-ref": `libc6@${libc}`,
    purl: `pkg:deb/debian/libc6@${libc}`,
    description: "In the container images",
    licenses: [{ license: { id: "LGPL-2.1-or-later" } }],
  });
  writeFileSync(join(OUT, file), `${JSON.stringify(sbom, null, 2)}\n`);
  return file;
}

/** Writes an in-toto statement (SLSA provenance 1.0) about every file that is in the release so far. */
export function writeProvenance(release: Release): string {
  const file = `planner-${release.version}.intoto.json`;
  const subject = files().map((name) => ({ name, digest: { sha256: sha256(join(OUT, name)) } }));
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject,
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: `${release.repository}/blob/v${release.version}/docs/release.md`,
        externalParameters: { command: "npm run release", ref: `refs/tags/v${release.version}` },
        resolvedDependencies: [{ uri: `git+${release.repository}`, digest: { gitCommit: release.commit } }],
      },
      runDetails: { builder: { id: `${release.repository}/blob/v${release.version}/release/run.ts` } },
    },
  };
  writeFileSync(join(OUT, file), `${JSON.stringify(statement, null, 2)}\n`);
  return file;
}

/** Writes SHA256SUMS over every file, and signs it and the provenance if a key is given. Returns how it was signed. */
export function writeSums(release: Release, provenance: string): string {
  const lines = files().map((name) => `${sha256(join(OUT, name))}  ${name}\n`);
  writeFileSync(join(OUT, "SHA256SUMS"), lines.join(""));
  const key = process.env["PLANNER_RELEASE_KEY"];
  if (key === undefined) return "not signed: PLANNER_RELEASE_KEY names no minisign key";
  if (!hasProgram("minisign")) throw new Error("PLANNER_RELEASE_KEY is set and minisign is not installed");
  for (const name of ["SHA256SUMS", provenance]) sign(release, key, name);
  return `signed with ${key}`;
}

// The comment is signed too; it names the release, so that an older list cannot pass for this one.
function sign({ version }: Release, key: string, name: string): void {
  const comment = `planner ${version} ${name}`;
  run("minisign", ["-S", "-s", key, "-m", join(OUT, name), "-t", comment, "-c", "signature of a planner release"]);
}

function files(): readonly string[] {
  return readdirSync(OUT)
    .filter((name) => name !== "SHA256SUMS" && !name.endsWith(".minisig"))
    .toSorted();
}
