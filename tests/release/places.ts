import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { IMAGE, imageFile, imageName } from "../../release/image.ts";
import { OUT, PACKAGE } from "../../release/release.ts";
import { hasProgram, run } from "../../release/shell.ts";
import { runCommand } from "../support/planner_command.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { bundle } from "./bundles.ts";
import { ALL_JOBS, type Check, unpacked } from "./check.ts";
import { musl, windows } from "./foreign_systems.ts";
import { hooks } from "./hooks.ts";
import { serveFiles, serveNpm } from "./local_servers.ts";
import { datacenterJobs, emptyFolder, projectFolder, specJobs, withServer } from "./main_jobs.ts";
import { names } from "./names.ts";
import { composeFiles, sourceMaps } from "./sources.ts";
import { upgrade } from "./upgrade.ts";

const both = async (installed: Parameters<typeof specJobs>[0]) =>
  `${await specJobs(installed)}; ${await datacenterJobs(installed)}`;

function archive(name: string, place: string, ending: string, version: string, launcher: readonly string[]): Check {
  const file = `planner-${version}-${name}.${ending}`;
  return {
    artefact: file,
    place,
    jobs: ALL_JOBS,
    needs: ["tar", "xz", ...launcher.slice(0, 1)],
    files: [file],
    check: () => {
      const program = join(unpacked(file), "planner");
      return both({ command: [...launcher, program], folder: emptyFolder() });
    },
  };
}

function debian(version: string): Check {
  const file = `${PACKAGE}_${version}_amd64.deb`;
  return {
    artefact: file,
    place: "empty folder, by dpkg-deb; unit by systemd-analyze",
    jobs: `the unit; what an upgrade of the system does to the package; ${ALL_JOBS}`,
    needs: ["dpkg-deb", "systemd-analyze"],
    files: [file],
    check: async () => {
      const root = emptyFolder();
      run("dpkg-deb", ["-x", join(OUT, file), root]);
      staysAtUpgrade(file);
      const unit = readFileSync(join(root, "usr/lib/systemd/system/planner-dc.service"), "utf8");
      const trial = join(root, "planner-dc.service");
      writeFileSync(trial, unit.replace("/usr/bin/planner", join(root, "usr/bin/planner")));
      run("systemd-analyze", ["verify", "--man=no", trial]);
      return `unit; ${await both({ command: [join(root, "usr/bin/planner")], folder: emptyFolder() })}`;
    },
  };
}

/**
 * Records the package as installed in a database of dpkg of its own, and asks apt what the next upgrade does to it. A
 * package of another program with the same name would replace it.
 */
function staysAtUpgrade(file: string): void {
  const status = join(emptyFolder(), "status");
  const control = run("dpkg-deb", ["-f", join(OUT, file)]);
  writeFileSync(status, `${control.replace("\nVersion:", "\nStatus: install ok installed\nVersion:")}\n`);
  const plan = run("apt-get", ["-s", "-o", `Dir::State::status=${status}`, "--fix-broken", "dist-upgrade"]);
  const touched = plan.split("\n").filter((line) => /^(?:Inst|Remv) planner/.test(line));
  if (touched.length > 0) throw new Error(`the next upgrade of the system does: ${touched.join("; ")}`);
}

function rpm(version: string): Check {
  const file = `${PACKAGE}-${version}-1.x86_64.rpm`;
  return {
    artefact: file,
    place: "empty root, by rpm --root",
    jobs: `rpm --verify; ${ALL_JOBS}`,
    needs: ["rpm"],
    files: [file],
    check: async () => {
      const root = emptyFolder();
      run("rpm", ["--root", root, "--initdb"]);
      run("rpm", ["--root", root, "--install", "--nodeps", "--noscripts", join(OUT, file)]);
      run("rpm", ["--root", root, "--verify", "--nodeps", "--noscripts", "--nouser", "--nogroup", PACKAGE]);
      return `verify; ${await both({ command: [join(root, "usr/bin/planner")], folder: emptyFolder() })}`;
    },
  };
}

