import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { http1 } from "../support/http_client.ts";

/** Median, 99th percentile and maximum of the waits in milliseconds, and how many answers were no success. */
export interface ProbeReport {
  readonly health: string;
  readonly call: string;
}

const EVERY_MS = 25;
const url = String(workerData);
const ask = { method: "POST", headers: { "content-type": "application/json" }, body: '{"page_size": 1}' };
const waits = { health: [] as number[], call: [] as number[] };
const failures = { health: 0, call: 0 };
let isOver = false;
parentPort?.once("message", () => {
  isOver = true;
});

async function probe(kind: "health" | "call", path: string, how: Parameters<typeof http1>[1]): Promise<void> {
  while (!isOver) {
    const began = performance.now();
    const { status } = await http1(`${url}${path}`, how).catch(() => ({ status: 0 }));
    waits[kind].push(performance.now() - began);
    if (status !== 200) failures[kind]++;
    await sleep(EVERY_MS);
  }
}

function told(kind: "health" | "call"): string {
  const sorted = waits[kind].toSorted((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  return `${at(0.5)}/${at(0.99)}/${at(1)} (${sorted.length}, ${failures[kind]} failed)`;
}

await Promise.all([
  probe("health", "/healthz", {}),
  probe("call", "/datacenter.v1.DatacenterService/SearchDevices", ask),
]);
parentPort?.postMessage({ health: told("health"), call: told("call") } satisfies ProbeReport);
