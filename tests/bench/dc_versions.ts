/**
 * Compares two executables on the same questions, asked in turn: `bun tests/bench/dc_versions.ts OLD NEW [racks]`. Each
 * loads a sample site of its own making and answers every question once; the table gives medians, the servers' own time per call and their ratios.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { median } from "./measure.ts";
import { ServedSite } from "./wire.ts";

const WARM_UP = 100;
const COUNTED = 150;

function start(program: string, racks: number): Promise<ServedSite> {
  const cwd = mkdtempSync(join(tmpdir(), "planner-versions-"));
  const { status, stderr } = spawnSync(program, ["dc", "sample", "--racks", `${racks}`, "--db", "site.sqlite"], {
    cwd,
  });
  if (status !== 0) throw new Error(`${program} dc sample: ${stderr}`);
  const args = ["dc", "serve", "--port", "0", "--db", "site.sqlite"];
  return ServedSite.listening(spawn(program, args, { cwd, stdio: ["ignore", "pipe", "ignore"] }));
}

async function ask({ url }: ServedSite, rpc: string, request: object): Promise<string> {
  const reply = await fetch(`${url}/datacenter.v1.DatacenterService/${rpc}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${rpc} ${JSON.stringify(request)}: ${text.slice(0, 200)}`);
  return text;
}

async function timed(server: ServedSite, rpc: string, request: object): Promise<number> {
  const started = performance.now();
  await ask(server, rpc, request);
  return performance.now() - started;
}

async function codes(server: ServedSite, filter: object): Promise<readonly { code: string; rack_code?: string }[]> {
  return JSON.parse(await ask(server, "SearchDevices", { page_size: 500, filter })).devices;
}

const [oldProgram, newProgram, racks = "200"] = process.argv.slice(2);
if (oldProgram === undefined || newProgram === undefined) throw new Error("Name two executables: OLD NEW [racks]");
const before = await start(resolve(oldProgram), Number(racks));
const both = [before, await start(resolve(newProgram), Number(racks))];
try {
  const devices = await codes(before, {});
  const servers = await codes(before, { kinds: ["DEVICE_KIND_SERVER"] });
  const pdus = await codes(before, { kinds: ["DEVICE_KIND_RACK_PDU"] });
  const floors = Math.ceil(Number(racks) / 160);
  const rackCodes = [...new Set(devices.flatMap(({ rack_code }) => (rack_code ? [rack_code] : [])))];
  const at = <Item>(list: readonly Item[], index: number) => list[index % list.length];
  const questions: Readonly<Record<string, (index: number) => object>> = {
    GetDevice: (index) => ({ code: at(devices, index)?.code }),
    GetRack: (index) => ({ code: at(rackCodes, index) }),
    GetPort: (index) => ({ device_code: at(servers, index)?.code, port_name: "psu1" }),
    FloorPlan: (index) => ({ floor_ref: `floor:AMS1/${1 + (index % floors)}` }),
    TraceCablePath: (index) => ({ port_ref: `port:${at(servers, index)?.code}/psu1` }),
    PowerBlastRadius: (index) => ({ source_ref: `device:${at(pdus, index)?.code}` }),
    SearchDevices: (index) => ({ filter: { text: at(devices, index)?.code.slice(0, 6) }, page_size: 50 }),
    UpsertDevice: (index) => ({
      device: { code: at(servers, index)?.code, kind: "DEVICE_KIND_SERVER", allocated_draw_w: 300 + (index % 97) },
      update_mask: "allocatedDrawW",
    }),
    ThermalHeadroom: (index) => ({ scope_ref: `rack:${at(rackCodes, index)}` }),
  };
  process.stdout.write("| question | old | new | ratio | own time, old | new | ratio |\n");
  process.stdout.write("| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const [rpc, request] of Object.entries(questions)) {
    const times = both.map((): number[] => []);
    let own = [0, 0];
    for (let index = 0; index < WARM_UP + COUNTED; index += 1) {
      if (index === WARM_UP) own = both.map((site) => -site.cpuMs());
      for (const [side, site] of both.entries()) {
        const taken = await timed(site, rpc, request(index));
        if (index >= WARM_UP) times[side]?.push(taken);
      }
    }
    own = both.map((site, side) => ((own[side] ?? 0) + site.cpuMs()) / COUNTED);
    const cells = [times.map(median), own].flatMap(([old = 0, now = 0]) => [
      `${old.toFixed(1)} ms`,
      `${now.toFixed(1)} ms`,
      (now / old).toFixed(2),
    ]);
    process.stdout.write(`| \`${rpc}\` | ${cells.join(" | ")} |\n`);
  }
} finally {
  for (const site of both) await site.end();
}