function npm(version: string): Check {
  return {
    artefact: `npm-${PACKAGE}-${version}.tgz`,
    place: "empty project, by npm from a local registry",
    jobs: ALL_JOBS,
    needs: ["npm"],
    files: [`npm-${PACKAGE}-${version}.tgz`, `npm-${PACKAGE}-linux-x64-${version}.tgz`],
    check: async () => {
      const registry = await serveNpm(OUT);
      const folder = emptyFolder();
      try {
        writeFileSync(join(folder, "package.json"), "{}");
        // npm reads the names of all platforms' packages; those of a trial release are missing and optional.
        const flags = ["--registry", registry.url, "--fetch-retries=0", "--no-audit", "--no-fund", "--cache", "cache"];
        const { code, stderr } = await runCommand(["npm", "install", `${PACKAGE}@${version}`, ...flags], {
          cwd: folder,
        });
        if (code !== 0) throw new Error(`npm install: ${stderr}`);
        const installed = readdirSync(join(folder, "node_modules", `@${PACKAGE}`));
        if (installed.join() !== "linux-x64") throw new Error(`npm installed ${installed.join()}: expected linux-x64`);
        return await both({ command: [join(folder, "node_modules/.bin/planner")], folder: projectFolder(folder) });
      } finally {
        registry.close();
      }
    },
  };
}

function image(version: string): Check {
  const file = imageFile({ version });
  return {
    artefact: file,
    place: "podman load; skopeo; unpacked by umoci, run by bwrap: read-only root, user 10001",
    jobs: "token; serve on SQLite and PostgreSQL, readiness, SIGTERM",
    needs: ["podman", "skopeo", "umoci", "bwrap"],
    files: [file],
    check: async () => {
      const folder = emptyFolder();
      const processors = loadImage(file, version, folder);
      run("umoci", ["unpack", "--image", `${join(folder, "layout")}:${version}`, join(folder, "bundle")]);
      const config = JSON.parse(readFileSync(join(folder, "bundle", "config.json"), "utf8"));
      if (config.process.user.uid !== 10001) throw new Error(`the image runs as user ${config.process.user.uid}`);
      const data = join(folder, "data");
      mkdirSync(data);
      run("chown", ["10001:10001", data, folder]);
      run("chmod", ["755", folder, join(folder, "bundle")]);
      const words = "--unshare-user --uid 10001 --gid 10001 --clearenv --proc /proc --dev /dev".split(" ");
      const bwrap = ["bwrap", "--ro-bind", join(folder, "bundle/rootfs"), "/", ...words, "--bind", data, "/data"];
      const launcher = [...bwrap, "--chdir", "/data", "--die-with-parent"];
      const env = config.process.env.flatMap((line: string) => {
        const at = line.indexOf("=");
        return ["--setenv", line.slice(0, at), line.slice(at + 1)];
      });
      const asUser = ["setpriv", "--reuid=10001", "--regid=10001", "--clear-groups"];
      const program = [...asUser, ...launcher, ...env, "/usr/local/bin/planner"];
      const installed = { command: program, folder: data, sandboxed: true };
      await runOrThrow(
        [...program, "dc", "token", "create", "anna", "--role", "admin", "--tokens", "/data/tokens.json"],
        data,
      );
      const serve = ["dc", "serve", "--port", "0"];
      await withServer(installed, askHealth, serve);
      const database = await (await sharedPostgres()).database();
      await withServer(installed, askHealth, [...serve, "--db", database]);
      return `${processors}; dc token create; serve on SQLite and on PostgreSQL, health, SIGTERM`;
    },
  };
}

/** Loads the image as the documents say, and copies the one for x64 to a layout. @returns the processors in it */
function loadImage(file: string, version: string, folder: string): string {
  const archive = `oci-archive:${join(OUT, file)}`;
  const podman = ["--root", join(folder, "storage"), "--runroot", join(folder, "run"), "--storage-driver", "vfs"];
  run("podman", [...podman, "load", "-i", join(OUT, file)]);
  const [loaded] = JSON.parse(run("podman", [...podman, "image", "inspect", imageName({ version })]));
  if (loaded.Config.User !== IMAGE.user) throw new Error(`podman loaded an image of user ${loaded.Config.User}`);
  const index = JSON.parse(run("skopeo", ["inspect", "--raw", archive]));
  const processors: readonly string[] = index.manifests.map(
    ({ platform }: { platform: { architecture: string } }) => platform.architecture,
  );
  for (const processor of processors) {
    const words = ["--override-arch", processor, "copy", archive, `oci:${join(folder, processor)}:${version}`];
    run("skopeo", words);
  }
  run("mv", [join(folder, "amd64"), join(folder, "layout")]);
  return processors.join(", ");
}

