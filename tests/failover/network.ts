import { spawnSync } from "node:child_process";

const LAN = `planner-${process.env["PLANNER_FAILOVER_LAN"] ?? process.pid}`;

/** The machines of the trial, each a network namespace with one address on a common bridge. */
export const MACHINES = {
  db1: "10.77.0.11",
  db2: "10.77.0.12",
  db3: "10.77.0.13",
  etcd1: "10.77.0.31",
  etcd2: "10.77.0.32",
  etcd3: "10.77.0.33",
  app1: "10.77.0.21",
  app2: "10.77.0.22",
} as const;
export type Machine = keyof typeof MACHINES;
export const DATABASES: readonly Machine[] = ["db1", "db2", "db3"];
export const ETCDS: readonly Machine[] = ["etcd1", "etcd2", "etcd3"];
export const APPS: readonly Machine[] = ["app1", "app2"];

/** Runs `ip`. @throws Error with what it says when it fails */
function ip(...words: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync("ip", words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`ip ${words.join(" ")}: ${error?.message ?? stderr.trim()}`);
  return stdout;
}

const namespaceOf = (machine: Machine) => `${LAN}-${machine}`;

/** Makes the namespaces. What listens in them is seen by nothing else on this computer. */
export function makeNetwork(): void {
  ip("netns", "add", LAN);
  ip("-n", LAN, "link", "set", "lo", "up");
  ip("-n", LAN, "link", "add", "lan", "type", "bridge");
  ip("-n", LAN, "addr", "add", "10.77.0.1/24", "dev", "lan");
  ip("-n", LAN, "link", "set", "lan", "up");
  for (const [machine, address] of Object.entries(MACHINES) as [Machine, string][]) {
    const own = namespaceOf(machine);
    ip("netns", "add", own);
    ip("-n", LAN, "link", "add", machine, "type", "veth", "peer", "name", "eth0", "netns", own);
    ip("-n", LAN, "link", "set", machine, "master", "lan", "up");
    ip("-n", own, "addr", "add", `${address}/24`, "dev", "eth0");
    for (const device of ["lo", "eth0"]) ip("-n", own, "link", "set", device, "up");
  }
}

/** Kills what runs in the namespaces and removes them. */
export function removeNetwork(): void {
  for (const name of [...Object.keys(MACHINES).map((machine) => namespaceOf(machine as Machine)), LAN]) {
    for (const pid of pidsIn(name)) kill(pid);
    spawnSync("ip", ["netns", "del", name]);
  }
}

/** The words before a command that run it on a machine, or beside all of them. */
export function on(machine?: Machine): readonly string[] {
  return ["ip", "netns", "exec", machine === undefined ? LAN : namespaceOf(machine)];
}

/** Takes a machine off the bridge: no packet reaches or leaves it. */
export function cut(machine: Machine): void {
  ip("-n", LAN, "link", "set", machine, "down");
}

export function heal(machine: Machine): void {
  ip("-n", LAN, "link", "set", machine, "up");
}

/** Ends all processes of a machine with SIGKILL. */
export function killAll(machine: Machine): void {
  for (const pid of pidsIn(namespaceOf(machine))) kill(pid);
}

/** The name by which the process inside finds the namespaces that the one outside has made. */
export function lanId(): string {
  return LAN.replace("planner-", "");
}

function pidsIn(name: string): readonly number[] {
  const { stdout } = spawnSync("ip", ["netns", "pids", name], { encoding: "utf8" });
  return (stdout ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map(Number);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
