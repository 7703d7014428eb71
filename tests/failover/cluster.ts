import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { http1 } from "../support/http_client.ts";
import { APPS, DATABASES, ETCDS, MACHINES, type Machine, on } from "./network.ts";
import { PATRONI } from "./patroni.ts";

/** How long Patroni's leader may be silent before another node takes over, in seconds. */
const TTL_S = 10;
/** How long a cluster may take to become whole by itself, in milliseconds; then its administrator renews a replica. */
const BY_ITSELF_MS = 60_000;
/** Memory: nothing here takes the power away, and other programs keep a disk busy for longer than etcd waits for it. */
const DISK = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const POSTGRES_HOME = "/usr/lib/postgresql";
const PATIENCE_MS = 1500;

export const POOL_PORT = 6432;
const BALANCER_PORT = 5000;

/**
 * Three PostgreSQL under Patroni, three etcd on separate machines, and on each machine of an application HAProxy and
 * PgBouncer.
 */
export class Cluster {
  private readonly folder = mkdtempSync(join(DISK, "planner-failover-"));
  /** How often a replica was made anew from the primary. */
  renewals = 0;
  private readonly binaries = join(POSTGRES_HOME, readdirSync(POSTGRES_HOME).toSorted().at(-1) ?? "", "bin");

  constructor() {
    chmodSync(this.folder, 0o755);
    spawnSync("chown", ["postgres", this.folder]);
  }

  start(): void {
    for (const machine of ETCDS) this.startEtcd(machine, "new");
    for (const machine of DATABASES) this.startDatabase(machine);
    for (const machine of APPS) this.startPool(machine);
  }

  startEtcd(machine: Machine, state: "new" | "existing" = "existing"): void {
    const address = MACHINES[machine];
    const peers = ETCDS.map((one) => `${one}=http://${MACHINES[one]}:2380`).join(",");
    const words = ["--name", machine, "--data-dir", join(this.folder, `data-${machine}`)];
    const clients = ["--listen-client-urls", `http://${address}:2379`, "--advertise-client-urls"];
    const others = ["--listen-peer-urls", `http://${address}:2380`, "--initial-advertise-peer-urls"];
    words.push(...clients, `http://${address}:2379`, ...others, `http://${address}:2380`);
    words.push("--initial-cluster", peers, "--initial-cluster-state", state);
    this.run(machine, machine, "etcd", words);
  }

  /** Starts Patroni, which starts PostgreSQL. */
  startDatabase(machine: Machine): void {
    const file = join(this.folder, `patroni-${machine}.yml`);
    writeFileSync(file, this.patroniSettings(machine));
    this.run(machine, `patroni-${machine}`, PATRONI.program, [file]);
  }

  /** Starts HAProxy, which finds the primary, and PgBouncer before it. */
  startPool(machine: Machine): void {
    const folder = join(this.folder, `pool-${machine}`);
    mkdirSync(folder, { recursive: true });
    const servers = DATABASES.map((one) => `  server ${one} ${MACHINES[one]}:5432 check port 8008`);
    writeFileSync(join(folder, "haproxy.cfg"), `${[...HAPROXY, ...servers].join("\n")}\n`);
    writeFileSync(join(folder, "pgbouncer.ini"), `${PGBOUNCER.join("\n")}\n`);
    this.run(machine, `haproxy-${machine}`, "haproxy", ["-f", join(folder, "haproxy.cfg"), "-db"]);
    this.run(machine, `pgbouncer-${machine}`, "pgbouncer", [join(folder, "pgbouncer.ini")]);
  }

  /** The machine whose PostgreSQL takes writes, by Patroni's own word. */
  async primary(): Promise<Machine | undefined> {
    const all = await Promise.all(DATABASES.map((machine) => is(machine, "primary")));
    return DATABASES[all.indexOf(true)];
  }

  async etcdLeader(): Promise<Machine | undefined> {
    const all = await Promise.all(
      ETCDS.map(async (machine) => {
        const status = await etcdStatus(machine);
        return status !== undefined && status.leader === status.header.member_id;
      }),
    );
    return ETCDS[all.indexOf(true)];
  }

  /** Why the cluster is not whole; undefined when it is: one primary, two replicas, one of them synchronous, three etcd. */
  async whyNotWhole(): Promise<string | undefined> {
    const count = async (role: string) =>
      (await Promise.all(DATABASES.map((machine) => is(machine, role)))).filter(Boolean).length;
    const [primaries, replicas, synchronous] = await Promise.all(["primary", CLOSE_REPLICA, "sync"].map(count));
    const etcds = (await Promise.all(ETCDS.map(etcdStatus))).filter((status) => status !== undefined).length;
    if (primaries === 1 && replicas === 2 && synchronous === 1 && etcds === 3) return undefined;
    return `${primaries} primaries, ${replicas} replicas, ${synchronous} synchronous, ${etcds} etcd`;
  }

  async untilWhole(limitMs: number): Promise<void> {
    const end = performance.now() + limitMs;
    let renewal = performance.now() + BY_ITSELF_MS;
    for (;;) {
      const why = await this.whyNotWhole();
      if (why === undefined) return;
      if (performance.now() > renewal) {
        renewal = Number.POSITIVE_INFINITY;
        await this.renewReplicas();
      }
      if (performance.now() > end) throw new Error(`The cluster did not become whole: ${why}; logs in ${this.folder}`);
      await sleep(500);
    }
  }

