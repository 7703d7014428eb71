/**
 * `bun tests/bench/netbox_import.ts [racks]`: what `planner dc import --from netbox` takes for a folder of REST lists
 * (2,000 racks: 100,000 devices), the first time and again without a change: wall time, processor time, most memory.
 * Linux. Build first: `npm run build`.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Listed, NetboxLists, ref } from "../support/dc/netbox/lists.ts";
import { PLANNER } from "../support/planner_command.ts";

const RACKS_OF_A_SITE = 200;
const SERVERS = 47;
const ROWS_OF_A_FILE = 50_000;

const racks = Number(process.argv[2] ?? 2000);
const folder = mkdtempSync(join(process.env["BENCH_TMP"] ?? tmpdir(), "planner-netbox-"));
const lists = join(folder, "lists");
const database = join(folder, "site.sqlite");
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

writeLists(netbox(racks));
process.stdout.write("| import | wall s | processor s | most memory MiB |\n| --- | --- | --- | --- |\n");
for (const name of ["first", "again, nothing changed"]) await measure(name);

/** Racks of two PDUs on feeds of their own, a switch, and servers plugged into all three. */
function netbox(count: number): NetboxLists {
  const box = new NetboxLists();
  const maker = box.named("dcim/manufacturers", "Acme");
  const types = {
    pdu: box.type(maker, "PDU 48", { u_height: 0 }),
    tor: box.type(maker, "ToR 48"),
    server: box.type(maker, "Server 1U"),
  };
  const role = box.named("dcim/device-roles", "Server");
  let site = 0;
  let panels: readonly number[] = [];
  for (let number = 0; number < count; number++) {
    if (number % RACKS_OF_A_SITE === 0) {
      site = box.named("dcim/sites", `Site ${number / RACKS_OF_A_SITE}`);
      panels = ["A", "B"].map((side) => box.named("dcim/power-panels", `Panel ${side}`, { site: ref(site) }));
    }
    fillRack(box, { site, number, panels, types, role });
  }
  return box;
}

interface Rack {
  readonly site: number;
  readonly number: number;
  readonly panels: readonly number[];
  readonly types: Readonly<Record<"pdu" | "tor" | "server", number>>;
  readonly role: number;
}

function fillRack(box: NetboxLists, { site, number, panels, types, role }: Rack): void {
  const rack = box.rack(site, `R${number}`, { u_height: 52 });
  const outlets = panels.map((panel, side) => {
    const pdu = box.device({ site, rack, type: types.pdu, role }, `pdu-${number}-${side}`);
    const inlet = box.port("power-ports", pdu, "Input", "iec-60309-3p-n-e-6h");
    box.cable([["dcim.powerfeed", box.feed(panel, rack, `${number}-${side}`)]], [["dcim.powerport", inlet]]);
    return numbers(SERVERS + 1).map((outlet) =>
      box.port("power-outlets", pdu, `Outlet ${outlet + 1}`, "iec-60320-c13", { power_port: ref(inlet) }),
    );
  });
  const tor = box.device({ site, rack, position: 52, type: types.tor, role }, `tor-${number}`);
  const network = numbers(SERVERS + 1).map((port) =>
    box.port("interfaces", tor, `eth${port}`, "25gbase-x-sfp28", { enabled: true }),
  );
  for (const position of numbers(SERVERS)) {
    const server = box.device(
      { site, rack, position: position + 1, type: types.server, role },
      `s${number}-${position}`,
    );
    for (const [side, at] of outlets.entries()) {
      const inlet = box.port("power-ports", server, `PSU${side + 1}`, "iec-60320-c14", { maximum_draw: 200 });
      box.cable([["dcim.powerport", inlet]], [["dcim.poweroutlet", at[position] ?? 0]]);
    }
    const card = box.port("interfaces", server, "eth0", "25gbase-x-sfp28", { enabled: true });
    box.cable([["dcim.interface", card]], [["dcim.interface", network[position] ?? 0]]);
  }
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function writeLists(box: NetboxLists): void {
  mkdirSync(lists);
  for (const [path, rows] of box.lists) {
    const name = path.split("/").at(-1) ?? path;
    process.stderr.write(`${name}: ${rows.length}\n`);
    for (let at = 0; at < rows.length; at += ROWS_OF_A_FILE) writePart(name, at, rows);
  }
}

function writePart(name: string, at: number, rows: readonly Listed[]): void {
  const file = join(lists, `${name}-${at / ROWS_OF_A_FILE + 1}.json`);
  writeFileSync(file, JSON.stringify(rows.slice(at, at + ROWS_OF_A_FILE)));
}

async function measure(name: string): Promise<void> {
  const started = performance.now();
  const args = ["-f", "%U %S %M", ...PLANNER, "dc", "import", "--from", "netbox", lists, "--db", database, "--json"];
  const child = spawn("/usr/bin/time", args, { stdio: ["ignore", "ignore", "pipe"] });
  let text = "";
  for await (const chunk of child.stderr) text += String(chunk);
  const seconds = (performance.now() - started) / 1000;
  const [user = 0, system = 0, kib = 0] = (text.trimEnd().split("\n").at(-1) ?? "").split(" ").map(Number);
  if (!Number.isFinite(user)) throw new Error(text);
  process.stdout.write(
    `| ${name} | ${seconds.toFixed(0)} | ${(user + system).toFixed(0)} | ${(kib / 1024).toFixed(0)} |\n`,
  );
}
