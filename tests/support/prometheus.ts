import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free_port.ts";

export const PROMETHEUS = "/usr/bin/prometheus";

/** Debian's Prometheus, which scrapes a text each second as that of several instances. */
export class Prometheus {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #exporter: Server;
  readonly #folder: string;

  private constructor(url: string, parts: { child: ChildProcess; exporter: Server; folder: string }) {
    this.url = url;
    this.#child = parts.child;
    this.#exporter = parts.exporter;
    this.#folder = parts.folder;
  }

  /** @param texts what the exporter of each instance answers */
  static async start(texts: Readonly<Record<string, string>>): Promise<Prometheus> {
    const exporter = createServer((request, response) => {
      response.setHeader("content-type", "text/plain; version=0.0.4");
      response.end(texts[new URL(request.url ?? "", "http://x").searchParams.get("target") ?? ""] ?? "");
    });
    await new Promise<void>((resolve) => exporter.listen(0, "127.0.0.1", resolve));
    const { port } = exporter.address() as AddressInfo;
    const folder = mkdtempSync(join(tmpdir(), "planner-prometheus-"));
    const jobs = Object.keys(texts).map((instance) => ({
      job_name: instance,
      params: { target: [instance] },
      static_configs: [{ targets: [`127.0.0.1:${port}`], labels: { instance } }],
    }));
    const global = { scrape_interval: "1s", scrape_timeout: "1s" };
    // YAML reads JSON.
    writeFileSync(join(folder, "prometheus.yml"), JSON.stringify({ global, scrape_configs: jobs }));
    const listen = `127.0.0.1:${await freePort()}`;
    const flags = [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=${listen}`,
    ];
    const child = spawn(PROMETHEUS, flags, { stdio: "ignore" });
    const made = new Prometheus(`http://${listen}`, { child, exporter, folder });
    const names = Object.keys(texts);
    while (child.exitCode === null && !(await made.#hasScraped(names))) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return made;
  }

  async #hasScraped(instances: readonly string[]): Promise<boolean> {
    const reply = await fetch(`${this.url}/api/v1/query?query=up==1`).catch(() => undefined);
    if (reply?.ok !== true) return false;
    const { data } = (await reply.json()) as { readonly data: { readonly result: readonly unknown[] } };
    return data.result.length === instances.length;
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.on("close", resolve));
    if (this.#child.exitCode === null && this.#child.kill("SIGTERM")) await ended;
    this.#exporter.closeAllConnections();
    this.#exporter.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
