import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, mkdtempSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromDebian } from "./debian.ts";
import { freePort } from "./free_port.ts";

const PROGRAM = "/usr/sbin/pgbouncer";
/** The pooler refuses to run as root; this is nobody. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };
const IS_ROOT = process.getuid?.() === 0;

/** Whether the pooler is here. */
export function pgBouncer(): boolean {
  return fromDebian(PROGRAM, "pgbouncer");
}

/** A PgBouncer in front of a PostgreSQL on this machine, for every database of it. */
export class PgBouncer {
  private readonly port: number;
  private readonly child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.child = child;
  }

  static async start(server: number, mode: "session" | "transaction"): Promise<PgBouncer> {
    const folder = mkdtempSync(join(tmpdir(), "planner-pgbouncer-"));
    const port = await freePort();
    const settings = [
      "[databases]",
      `* = host=127.0.0.1 port=${server} user=postgres`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = any",
      `pool_mode = ${mode}`,
      "default_pool_size = 20",
      "server_lifetime = 0",
      "server_idle_timeout = 1",
    ];
    const file = join(folder, "pgbouncer.ini");
    writeFileSync(file, `${settings.join("\n")}\n`);
    if (IS_ROOT) for (const path of [folder, file]) chownSync(path, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
    const child = spawn(PROGRAM, [file], { ...(IS_ROOT && UNPRIVILEGED), cwd: folder, stdio: "ignore" });
    child.unref();
    while (!(await listens(port))) await Bun.sleep(20);
    return new PgBouncer(port, child);
  }

  url(path: string, parameters: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}${path}${parameters}`;
  }

  end(): void {
    this.child.kill("SIGKILL");
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
