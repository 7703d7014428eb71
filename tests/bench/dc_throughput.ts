/**
 * `bun tests/bench/dc_throughput.ts [rpc]`: how many reads a server of a sample site answers in a second, against a
 * handler on the same kind of port that reads the request and answers the very bytes without looking anything up, in
 * turn in the same run. Both have answered as many calls before: an engine compiles what runs often for some tens of
 * thousands of calls, and whoever is measured first would be slow. By wall time and by the server's own time, since the
 * machine is shared with the clients. Needs h2load (nghttp2). `PLANNER` names the program; build first: `npm run build`.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./measure.ts";
import { grpcFrame, PLANNER, ServedSite, Wire } from "./wire.ts";

const REQUESTS = 6000;
const WARM_UP = 30_000;
const ROUNDS = 7;
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

interface Load {
  readonly rpc: string;
  readonly grpc: boolean;
  /** The file of the request's body. */
  readonly body: string;
}

function load(server: ServedSite, { rpc, grpc, body }: Load, requests = REQUESTS): Rate {
  const before = server.cpuMs();
  const protocol = grpc
    ? ["-m", "8", "-H", "content-type: application/grpc", "-H", "te: trailers"]
    : ["--h1", "-H", "content-type: application/json"];
  const url = `${server.url}/datacenter.v1.DatacenterService/${rpc}`;
  const { stdout } = spawnSync("h2load", ["-n", String(requests), "-c", "8", "-t", "1", ...protocol, "-d", body, url], {
    encoding: "utf8",
  });
  const rate = Number(/([\d.]+) req\/s/.exec(stdout)?.[1]);
  if (!new RegExp(`status codes: ${requests} 2xx`).test(stdout)) throw new Error(stdout);
  return { perSecond: rate, perOwnSecond: (requests * 1000) / (server.cpuMs() - before) };
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
      const asked: Load = { rpc, grpc, body: grpc ? askGrpc : askJson };
      const rates: Record<"site" | "bare", Rate[]> = { site: [], bare: [] };
      load(site, asked, WARM_UP);
      load(bare, asked, WARM_UP);
      for (let run = 0; run < ROUNDS; run++) {
        rates.site.push(load(site, asked));
        rates.bare.push(load(bare, asked));
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
  const wanted = process.argv[2];
  // What is read once the server listens must not take the processor from the first question.
  await wire.json("PowerBlastRadius", { source_ref: "feed:AMS1-A01-A" });
  for (const [rpc, message] of QUESTIONS)
    if (wanted === undefined || wanted === rpc) await compare(site, wire, rpc, message);
} finally {
  wire.close();
  await site.end();
  rmSync(folder, { recursive: true, force: true });
}
