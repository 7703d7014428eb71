/**
 * `bun tests/bench/dc_readings.ts [elements]`: an hour of reports, each element every five minutes, at 10,000 readings a
 * call, one call after another. Prints for each five minutes the processor time, the memory of the process, the size of the
 * database and the last entry of the change log; and how long other calls take beside the reports and without them. The
 * default is 100,000 elements.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { getDevice } from "#dc/operations/device_reads.ts";
import { reportReadings } from "#dc/operations/planning/readings/readings.ts";
import { openService } from "#dc/service.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import type { ReportReadingsResponse } from "#gen/datacenter/v1/readings_pb.ts";

const ELEMENTS = Number(process.argv[2] ?? 100_000);
const PER_CALL = 10_000;
const ROUNDS = 12;
const STEP_MS = 5 * 60 * 1000;
const SYSTEM = { interface: "SYSTEM" } as const;
const WRITTEN = "2026-01-01T00:00:00.000Z";

const folder = mkdtempSync(join(tmpdir(), "planner-readings-"));
const file = join(folder, "dc.sqlite");
const store = await openSqlite(file);
let now = Date.parse("2026-01-02T00:00:00.000Z");
const service = await openService(store, { clock: { now: () => new Date(now) }, authRequired: false });

await store.write(async (writer) => {
  for (let index = 0; index < ELEMENTS; index += 1) {
    const resource = { code: `SRV-${index}`, kind: "SERVER", role: "compute", allocatedDrawW: 400 } as const;
    await writer.put("device", { resource, etag: "bench", createTime: WRITTEN, updateTime: WRITTEN });
  }
});

/** Reports every element once. */
async function reportAll(round: number): Promise<void> {
  for (let at = 0; at < ELEMENTS; at += PER_CALL) {
    const readings = Array.from({ length: Math.min(PER_CALL, ELEMENTS - at) }, (_, index): JsonObject => {
      const value = 300 + ((index * 7 + round * 13) % 100);
      return { element_ref: `device:SRV-${at + index}`, quantity: "READING_QUANTITY_POWER_W", value };
    });
    const request = fromJson(reportReadings.method.input, { readings, source: "bench" });
    const { kept } = (await service.call(reportReadings, request, SYSTEM)) as ReportReadingsResponse;
    if (kept !== readings.length) throw new Error(`${kept} of ${readings.length} readings were kept`);
  }
}

/** How long calls of another caller take until the work is done, in milliseconds, the shortest first. */
async function askedBeside(work: Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  let isDone = false;
  const end = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const code = `SRV-${(times.length * 7919) % ELEMENTS}`;
    const began = performance.now();
    await service.call(getDevice, fromJson(getDevice.method.input, { code, view: "DEVICE_VIEW_BASIC" }), SYSTEM);
    times.push(performance.now() - began);
    await sleep(2);
  }
  await end;
  return times.sort((a, b) => a - b);
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const p99 = (times: readonly number[]) => (times[Math.ceil(0.99 * times.length) - 1] ?? 0).toFixed(1);
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);
const fileBytes = () => statSync(file).size + statSync(`${file}-wal`).size;

try {
  await askedBeside(sleep(500));
  const quiet = await askedBeside(sleep(3000));
  for (let round = 0; round < ROUNDS; round += 1) {
    now += STEP_MS;
    const before = process.cpuUsage();
    const isLast = round === ROUNDS - 1;
    if (isLast)
      print(`p99 of GetDevice: ${p99(quiet)} ms alone, ${p99(await askedBeside(reportAll(round)))} ms beside`);
    else await reportAll(round);
    const { user, system } = process.cpuUsage(before);
    const looking = process.cpuUsage();
    await service.updateFindingStarts();
    const looked = process.cpuUsage(looking);
    const { seq } = await store.read((reader) => reader.chainHead());
    const memory = megabytes(process.memoryUsage().rss);
    const used = ((user + system) / 1e6).toFixed(2);
    if (!isLast)
      print(
        `${used} s, ${memory} MB of memory, ${megabytes(fileBytes())} MB of files, entry ${seq}, findings ${((looked.user + looked.system) / 1e6).toFixed(2)} s`,
      );
  }
} finally {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}
