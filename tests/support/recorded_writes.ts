import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { http1 } from "./http_client.ts";

const SERVICE = "datacenter.v1.DatacenterService";
/** How long a client waits for one answer before it asks another server, in milliseconds. */
const PATIENCE_MS = 15_000;

/**
 * Clients of several servers on one database, for tests with faults. Each writer sends a change with its `request_id`
 * again, to the next server, until it is acknowledged. A reader asks for what was acknowledged last: it must be there
 * whenever a server answers at all.
 */
export class RecordedWrites {
  acknowledged = 0;
  repeated = 0;
  /** Replies that no fault explains. */
  readonly unexpected: string[] = [];
  private readonly urls: readonly string[];
  /** When changes were acknowledged, in milliseconds of the monotonic clock. */
  private readonly times: number[] = [];
  private readonly clients: readonly Promise<readonly string[]>[];
  private latest = "";
  private isOver = false;

  constructor(urls: readonly string[], writers = 4) {
    this.urls = urls;
    const all = Array.from({ length: writers }, (_, writer) => this.write(writer));
    this.clients = [...all, this.read()];
  }

  /** Waits until `count` more changes are acknowledged. */
  async more(count: number): Promise<void> {
    const before = this.acknowledged;
    while (this.acknowledged < before + count) await sleep(5);
  }

  /** Milliseconds from a moment until the next change was acknowledged. */
  async untilAcknowledged(moment: number): Promise<number> {
    while ((this.times.at(-1) ?? 0) < moment) await sleep(2);
    return (this.times.find((time) => time >= moment) ?? 0) - moment;
  }

  /** The longest time without an acknowledged change since a moment, in milliseconds. */
  longestGap(from: number): number {
    const since = [from, ...this.times.filter((time) => time >= from)];
    return Math.max(...since.slice(1).map((time, index) => time - (since[index] ?? time)));
  }

  /** Lets every change that is under way be acknowledged. @returns the codes of all devices that were written */
  async end(): Promise<readonly string[]> {
    this.isOver = true;
    return (await Promise.all(this.clients)).flat();
  }

  private async write(writer: number): Promise<readonly string[]> {
    const codes: string[] = [];
    for (let number = 0; !this.isOver; number++) {
      const code = `W${writer}-${number}`;
      const device = { code, kind: "DEVICE_KIND_OTHER", location: { site_id: "S", floor_number: 1 } };
      const body = JSON.stringify({ device, request_id: randomUUID() });
      for (let attempt = writer; !(await this.isAcknowledged(attempt, code, body)); attempt++) {
        this.repeated++;
        await sleep(20);
      }
      this.acknowledged++;
      this.times.push(performance.now());
      this.latest = code;
      codes.push(code);
    }
    return codes;
  }

  private async isAcknowledged(attempt: number, code: string, body: string): Promise<boolean> {
    const answer = await this.ask(attempt, "UpsertDevice", body);
    if (answer?.status === 200) return true;
    if (answer !== undefined && answer.status !== 503)
      this.unexpected.push(`write ${code}: ${answer.status} ${answer.text}`);
    return false;
  }

  private async read(): Promise<readonly string[]> {
    for (let attempt = 0; !this.isOver; attempt++) {
      await sleep(20);
      const code = this.latest;
      if (code === "") continue;
      const answer = await this.ask(attempt, "GetDevice", JSON.stringify({ code }));
      if (answer === undefined || answer.status === 200 || answer.status === 503) continue;
      this.unexpected.push(`read ${code}: ${answer.status} ${answer.text}`);
    }
    return [];
  }

  private ask(attempt: number, rpc: string, body: string) {
    const url = this.urls[attempt % this.urls.length];
    const headers = { "content-type": "application/json" };
    return http1(`${url}/${SERVICE}/${rpc}`, { method: "POST", headers, body, timeoutMs: PATIENCE_MS }).catch(
      () => undefined,
    );
  }
}

/** Which of the devices the change log does not hold exactly once, of the bodies of all its entries. */
export function lostOrDoubled(codes: readonly string[], bodies: readonly unknown[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const body of bodies) {
    const { entity } = JSON.parse(String(body)) as { readonly entity: string };
    counts.set(entity, (counts.get(entity) ?? 0) + 1);
  }
  return codes.filter((code) => counts.get(`device:${code}`) !== 1);
}

/** A table of times per kind of fault, in Markdown; its column of times is called `what`. */
export function faultTable(times: ReadonlyMap<string, readonly number[]>, what: string): string {
  const rows = [...times].map(([kind, all]) => {
    const sorted = all.toSorted((a, b) => a - b).map(Math.round);
    return `| ${kind} | ${sorted.length} | ${sorted[sorted.length >> 1] ?? "-"} | ${sorted.at(-1) ?? "-"} |\n`;
  });
  return `| Fault | Times | ${what}, ms: median | worst |\n| --- | --- | --- | --- |\n${rows.join("")}`;
}
