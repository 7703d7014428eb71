import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fixTimes } from "./pack.ts";
import { programOf, SHARED } from "./programs.ts";
import { OUT, type Release, timestamp, WORK } from "./release.ts";
import { run, sha256 } from "./shell.ts";
import type { Target } from "./targets.ts";

/** What the image declares; the deploy files are tested against it. */
export const IMAGE = {
  user: "10001:10001",
  entrypoint: "/usr/local/bin/planner",
  command: ["dc", "serve"],
  port: "8081/tcp",
  directory: "/data",
  environment: ["PLANNER_DC_HOST=0.0.0.0", "PLANNER_DC_TOKENS=/data/tokens.json"],
} as const;

interface Libraries {
  /** Folder of this machine that holds the C library of the platform. */
  readonly from: string;
  /** Folder of the image in which the loader looks. */
  readonly to: string;
  readonly loader: string;
  readonly loaderPath: string;
  readonly architecture: string;
}

const LIBRARIES: Readonly<Record<string, Libraries>> = {
  "linux-x64": {
    from: "/lib/x86_64-linux-gnu",
    to: "lib/x86_64-linux-gnu",
    loader: "ld-linux-x86-64.so.2",
    loaderPath: "lib64",
    architecture: "amd64",
  },
  "linux-arm64": {
    from: "/usr/aarch64-linux-gnu/lib",
    to: "lib/aarch64-linux-gnu",
    loader: "ld-linux-aarch64.so.1",
    loaderPath: "lib",
    architecture: "arm64",
  },
};

/** The libraries that the executable is linked to; everything else is inside it. */
const NEEDED = ["libc.so.6", "libpthread.so.0", "libdl.so.2", "libm.so.6"];

/** Name under which engines store the image, and which the documents use. It names no registry, so nothing is fetched. */
export const imageName = ({ version }: Pick<Release, "version">): string => `localhost/planner:${version}`;

/** Name of the image's archive. */
export const imageFile = ({ version }: Pick<Release, "version">): string => `planner-${version}-image.tar`;

/**
 * Writes one OCI archive with an image for each processor: the program and its C library, without a shell, run as user
 * 10001. An index inside it lets engines choose the processor's image.
 */
export function writeImages(release: Release): void {
  const layout = join(WORK, "image", "layout");
  const targets = release.targets.filter(({ name }) => LIBRARIES[name] !== undefined);
  if (targets.length === 0) return;
  mkdirSync(join(WORK, "image"), { recursive: true });
  run("umoci", ["init", "--layout", layout]);
  for (const target of targets) writeImage(release, layout, target, LIBRARIES[target.name] as Libraries);
  run("umoci", ["gc", "--layout", layout]);
  joinImages(release, layout);
  const fixed = ["--sort=name", `--mtime=@${release.epoch}`, "--owner=0", "--group=0", "--numeric-owner"];
  run("tar", ["-cf", join(OUT, imageFile(release)), ...fixed, "-C", layout, "."]);
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Replaces the layout's list of images by one index that names the processor of each. */
function joinImages(release: Release, layout: string): void {
  const list = join(layout, "index.json");
  const { manifests } = JSON.parse(readFileSync(list, "utf8")) as { manifests: readonly Descriptor[] };
  const mediaType = "application/vnd.oci.image.index.v1+json";
  const index = {
    schemaVersion: 2,
    mediaType,
    manifests: manifests.map(({ annotations, ...descriptor }) => ({
      ...descriptor,
      platform: { architecture: annotations?.["org.opencontainers.image.ref.name"], os: "linux" },
    })),
  };
  const text = JSON.stringify(index);
  const draft = join(layout, "blobs", "sha256", "draft");
  writeFileSync(draft, text);
  const digest = sha256(draft);
  run("mv", [draft, join(layout, "blobs", "sha256", digest)]);
  const annotations = {
    "io.containerd.image.name": imageName(release),
    "org.opencontainers.image.ref.name": imageName(release),
  };
  const only = { mediaType, digest: `sha256:${digest}`, size: Buffer.byteLength(text), annotations };
  writeFileSync(list, JSON.stringify({ schemaVersion: 2, mediaType, manifests: [only] }));
}

function writeImage(release: Release, layout: string, target: Target, libraries: Libraries): void {
  const root = join(WORK, "image", target.name, "root");
  layOut(root, target, libraries);
  fixTimes(root, release.epoch);
  const image = `${layout}:${libraries.architecture}`;
  const created = timestamp(release);
  const umoci = (...words: string[]) => run("umoci", words);
  umoci("new", "--image", image);
  umoci(
    "insert",
    "--uid-map",
    "0:0:1",
    "--gid-map",
    "0:0:1",
    "--history.created",
    created,
    "--image",
    image,
    root,
    "/",
  );
  const labels = {
    "org.opencontainers.image.title": "planner",
    "org.opencontainers.image.version": release.version,
    "org.opencontainers.image.revision": release.commit,
    "org.opencontainers.image.source": release.repository,
    "org.opencontainers.image.licenses": "MIT",
  };
  const settings = [
    ...["--config.user", IMAGE.user, "--config.entrypoint", IMAGE.entrypoint, "--config.workingdir", IMAGE.directory],
    ...IMAGE.command.flatMap((word) => ["--config.cmd", word]),
    ...IMAGE.environment.flatMap((line) => ["--config.env", line]),
    ...["--config.volume", IMAGE.directory, "--config.exposedports", IMAGE.port, "--config.stopsignal", "SIGTERM"],
    ...Object.entries(labels).flatMap(([name, value]) => ["--config.label", `${name}=${value}`]),
    ...["--architecture", libraries.architecture, "--os", "linux", "--created", created, "--history.created", created],
  ];
  umoci("config", "--image", image, ...settings);
}

function layOut(root: string, target: Target, { from, to, loader, loaderPath }: Libraries): void {
  if (!existsSync(join(from, "libc.so.6"))) {
    throw new Error(`${from} has no C library for ${target.name}: install Debian's libc6-arm64-cross`);
  }
  for (const folder of [
    "usr/local/bin",
    to,
    loaderPath,
    "etc",
    "data",
    "proc",
    "dev",
    "sys",
    "tmp",
    "usr/share/doc/planner",
  ]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  cpSync(programOf(target), join(root, "usr/local/bin/planner"));
  for (const name of NEEDED) cpSync(join(from, name), join(root, to, name), { dereference: true });
  cpSync(join(from, loader), join(root, loaderPath, loader), { dereference: true });
  for (const name of ["LICENSE", "THIRD-PARTY-LICENSES.txt"]) {
    cpSync(join(SHARED, name), join(root, "usr/share/doc/planner", name));
  }
  cpSync("/usr/share/doc/libc6/copyright", join(root, "usr/share/doc/libc6/copyright"));
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0:root:/:/\nplanner:x:10001:10001:planner:/data:/\n");
  writeFileSync(join(root, "etc/group"), "root:x:0:\nplanner:x:10001:\n");
  chmodSync(join(root, "tmp"), 0o1777);
  // The archive is made as root, and a volume takes over the mode of the folder it covers; 10001 must be able to write.
  chmodSync(join(root, "data"), 0o777);
}
