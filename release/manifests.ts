import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { archiveName } from "./archives.ts";
import { downloadUrl, OUT, PACKAGE, type Release, ROOT, timestamp } from "./release.ts";
import { sha256 } from "./shell.ts";

const ABOUT = "Spec workflow tool and datacenter service in one executable";

/** Writes what other package managers read: a Homebrew formula, a Scoop manifest and the three winget files. */
export function writeManifests(release: Release): void {
  writeFileSync(join(OUT, `${PACKAGE}.rb`), homebrew(release));
  writeFileSync(join(OUT, `scoop-${PACKAGE}.json`), `${JSON.stringify(scoop(release), null, 2)}\n`);
  for (const [file, text] of Object.entries(winget(release))) writeFileSync(join(OUT, file), text);
}

function archive(release: Release, name: string, ending: string): { url: string; sha256: string } {
  const file = `${archiveName(release, { name })}.${ending}`;
  return { url: downloadUrl(release, file), sha256: sha256(join(OUT, file)) };
}

function homebrew(release: Release): string {
  const block = (name: string, condition: string) => {
    const { url, sha256: sum } = archive(release, name, "tar.xz");
    return `    ${condition} do\n      url "${url}"\n      sha256 "${sum}"\n    end\n`;
  };
  return `class PlannerToolkit < Formula
  desc "${ABOUT}"
  homepage "${release.repository}"
  version "${release.version}"
  license "MIT"

  on_macos do
${block("darwin-arm64", "on_arm")}${block("darwin-x64", "on_intel")}  end

  on_linux do
${block("linux-arm64", "on_arm")}${block("linux-x64", "on_intel")}  end

  def install
    bin.install "planner"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/planner.bash" => "planner"
    zsh_completion.install "completions/_planner"
    fish_completion.install "completions/planner.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/planner --version")
  end
end
`;
}

function scoop(release: Release): object {
  const entry = (name: string) => {
    const { url, sha256: hash } = archive(release, name, "zip");
    return { url, hash, extract_dir: archiveName(release, { name }) };
  };
  return {
    version: release.version,
    description: ABOUT,
    homepage: release.repository,
    license: "MIT",
    architecture: { "64bit": entry("windows-x64"), arm64: entry("windows-arm64") },
    bin: "planner.exe",
    checkver: { github: release.repository },
  };
}

function winget(release: Release): Readonly<Record<string, string>> {
  const id = "PlannerToolkit.Planner";
  const head = (type: string) => `PackageIdentifier: ${id}\nPackageVersion: ${release.version}\n${type}`;
  const end = (type: string) => `ManifestType: ${type}\nManifestVersion: 1.6.0\n`;
  const installer = (name: string, architecture: string) => {
    const { url, sha256: sum } = archive(release, name, "zip");
    const path = `${archiveName(release, { name })}\\planner.exe`;
    return `- Architecture: ${architecture}
  InstallerUrl: ${url}
  InstallerSha256: ${sum.toUpperCase()}
  NestedInstallerFiles:
  - RelativeFilePath: ${path}
    PortableCommandAlias: planner
`;
  };
  const installers = installer("windows-x64", "x64") + installer("windows-arm64", "arm64");
  return {
    "winget-PlannerToolkit.Planner.yaml": head(`DefaultLocale: en-US\n${end("version")}`),
    "winget-PlannerToolkit.Planner.locale.en-US.yaml": head(
      `PackageLocale: en-US\nPublisher: The planner authors\nPackageName: ${PACKAGE}\nPackageUrl: ${release.repository}\n` +
        `License: MIT\nShortDescription: ${ABOUT}\n${end("defaultLocale")}`,
    ),
    "winget-PlannerToolkit.Planner.installer.yaml": head(
      `InstallerType: zip\nNestedInstallerType: portable\nReleaseDate: ${timestamp(release).slice(0, 10)}\n` +
        `Installers:\n${installers}${end("installer")}`,
    ),
  };
}

/** minisign's public key, a file of the repository, so that every build writes the same installers. */
const PUBLIC_KEY = join(ROOT, "release", "minisign.pub");

/** The key itself, which is the second line of minisign's file; empty if the repository has none. */
export function readPublicKey(): string {
  return existsSync(PUBLIC_KEY) ? (readFileSync(PUBLIC_KEY, "utf8").split(/\r?\n/)[1] ?? "").trim() : "";
}

/** Writes the installers with the release's version, addresses and public key filled in. */
export function writeInstallers(release: Release): void {
  for (const name of ["install.sh", "install.ps1"]) {
    const text = readFileSync(join(ROOT, "release", name), "utf8")
      .replaceAll("@REPOSITORY@", release.repository)
      .replaceAll("@VERSION@", release.version)
      .replaceAll("@PUBLIC_KEY@", readPublicKey());
    writeFileSync(join(OUT, name), text, { mode: 0o755 });
  }
}
