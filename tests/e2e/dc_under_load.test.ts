import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { join } from "node:path";
import { type DcServer, emptyFolder } from "../support/dc_server.ts";
import { serveDc } from "../support/end_after_test.ts";
import { answerToRaw, http1, RPC } from "../support/http_client.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";
import { NO_PSEUDO_TERMINAL, runOnTerminal } from "../support/pseudo_terminal.ts";

const MIB = 1024 * 1024;
const SECRET = "a secret of the feed";
const json = { "content-type": "application/json" };
const location = { site_id: "S1", floor_number: 1 };
const device = (code: string) => ({ code, kind: "DEVICE_KIND_OTHER", location });
/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;
const NO_PROC = process.platform === "linux" ? null : "/proc is missing";

const started = (cwd: string, ...flags: readonly string[]) => serveDc(cwd, flags);

const proc = (server: DcServer, file: string) => readFileSync(`/proc/${server.child.pid}/${file}`, "utf8");
/** Processor time of all threads so far. */
function processorMs(server: DcServer): number {
  const fields = proc(server, "stat")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
/** Processor time of the thread of the event loop so far. */
const loopMs = (server: DcServer) => Number(proc(server, `task/${server.child.pid}/schedstat`).split(" ")[0]) / 1e6;
const memory = (server: DcServer, field: "VmRSS" | "VmHWM") =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(proc(server, "status"))?.[1]) * 1024;
/** Makes the present memory the largest so far. */
const forgetPeak = (server: DcServer) => writeFileSync(`/proc/${server.child.pid}/clear_refs`, "5");

test.skipIf(NO_PROC !== null)("16 MiB of brackets cost little processor time and less than 64 MiB", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "feed.txt"), `${SECRET}\n`);
  const server = await started(cwd, "--webhook-secret-file", "feed.txt");
  const body = Buffer.alloc(16 * MIB, "[");
  const fields = ["Host: localhost", "Content-Type: application/json", "Connection: close"];
  fields.push(`Authorization: Bearer ${SECRET}`, `Content-Length: ${body.length}`);

  for (const path of [`${RPC}/BulkUpsertDevices`, "/graphql", "/audit/webhook"]) {
    const costs: { readonly ms: number; readonly bytes: number }[] = [];
    // The first round compiles code, and the collector may take memory for itself once.
    for (let round = 0; round < 4; round++) {
      forgetPeak(server);
      const [ms, bytes] = [processorMs(server), memory(server, "VmRSS")];
      const text = await answerToRaw(server.url, [`POST ${path} HTTP/1.1`, ...fields], body);
      costs.push({ ms: processorMs(server) - ms, bytes: memory(server, "VmHWM") - bytes });

      expect(text).toStartWith("HTTP/1.1 400 ");
      expect(text).toContain("nested deeper than 64 levels");
    }
    expect(Math.min(...costs.map(({ ms }) => ms))).toBeLessThan(1000);
    expect(Math.min(...costs.map(({ bytes }) => bytes))).toBeLessThan(64 * MIB);
  }
});

test.skipIf(NO_PROC !== null)(
  "30 PNGs in one request and 3,000 cancelled calls leave probes and callers their answers, within the budget",
  async () => {
    const cwd = emptyFolder();
    await runPlanner(["dc", "sample", "--racks", "40", "--db", "planner-dc.sqlite"], { cwd });
    const { stdout } = await runPlanner(["dc", "export"], { cwd });
    const stored: { readonly rack?: { readonly code: string } }[] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const racks = stored.flatMap(({ rack }) => (rack === undefined ? [] : [rack.code])).slice(0, 30);
    const budgetMib = 256;
    const server = await started(cwd, "--memory-budget", String(budgetMib));
    const ask = (path: string, body?: string) =>
      http1(`${server.url}${path}`, body === undefined ? {} : { method: "POST", headers: json, body });
    await ask(`${RPC}/SearchDevices`, '{"page_size": 1}');
    const before = memory(server, "VmRSS");
    forgetPeak(server);

    const statuses: Record<string, Set<number>> = {};
    const worked: number[] = [];
    let isOver = false;
    const caller = async (path: string, body?: string) => {
      const seen = new Set<number>();
      statuses[path] = seen;
      while (!isOver) {
        const began = loopMs(server);
        seen.add((await ask(path, body)).status);
        worked.push(loopMs(server) - began);
        // Callers that never pause would take the processor from what they watch.
        await Bun.sleep(5);
      }
    };
    const callers = [caller("/healthz"), caller("/readyz"), caller(`${RPC}/SearchDevices`, '{"page_size": 1}')];
    const aliased = racks.map(
      (code) => `r${code}: render(subjectRef: "rack:${code}", render: {format: PNG}) { binary }`,
    );
    const pictures = ask("/graphql", JSON.stringify({ query: `{ ${aliased.join(" ")} }` }));
    await cancelledCalls(server, 12, 250);
    const drawn = await pictures;
    isOver = true;
    await Promise.all(callers);

    const { data, errors } = JSON.parse(drawn.text);
    expect([drawn.status, errors]).toEqual([200, undefined]);
    const pngs = Object.values<{ readonly binary: string }>(data).map(({ binary }) => Buffer.from(binary, "base64"));
    expect(pngs.map((png) => png.toString("latin1", 1, 4))).toEqual(Array.from({ length: 30 }, () => "PNG"));
    const all = new Set([200]);
    expect(statuses).toEqual({ "/healthz": all, "/readyz": all, [`${RPC}/SearchDevices`]: all });
    const grown = memory(server, "VmHWM") - before;
    expect(grown).toBeLessThan(budgetMib * MIB);
    worked.sort((a, b) => a - b);
    expect(worked[Math.floor(worked.length * 0.99)]).toBeLessThan(500);
    // A call that is answered from a kept reply can end before its cancellation arrives.
    const ended = /^planner_dc_calls_total\{method="Render",interface="REST",outcome="(?:ok|cancelled)"\} (\d+)$/gm;
    const countEnded = async () => {
      const counts = [...(await ask("/metrics")).text.matchAll(ended)].map(([, count]) => Number(count));
      return counts.reduce((sum, count) => sum + count, 0);
    };
    while ((await countEnded()) < 3000) await Bun.sleep(50);
    expect(server.stderr).not.toMatch(/\n\s+at /);
  },
);

