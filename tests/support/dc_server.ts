import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createFileRegistry, type DescService, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { keptDatabase } from "./kept_database.ts";
import { PLANNER, runPlanner } from "./planner_command.ts";

const ROOT = join(import.meta.dirname, "..", "..");

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** `planner dc serve` in a process of its own. */
export class DcServer {
  readonly url: string;
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  readonly #said: string[];

  private constructor(url: string, child: ChildProcess, ended: Promise<Ended>, said: string[]) {
    this.url = url;
    this.child = child;
    this.ended = ended;
    this.#said = said;
  }

  /** Starts the server, by way of `launcher`, on a free port unless a flag names one, and waits until it says that it serves. */
  static start(cwd: string, flags: readonly string[] = [], launcher: readonly string[] = []): Promise<DcServer> {
    const port = flags.includes("--port") ? [] : ["--port", "0"];
    const [program = "", ...args] = [...launcher, ...PLANNER, "dc", "serve", ...port, ...flags];
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
    const ended = new Promise<Ended>((resolve) => child.on("close", (code, signal) => resolve({ code, signal })));
    return new Promise((resolve, reject) => {
      let line = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        line += text;
        const url = /^Serving (\S+) from .*\n/.exec(line)?.[1];
        if (url !== undefined) resolve(new DcServer(url, child, ended, said));
      });
      child.on("error", reject);
      void ended.then(({ code }) => reject(new Error(`The server ended with ${code}: ${said.join("")}`)));
    });
  }

  /** What it has said on standard error so far. */
  get stderr(): string {
    return this.#said.join("");
  }

  /** Ends the server however it is. */
  async end(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }
}

export function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), "planner-dc-"));
}

/** Puts a database with the sample site into a folder, as `planner dc sample` writes it. */
export function sampleDatabase(folder: string, name = "planner-dc.sqlite"): Promise<void> {
  return commandsDatabase("sample", join(folder, name), ["sample"]);
}

/** Puts a database at a path that a command of `planner dc` fills, once for each program under test. */
export function commandsDatabase(key: string, path: string, words: readonly string[]): Promise<void> {
  return keptDatabase(`${key}-${Bun.hash(PLANNER.join(" "))}`, path, async (first) => {
    const { code, stderr } = await runPlanner(["dc", ...words, "--db", first], { cwd: dirname(path) });
    if (code !== 0) throw new Error(stderr);
  });
}

/** The services as the proto files say, compiled by buf: what a client that knows nothing of the source starts from. */
export function serviceFromProto(typeName: string): DescService {
  const { stdout, stderr, status } = spawnSync(
    join(ROOT, "node_modules", ".bin", "buf"),
    ["build", "-o", "-#format=binpb"],
    {
      cwd: ROOT,
      maxBuffer: 16 * 1024 * 1024,
    },
  );
  if (status !== 0) throw new Error(`buf build: ${stderr}`);
  const service = createFileRegistry(fromBinary(FileDescriptorSetSchema, stdout)).getService(typeName);
  if (service === undefined) throw new Error(`The proto files have no service ${typeName}`);
  return service;
}

/** The sample site, by its collections of upsert items in proto JSON. */
export function sampleSite(): Readonly<Record<string, readonly Record<string, unknown>[]>> {
  return JSON.parse(readFileSync(join(ROOT, "tests", "fixtures", "ams1.json"), "utf8"));
}
