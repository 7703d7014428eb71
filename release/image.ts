import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fixTimes } from "./pack.ts";
import { programOf } from "./programs.ts";
import { OUT, type Release, timestamp, WORK } from "./release.ts";
import { run } from "./shell.ts";
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

/** Writes an OCI image per processor as an archive: the program and its C library, without a shell, run as user 10001. */
export function writeImages(release: Release): void {
  for (const target of release.targets) {
    const libraries = LIBRARIES[target.name];
    if (libraries !== undefined) writeImage(release, target, libraries);
  }
}

/** Names of the images' archives. */
export const imageFile = ({ version }: Release, architecture: string): string =>
  `planner-${version}-image-linux-${architecture}.tar`;

function writeImage(release: Release, target: Target, libraries: Libraries): void {
  const root = join(WORK, "image", target.name, "root");
  layOut(root, target, libraries);
  fixTimes(root, release.epoch);
  const layout = join(WORK, "image", target.name, "layout");
  const image = `${layout}:${release.version}`;
  const created = timestamp(release);
  const umoci = (...words: string[]) => run("umoci", words);
  umoci("init", "--layout", layout);
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
  umoci("gc", "--layout", layout);
  const fixed = ["--sort=name", `--mtime=@${release.epoch}`, "--owner=0", "--group=0", "--numeric-owner"];
  run("tar", ["-cf", join(OUT, imageFile(release, libraries.architecture)), ...fixed, "-C", layout, "."]);
}

function layOut(root: string, target: Target, { from, to, loader, loaderPath }: Libraries): void {
  if (!existsSync(join(from, "libc.so.6"))) {
    throw new Error(`${from} has no C library for ${target.name}: install Debian's libc6-arm64-cross`);
  }
  for (const folder of ["usr/local/bin", to, loaderPath, "etc", "data", "proc", "dev", "sys", "tmp"]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  cpSync(programOf(target), join(root, "usr/local/bin/planner"));
  for (const name of NEEDED) cpSync(join(from, name), join(root, to, name), { dereference: true });
  cpSync(join(from, loader), join(root, loaderPath, loader), { dereference: true });
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0:root:/:/\nplanner:x:10001:10001:planner:/data:/\n");
  writeFileSync(join(root, "etc/group"), "root:x:0:\nplanner:x:10001:\n");
  chmodSync(join(root, "tmp"), 0o1777);
  // The archive is made as root, and a volume takes over the mode of the folder it covers; 10001 must be able to write.
  chmodSync(join(root, "data"), 0o777);
}
