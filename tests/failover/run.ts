/**
 * `npm run test:failover`: two servers under load on three PostgreSQL under Patroni, etcd, HAProxy and PgBouncer, each
 * machine a network namespace. Processes are killed and machines cut off, the next one only when Patroni says that the
 * cluster is whole. Every acknowledged change must be there exactly once and the change log whole; prints how long no
 * change was acknowledged. `PLANNER_FAULTS=50` for more faults than 5. Needs root and the packages below;
 * unpacks a newer Patroni beside them: the one of Debian 12 loses writes.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fromDebian } from "../support/debian.ts";
import { lanId, makeNetwork, on, removeNetwork } from "./network.ts";
import { fetchPatroni, patroniVersion } from "./patroni.ts";

const PACKAGES: Readonly<Record<string, string>> = {
  "/usr/lib/postgresql": "postgresql",
  "/usr/bin/patroni": "patroni",
  "/usr/lib/python3/dist-packages/etcd/__init__.py": "python3-etcd",
  "/usr/bin/etcd": "etcd-server",
  "/usr/sbin/haproxy": "haproxy",
  "/usr/sbin/pgbouncer": "pgbouncer",
  "/usr/sbin/ip": "iproute2",
};

const missing = Object.entries(PACKAGES).filter(([path, name]) => !fromDebian(path, name));
const why = missing.length === 0 ? fetchPatroni() : `${missing.map(([, name]) => name).join(", ")} cannot be had`;
if (process.getuid?.() === 0 && why === undefined) process.exitCode = inNetwork();
else process.stderr.write(`SKIPPED: the trial of failover needs root and Debian's packages; ${why ?? "no root"}\n`);

/** @returns the status of the trial */
function inNetwork(): number {
  process.stdout.write(`${patroniVersion()}\n`);
  try {
    makeNetwork();
    const [program = "", ...words] = [...on(), process.execPath, join(import.meta.dirname, "trial.ts")];
    const env = { ...process.env, PLANNER_FAILOVER_LAN: lanId() };
    return spawnSync(program, words, { env, stdio: "inherit" }).status ?? 1;
  } finally {
    removeNetwork();
  }
}