  /** What `patronictl reinit` does, to each replica that does not follow the primary. */
  private async renewReplicas(): Promise<void> {
    for (const machine of DATABASES) {
      if ((await is(machine, "primary")) || (await is(machine, CLOSE_REPLICA))) continue;
      const url = `http://${MACHINES[machine]}:8008/reinitialize`;
      const headers = { "content-type": "application/json" };
      const ask = { method: "POST", headers, body: '{"force":true}', timeoutMs: PATIENCE_MS };
      const answer = await http1(url, ask).catch((error: Error) => ({ status: 0, text: error.message }));
      if (answer.status === 200) this.renewals++;
      process.stderr.write(`${machine} is renewed: ${answer.status} ${answer.text}\n`);
    }
  }

  remove(): void {
    spawnSync("rm", ["-rf", this.folder]);
  }

  /** Runs a program on a machine as the user postgres, with its output in a file of that name. */
  private run(machine: Machine, name: string, program: string, words: readonly string[]): void {
    // As machines of their own would have it: what elects leaders does not wait for the clients' processor time.
    const user = [
      "nice",
      "-n",
      program === "etcd" ? "-15" : "-8",
      "setpriv",
      "--reuid",
      "postgres",
      "--regid",
      "postgres",
      "--init-groups",
    ];
    const [first = "", ...rest] = [...on(machine), ...user, program, ...words];
    const log = openSync(join(this.folder, `${name}.log`), "a");
    const PATH = `${this.binaries}:/usr/bin:/bin:/usr/sbin:/sbin`;
    const env = { PATH, HOME: this.folder, LC_ALL: "C", PYTHONPATH: PATRONI.modules };
    spawn(first, rest, { cwd: this.folder, env, stdio: ["ignore", log, log] });
    closeSync(log);
  }

  private patroniSettings(machine: Machine): string {
    const address = MACHINES[machine];
    const hosts = ETCDS.map((one) => `${MACHINES[one]}:2379`);
    const user = (username: string) => ({ username, password: "x" });
    return JSON.stringify({
      scope: "planner",
      name: machine,
      restapi: { listen: `${address}:8008`, connect_address: `${address}:8008` },
      etcd3: { hosts },
      bootstrap: {
        dcs: {
          ttl: TTL_S,
          loop_wait: 2,
          retry_timeout: 3,
          maximum_lag_on_failover: 0,
          synchronous_mode: true,
          // Else a new primary acknowledges changes that no other node has, and loses them with its role.
          synchronous_mode_strict: true,
          postgresql: {
            use_pg_rewind: true,
            parameters: { max_connections: 60, wal_log_hints: "on", wal_keep_size: "256MB", shared_buffers: "32MB" },
          },
        },
        initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"],
        pg_hba: ["10.77.0.0/24", "127.0.0.1/32"].flatMap((net) =>
          ["all", "replication"].map((what) => `host ${what} all ${net} trust`),
        ),
      },
      postgresql: {
        listen: `${address}:5432`,
        connect_address: `${address}:5432`,
        data_dir: join(this.folder, `data-${machine}`),
        bin_dir: this.binaries,
        pgpass: join(this.folder, `pgpass-${machine}`),
        authentication: { superuser: user("postgres"), replication: user("repl"), rewind: user("postgres") },
        // The machines share a file system, and the socket's name is the port's.
        parameters: { unix_socket_directories: "" },
      },
      watchdog: { mode: "off" },
    });
  }
}

/** Asks every half second where the primary is, and ends the connections to one that is none any more. */
const HAPROXY = [
  "global",
  "  maxconn 500",
  "defaults",
  "  mode tcp",
  "  timeout connect 2s",
  "  timeout check 1s",
  "  timeout client 1h",
  "  timeout server 1h",
  "listen postgres",
  `  bind 127.0.0.1:${BALANCER_PORT}`,
  "  option httpchk OPTIONS /primary",
  "  http-check expect status 200",
  "  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions",
];

/** By default it waits 15 s before it connects again to a server that refused it. */
const PGBOUNCER = [
  "[databases]",
  `* = host=127.0.0.1 port=${BALANCER_PORT} user=postgres`,
  "[pgbouncer]",
  "listen_addr = 0.0.0.0",
  `listen_port = ${POOL_PORT}`,
  "unix_socket_dir =",
  "auth_type = any",
  "pool_mode = transaction",
  "default_pool_size = 20",
  "server_login_retry = 1",
  "server_connect_timeout = 3",
  "query_wait_timeout = 10",
];

/** A replica that has most of the primary's log. */
const CLOSE_REPLICA = "replica?lag=1MB";

async function is(machine: Machine, role: string): Promise<boolean> {
  const url = `http://${MACHINES[machine]}:8008/${role}`;
  return (await http1(url, { timeoutMs: PATIENCE_MS }).catch(() => undefined))?.status === 200;
}

interface EtcdStatus {
  readonly leader: string;
  readonly header: { readonly member_id: string };
}

async function etcdStatus(machine: Machine): Promise<EtcdStatus | undefined> {
  const url = `http://${MACHINES[machine]}:2379/v3/maintenance/status`;
  const answer = await http1(url, { method: "POST", body: "{}", timeoutMs: PATIENCE_MS }).catch(() => undefined);
  return answer?.status === 200 ? JSON.parse(answer.text) : undefined;
}
