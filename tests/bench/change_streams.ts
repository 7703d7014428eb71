/**
 * What open streams of changes cost a running server at rest:
 * `bun tests/bench/change_streams.ts http://127.0.0.1:8081 100`
 */
import { openHttp1 } from "../support/event_stream.ts";
import { http1 } from "../support/http_client.ts";

const SECONDS = 30;
const [, , url = "http://127.0.0.1:8081", streams = "100"] = process.argv;

async function metric(name: string): Promise<number> {
  const { text } = await http1(`${url}/metrics`);
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}

for (let index = 0; index < Number(streams); index++) {
  const { reader } = await openHttp1(url);
  await reader.until(([first]) => first);
}
await Bun.sleep(3000);
const before = await metric("process_cpu_seconds_total");
const started = performance.now();
await Bun.sleep(SECONDS * 1000);
const used = (await metric("process_cpu_seconds_total")) - before;
const percent = (100_000 * used) / (performance.now() - started);
const mebibytes = (await metric("process_resident_memory_bytes")) / 1024 / 1024;
const open = await metric("planner_dc_change_streams");
process.stdout.write(`${open} streams: ${percent.toFixed(2)} % of a core, ${mebibytes.toFixed(0)} MiB\n`);
process.exit(0);