async function askHealth(url: string): Promise<void> {
  const { status } = await fetch(new URL("/readyz", url.replace("0.0.0.0", "127.0.0.1")));
  if (status !== 200) throw new Error(`/readyz answered ${status}`);
}

async function runOrThrow(command: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, { cwd });
  if (code !== 0) throw new Error(`${command.at(-1)} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

function newcomer(version: string): Check {
  return {
    artefact: "install.sh",
    place: "empty home, from a local server",
    jobs: `a damaged archive and a forged list are refused; ${ALL_JOBS}; again, uninstall`,
    needs: ["curl", "tar"],
    files: ["install.sh", "SHA256SUMS", `planner-${version}-linux-x64.tar.xz`],
    check: async () => {
      const signed = existsSync(join(OUT, "SHA256SUMS.minisig")) && hasProgram("minisign");
      const home = emptyFolder();
      const install = (url: string, ...flags: string[]) =>
        runCommand(["sh", join(OUT, "install.sh"), "--base-url", url, ...flags], { cwd: home, env: { HOME: home } });
      await refuses(install, version, home, signed);
      const server = await serveFiles(OUT);
      try {
        const { code, stdout, stderr } = await install(server.url, ...(signed ? ["--require-signature"] : []));
        if (code !== 0) throw new Error(`install.sh: ${stderr}${stdout}`);
        const project = projectFolder(home);
        const program = join(home, ".local/bin/planner");
        const jobs = await both({ command: [program], folder: project, env: { HOME: home } });
        const again = await install(server.url);
        const removed = await install(server.url, "--uninstall");
        if (again.code !== 0 || removed.code !== 0) throw new Error(`uninstall: ${again.stderr}${removed.stderr}`);
        const left = readdirSync(home).filter((name) => name !== "project");
        if (left.length > 0) throw new Error(`uninstalling left ${left.join(", ")}`);
        return `${signed ? "signature, " : ""}refusals, ${jobs}; again, uninstall`;
      } finally {
        server.close();
      }
    },
  };
}

type Install = (url: string, ...flags: string[]) => Promise<{ readonly code: number | null }>;

/** Offers a damaged archive and a list of sums that somebody else made; both must leave the home empty. */
async function refuses(install: Install, version: string, home: string, signed: boolean): Promise<void> {
  const archiveFile = `planner-${version}-linux-x64.tar.xz`;
  const damaged = readFileSync(join(OUT, archiveFile));
  damaged[1000] = (damaged[1000] ?? 0) ^ 1;
  const forged = Buffer.from(readFileSync(join(OUT, "SHA256SUMS"), "utf8").replace(/^./, "0"));
  const offers = [{ [archiveFile]: damaged }, ...(signed ? [{ SHA256SUMS: forged }] : [])];
  for (const replaced of offers) {
    const server = await serveFiles(OUT, replaced);
    const { code } = await install(server.url);
    server.close();
    if (code === 0) throw new Error(`install.sh accepted a wrong ${Object.keys(replaced).join()}`);
    if (readdirSync(home).length > 0)
      throw new Error(`install.sh left files after a wrong ${Object.keys(replaced).join()}`);
  }
}

/** Every artefact that can run on Linux x64, with the places it is tried in. */
export function checks(version: string): readonly Check[] {
  const qemu = ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"];
  return [
    archive("linux-x64", "empty folder", "tar.xz", version, []),
    archive("linux-x64", "empty folder", "tgz", version, []),
    archive("linux-x64", "qemu, a processor of 2008", "tar.xz", version, ["qemu-x86_64-static", "-cpu", "Nehalem"]),
    archive("linux-arm64", "qemu-user", "tar.xz", version, qemu),
    musl(version),
    windows(version),
    names(),
    debian(version),
    rpm(version),
    npm(version),
    image(version),
    bundle(version),
    newcomer(version),
    hooks(version),
    upgrade(version, "0.1.0"),
    upgrade(version, "0.3.0"),
    sourceMaps(version),
    composeFiles,
  ];
}

/** What is built and cannot run on this kind of machine. */
export const NOT_RUN_HERE: readonly (readonly [artefact: string, reason: string])[] = [
  ["linux-arm64-musl", "no musl for arm64"],
  ["darwin-x64, darwin-arm64, planner.rb", "no macOS"],
  ["windows-arm64, install.ps1, Scoop, winget", "no Windows, no PowerShell"],
  [".mcpb bundles of other platforms, server.json", "no client and no registry to install them into"],
];
