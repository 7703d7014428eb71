/** A platform that a release holds an executable for, with the name that each package manager gives it. */
export interface Target {
  /** Name in file names: `planner-0.3.0-linux-x64.tar.xz`. */
  readonly name: string;
  /** Bun's name of the platform. */
  readonly bun: string;
  readonly os: "linux" | "darwin" | "windows";
  readonly cpu: "x64" | "arm64";
  readonly libc?: "glibc" | "musl";
  /** Debian's and RPM's names of the processor, for the platforms that get such a package. */
  readonly debian?: string;
  readonly rpm?: string;
}

export const TARGETS: readonly Target[] = [
  { name: "linux-x64", bun: "bun-linux-x64", os: "linux", cpu: "x64", libc: "glibc", debian: "amd64", rpm: "x86_64" },
  {
    name: "linux-arm64",
    bun: "bun-linux-arm64",
    os: "linux",
    cpu: "arm64",
    libc: "glibc",
    debian: "arm64",
    rpm: "aarch64",
  },
  { name: "linux-x64-musl", bun: "bun-linux-x64-musl", os: "linux", cpu: "x64", libc: "musl" },
  { name: "linux-arm64-musl", bun: "bun-linux-arm64-musl", os: "linux", cpu: "arm64", libc: "musl" },
  { name: "darwin-x64", bun: "bun-darwin-x64", os: "darwin", cpu: "x64" },
  { name: "darwin-arm64", bun: "bun-darwin-arm64", os: "darwin", cpu: "arm64" },
  { name: "windows-x64", bun: "bun-windows-x64", os: "windows", cpu: "x64" },
  { name: "windows-arm64", bun: "bun-windows-arm64", os: "windows", cpu: "arm64" },
];

/** File name of the program on a platform. */
export function programName({ os }: Pick<Target, "os">): string {
  return os === "windows" ? "planner.exe" : "planner";
}
