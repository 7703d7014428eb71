import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { join } from "node:path";
import { fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";

export const PLANNER = process.env["PLANNER"] ?? join(import.meta.dirname, "..", "..", "dist", "planner");

/** The value below which `share` percent of the others lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))] ?? Number.NaN;
}

/** `planner dc serve` in a process of its own. */
export class ServedSite {
  readonly url: string;
  /** From the spawn to the first connection that it takes. */
  readonly startMs: number;
  readonly #child: ChildProcess;

  private constructor(url: string, startMs: number, child: ChildProcess) {
    this.url = url;
    this.startMs = startMs;
    this.#child = child;
  }

  /** Makes a site of 2,000 racks: 101,552 devices. Cost: minutes. */
  static make(database: string): void {
    const { status } = spawnSync(PLANNER, ["dc", "sample", "--racks", "2000", "--db", database], { stdio: "inherit" });
    if (status !== 0) throw new Error(`The sample ended with ${status}`);
  }

  static start(database: string, cwd: string): Promise<ServedSite> {
    const args = ["dc", "serve", "--port", "0", "--db", database];
    return ServedSite.listening(spawn(PLANNER, args, { cwd, stdio: ["ignore", "pipe", "inherit"] }));
  }

  /** A process that has just been spawned and is about to say where it serves. */
  static listening(child: ChildProcess): Promise<ServedSite> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (status) => reject(new Error(`The server ended with ${status}`)));
      child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        const url = /^Serving (\S+) /.exec(text)?.[1];
        if (url !== undefined) resolve(new ServedSite(url, performance.now() - started, child));
      });
    });
  }

  memoryMib(): number {
    return this.#status("VmRSS");
  }

  peakMib(): number {
    return this.#status("VmHWM");
  }

  /** The process's own time so far, in milliseconds. */
  cpuMs(): number {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    // utime and stime, in hundredths of a second.
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.kill("SIGTERM");
    await ended;
  }

  #status(field: string): number {
    const text = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(text)?.[1]) / 1024;
  }
}

/** The body of a unary request by gRPC. */
export function grpcFrame(rpc: string, message: object): Buffer {
  const method = DatacenterService.methods.find(({ name }) => name === rpc);
  if (method === undefined) throw new Error(`There is no RPC "${rpc}"`);
  return Buffer.from(encodeEnvelope(0, toBinary(method.input, fromJson(method.input, message as JsonObject))));
}

/** Calls without any client library, so that hardly more than the server's time is measured. */
export class Wire {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #session: ClientHttp2Session;

  constructor(url: string) {
    this.#url = url;
    this.#session = connect(url);
  }

  /** The answer of Connect JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: benches look into answers of every shape
  async json(rpc: string, message: object): Promise<any> {
    return JSON.parse(await this.jsonText(rpc, message));
  }

  jsonText(rpc: string, message: object): Promise<string> {
    const body = JSON.stringify(message);
    const path = `${this.#url}/${DatacenterService.typeName}/${rpc}`;
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const call = request(path, { method: "POST", agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`${rpc} ${body.slice(0, 200)}: ${text.slice(0, 500)}`));
        });
      });
      call.on("error", reject);
      call.end(body);
    });
  }

  /** The answer's bytes by gRPC. */
  grpc(rpc: string, message: object): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request({
        ":method": "POST",
        ":path": `/${DatacenterService.typeName}/${rpc}`,
        "content-type": "application/grpc",
        te: "trailers",
      });
      const chunks: Buffer[] = [];
      let status: unknown;
      stream.on("response", (headers) => {
        status = headers["grpc-status"];
      });
      stream.on("trailers", (headers) => {
        status = headers["grpc-status"];
      });
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("error", reject);
      stream.on("end", () => {
        if (status === "0") resolve(Buffer.concat(chunks));
        else reject(new Error(`${rpc}: gRPC status ${status}`));
      });
      stream.end(grpcFrame(rpc, message));
    });
  }

  close(): void {
    this.#agent.destroy();
    this.#session.close();
  }
}