/** Asks for pictures over connections one after another, and cancels all calls of one once the server has taken them. */
async function cancelledCalls(server: DcServer, connections: number, streams: number): Promise<void> {
  const body = JSON.stringify({ subject_ref: "rack:A01", render: { format: "RENDER_FORMAT_SVG" } });
  for (let connection = 0; connection < connections; connection++) {
    const session = connectHttp2(server.url);
    session.on("error", () => {});
    const calls = Array.from({ length: streams }, () => {
      const call = session.request({ ":method": "POST", ":path": `${RPC}/Render`, ...json });
      call.on("error", () => {});
      call.end(body);
      return call;
    });
    // The answer to a ping comes after the server has read what was sent before it.
    await new Promise((resolve) => session.ping(resolve));
    await Promise.all(calls.map((call) => new Promise<void>((resolve) => call.on("close", resolve).close(8))));
    session.destroy();
  }
}

test("two atomic imports and a writer over the server take turns on one file, and nothing is lost", async () => {
  const cwd = emptyFolder();
  const server = await started(cwd);
  const codes = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}-${at}`);
  for (const name of ["A", "B"]) writeFileSync(join(cwd, `${name}.jsonl`), jsonLines(codes(name, 10_000)));

  let isOver = false;
  const written: string[] = [];
  const writer = async () => {
    for (let at = 0; !isOver || at < 20; at++) {
      const request = { device: device(`W-${at}`), request_id: crypto.randomUUID() };
      const call = { method: "POST", headers: json, body: JSON.stringify(request) };
      // While an import holds the lock for long, a call is refused as unavailable and may be sent again.
      let status = 503;
      while (status === 503) ({ status } = await http1(`${server.url}${RPC}/UpsertDevice`, call));
      expect(status).toBe(200);
      written.push(`W-${at}`);
    }
  };
  const writing = writer();
  const imports = await Promise.all([
    runPlanner(["dc", "import", "A.jsonl", "--atomic", "--json"], { cwd }),
    runPlanner(["dc", "import", "B.jsonl", "--atomic"], { cwd }),
  ]);
  isOver = true;
  await writing;

  expect(imports.map(({ code }) => code)).toEqual([0, 0]);
  const events = (imports[0]?.stdout ?? "").trimEnd().split("\n");
  expect(events.map((line) => JSON.parse(line))).toContainEqual({
    event: "progress",
    done: 2000,
    total: 10_000,
    remaining_s: expect.any(Number),
  });
  expect(imports[1]?.stderr).toMatch(/^20 %: 2000 of 10000, about \d+ (?:s|min) left$/m);
  const { stdout } = await runPlanner(["dc", "export"], { cwd });
  const stored = stdout.trimEnd().split("\n");
  const found = stored.map((line) => JSON.parse(line).device?.code).toSorted();
  expect(found).toEqual([...codes("A", 10_000), ...codes("B", 10_000), ...written].toSorted());
  const verified = await runPlanner(["dc", "audit", "verify", "--estate"], { cwd });
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining(`${found.length} resources are what`)]);
});

test.skipIf(NO_PSEUDO_TERMINAL !== null)("the bar of an atomic import tells the remaining time", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "A.jsonl"), jsonLines(Array.from({ length: 4000 }, (_, at) => `A-${at}`)));

  const { screen } = await runOnTerminal([...PLANNER, "dc", "import", "A.jsonl", "--atomic"], { cwd });

  expect(screen).toMatch(/ 50 % of 4000, \d+\/s, about \d+ (?:s|min) left/);
});

function jsonLines(codes: readonly string[]): string {
  return codes.map((code) => `${JSON.stringify({ device: device(code) })}\n`).join("");
}
