/**
 * `bun tests/bench/unary_ways.ts [calls]`: the server's own time for a unary call by the short way and by Connect's
 * library, in turns against one server. A query behind the path sends a call to the library. `PLANNER` names the program.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./measure.ts";
import { grpcFrame, PLANNER, ServedSite } from "./wire.ts";

const ROUNDS = 9;
const AT_ONCE = 16;
const COUNT = Number(process.argv[2] ?? 3000);
const RPC = "/datacenter.v1.DatacenterService/GetRack";
const FORMS = {
  "Connect JSON": [{ "content-type": "application/json" }, Buffer.from('{"code":"A01"}')],
  gRPC: [{ "content-type": "application/grpc", te: "trailers" }, grpcFrame("GetRack", { code: "A01" })],
} as const;

const cwd = mkdtempSync(join(tmpdir(), "planner-bench-"));
const { status } = spawnSync(PLANNER, ["dc", "sample", "--db", "site.sqlite"], { cwd });
if (status !== 0) throw new Error(`The sample ended with ${status}`);
const site = await ServedSite.start("site.sqlite", cwd);
const session = connect(site.url);

function ask(path: string, headers: object, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":method": "POST", ":path": path, ...headers });
    stream.on("error", reject).on("end", resolve).resume().end(body);
  });
}

/** The server's own time per call, in milliseconds. */
async function ownTime(path: string, headers: object, body: Buffer): Promise<number> {
  const before = site.cpuMs();
  for (let done = 0; done < COUNT; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => ask(path, headers, body)));
  }
  return (site.cpuMs() - before) / COUNT;
}

process.stdout.write(
  "| kept answer | short way | library | calls per second of own time |\n| --- | --- | --- | --- |\n",
);
for (const [name, [headers, body]] of Object.entries(FORMS)) {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    times[0].push(await ownTime(RPC, headers, body));
    times[1].push(await ownTime(`${RPC}?by=library`, headers, body));
  }
  const [short, library] = [median(times[0].slice(1)), median(times[1].slice(1))];
  const cells = [name, `${short.toFixed(3)} ms`, `${library.toFixed(3)} ms`, `${(library / short).toFixed(2)}x`];
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}
session.close();
await site.end();
rmSync(cwd, { recursive: true });
