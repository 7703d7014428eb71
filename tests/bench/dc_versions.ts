/**
 * Compares two executables on the same questions, asked in turn: `bun tests/bench/dc_versions.ts OLD NEW [racks]`. Each
 * loads a sample site of its own making and answers every question once; the table gives medians and their ratio.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const WARM_UP = 20;
const COUNTED = 150;

interface Server {
  readonly url: string;
  readonly child: ChildProcess;
}

async function start(program: string, racks: number): Promise<Server> {
  const cwd = mkdtempSync(join(tmpdir(), "planner-versions-"));
  const { status, stderr } = spawnSync(program, ["dc", "sample", "--racks", `${racks}`, "--db", "site.sqlite"], {
    cwd,
  });
  if (status !== 0) throw new Error(`${program} dc sample: ${stderr}`);
  const child = spawn(program, ["dc", "serve", "--port", "0", "--db", "site.sqlite"], {
    cwd,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let line = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      line += text;
      const found = /Serving (\S+) from/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.on("close", (code) => reject(new Error(`${program} ended with ${code}`)));
  });
  return { url, child };
}

async function ask({ url }: Server, rpc: string, request: object): Promise<string> {
  const reply = await fetch(`${url}/datacenter.v1.DatacenterService/${rpc}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${rpc} ${JSON.stringify(request)}: ${text.slice(0, 200)}`);
  return text;
}

async function timed(server: Server, rpc: string, request: object): Promise<number> {
  const started = performance.now();
  await ask(server, rpc, request);
  return performance.now() - started;
}

async function codes(server: Server, filter: object): Promise<readonly { code: string; rack_code?: string }[]> {
  return JSON.parse(await ask(server, "SearchDevices", { page_size: 500, filter })).devices;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

const [oldProgram, newProgram, racks = "200"] = process.argv.slice(2);
if (oldProgram === undefined || newProgram === undefined) throw new Error("Name two executables: OLD NEW [racks]");
const [before, after] = [
  await start(resolve(oldProgram), Number(racks)),
  await start(resolve(newProgram), Number(racks)),
];
try {
  const devices = await codes(before, {});
  const pdus = await codes(before, { kinds: ["DEVICE_KIND_RACK_PDU"] });
  const rackCodes = [...new Set(devices.flatMap(({ rack_code }) => (rack_code ? [rack_code] : [])))];
  const at = <Item>(list: readonly Item[], index: number) => list[index % list.length];
  const questions: Readonly<Record<string, (index: number) => object>> = {
    GetDevice: (index) => ({ code: at(devices, index)?.code }),
    GetRack: (index) => ({ code: at(rackCodes, index) }),
    PowerBlastRadius: (index) => ({ source_ref: `device:${at(pdus, index)?.code}` }),
    SearchDevices: (index) => ({ filter: { text: at(devices, index)?.code.slice(0, 6) }, page_size: 50 }),
    ThermalHeadroom: (index) => ({ scope_ref: `rack:${at(rackCodes, index)}` }),
  };
  process.stdout.write("| question | old | new | ratio |\n| --- | --- | --- | --- |\n");
  for (const [rpc, request] of Object.entries(questions)) {
    const times: [number[], number[]] = [[], []];
    for (let index = 0; index < WARM_UP + COUNTED; index += 1) {
      const pair = [await timed(before, rpc, request(index)), await timed(after, rpc, request(index))] as const;
      if (index >= WARM_UP) for (const side of [0, 1] as const) times[side].push(pair[side]);
    }
    const [old, now] = [median(times[0]), median(times[1])];
    const ratio = (now / old).toFixed(2);
    process.stdout.write(`| \`${rpc}\` | ${old.toFixed(1)} ms | ${now.toFixed(1)} ms | ${ratio} |\n`);
  }
} finally {
  for (const { child } of [before, after]) child.kill("SIGTERM");
}
