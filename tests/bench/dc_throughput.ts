/**
 * `bun tests/bench/dc_throughput.ts`: how many reads a server of a sample site answers in a second, against a handler on
 * the same kind of port that reads the request and answers the very bytes without looking anything up, in turn in the
 * same run. By wall time and by the server's own time, since the machine is shared with the clients. Needs h2load
 * (nghttp2). `PLANNER` names the program; build first: `npm run build`.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./measure.ts";
import { grpcFrame, PLANNER, ServedSite, Wire } from "./wire.ts";

const REQUESTS = 4000;
const ROUNDS = 3;
const QUESTIONS = [
  ["GetPort", { port_ref: "port:SRV-A01-01/eth0" }],
  ["GetDevice", { code: "SRV-A01-01" }],
  ["GetRack", { code: "A01", render: { format: "RENDER_FORMAT_NONE" } }],
  ["PowerBlastRadius", { source_ref: "feed:AMS1-A01-A", render: { format: "RENDER_FORMAT_NONE" } }],
] as const;

interface Rate {
  readonly perSecond: number;
  readonly perOwnSecond: number;
}

const folder = mkdtempSync(join(process.env["BENCH_TMP"] ?? tmpdir(), "planner-bench-"));

function load(server: ServedSite, rpc: string, grpc: boolean, body: string): Rate {
  const before = server.cpuMs();
  const protocol = grpc
    ? ["-m", "8", "-H", "content-type: application/grpc", "-H", "te: trailers"]
    : ["--h1", "-H", "content-type: application/json"];
  const url = `${server.url}/datacenter.v1.DatacenterService/${rpc}`;
  const count = String(REQUESTS);
  const { stdout } = spawnSync("h2load", ["-n", count, "-c", "8", "-t", "1", ...protocol, "-d", body, url], {
    encoding: "utf8",
  });
  const rate = Number(/([\d.]+) req\/s/.exec(stdout)?.[1]);
  if (!new RegExp(`status codes: ${REQUESTS} 2xx`).test(stdout)) throw new Error(stdout);
  return { perSecond: rate, perOwnSecond: (REQUESTS * 1000) / (server.cpuMs() - before) };
}

const round = (rates: readonly Rate[], kind: keyof Rate) => Math.round(median(rates.map((rate) => rate[kind])));

async function compare(site: ServedSite, wire: Wire, rpc: string, message: object): Promise<void> {
  const files = ["ask.json", "ask.grpc", "answer.json", "answer.grpc"].map((name) => join(folder, name));
  const [askJson = "", askGrpc = "", answerJson = "", answerGrpc = ""] = files;
  writeFileSync(askJson, JSON.stringify(message));
  writeFileSync(askGrpc, grpcFrame(rpc, message));
  writeFileSync(answerJson, await wire.jsonText(rpc, message));
  writeFileSync(answerGrpc, await wire.grpc(rpc, message));
  const script = join(import.meta.dirname, "bare_port.ts");
  const bare = await ServedSite.listening(
    spawn("bun", [script, answerJson, answerGrpc], { stdio: ["ignore", "pipe", "inherit"] }),
  );
  try {
    for (const grpc of [false, true]) {
      const body = grpc ? askGrpc : askJson;
      const rates: Record<"site" | "bare", Rate[]> = { site: [], bare: [] };
      load(site, rpc, grpc, body);
      load(bare, rpc, grpc, body);
      for (let run = 0; run < ROUNDS; run++) {
        rates.site.push(load(site, rpc, grpc, body));
        rates.bare.push(load(bare, rpc, grpc, body));
      }
      const told = (["perSecond", "perOwnSecond"] as const).map((kind) => {
        const [ours, floor] = [round(rates.site, kind), round(rates.bare, kind)];
        return `${ours} of ${floor}, ${Math.round((100 * ours) / floor)} %`;
      });
      process.stdout.write(`| ${rpc}, ${grpc ? "gRPC" : "JSON"} | ${told.join(" | ")} |\n`);
    }
  } finally {
    await bare.end();
  }
}

const database = join(folder, "site.sqlite");
spawnSync(PLANNER, ["dc", "sample", "--db", database], { stdio: ["ignore", "ignore", "inherit"] });
const site = await ServedSite.start(database, folder);
const wire = new Wire(site.url);
try {
  process.stdout.write("| read | a second, of the bare handler | a second of its own time |\n| --- | --- | --- |\n");
  for (const [rpc, message] of QUESTIONS) await compare(site, wire, rpc, message);
} finally {
  wire.close();
  await site.end();
  rmSync(folder, { recursive: true, force: true });
}
