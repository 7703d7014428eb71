import { readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { http1 } from "../support/http_client.ts";

export interface ProbeTarget {
  readonly url: string;
  readonly pid: number;
}

/** Median, 99th percentile and maximum of the waits in milliseconds, and how many answers were no success. */
export interface ProbeReport {
  readonly health: string;
  readonly call: string;
  /**
   * The same for the time that the server's event loop worked between a probe and its answer: how long it kept the probe
   * waiting, however busy the machine is.
   */
  readonly worked: string;
}

const EVERY_MS = 25;
/** Ahead of all else on the machine, so that the figures tell of the server's waits and not of this thread's. */
const FIRST = -20;
const { url, pid } = workerData as ProbeTarget;
const ask = { method: "POST", headers: { "content-type": "application/json" }, body: '{"page_size": 1}' };
const waits = { health: [] as number[], call: [] as number[], worked: [] as number[] };
const failures = { health: 0, call: 0, worked: 0 };
let isOver = false;
parentPort?.once("message", () => {
  isOver = true;
});

try {
  setPriority(0, FIRST);
} catch {
  // Only root may.
}

/** Processor time of the server's main thread so far, in milliseconds. */
function workedMs(): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}

async function probe(kind: "health" | "call", path: string, how: Parameters<typeof http1>[1]): Promise<void> {
  while (!isOver) {
    const [began, before] = [performance.now(), workedMs()];
    const { status } = await http1(`${url}${path}`, how).catch(() => ({ status: 0 }));
    waits[kind].push(performance.now() - began);
    if (kind === "health") waits.worked.push(workedMs() - before);
    if (status !== 200) failures[kind]++;
    await sleep(EVERY_MS);
  }
}

function told(kind: keyof typeof waits): string {
  const sorted = waits[kind].toSorted((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  return `${at(0.5)}/${at(0.99)}/${at(1)} (${sorted.length}, ${failures[kind]} failed)`;
}

await Promise.all([
  probe("health", "/healthz", {}),
  probe("call", "/datacenter.v1.DatacenterService/SearchDevices", ask),
]);
parentPort?.postMessage({ health: told("health"), call: told("call"), worked: told("worked") } satisfies ProbeReport);
