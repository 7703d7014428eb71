import { afterAll } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { browserFor, misdeeds } from "./chromium.ts";
import { openSettled } from "./console_page.ts";
import { DcServer, emptyFolder } from "./dc_server.ts";
import { withPageReport } from "./page_report.ts";
import { runPlanner } from "./planner_command.ts";

/** A refused check is an answer that the browser reports as an error. */
const REFUSALS = /^said Failed to load resource.* (?:400|401|403|404|409) /;

const location = { site_id: "S", floor_number: 1 };
const inlet = (name: string) => ({ name, kind: "PORT_KIND_POWER_IN", type: "iec-60320-c14" });
const outlet = (name: string) => ({ name, kind: "PORT_KIND_POWER_OUT", type: "iec-60320-c13" });
const net = (name: string) => ({ name, kind: "PORT_KIND_NETWORK", type: "25gbase-x-sfp28", speed_mbps: 25_000 });
const racked = (code: string, position_u: number, rest: object) => ({
  device: { code, rack_code: "R1", position_u, face: "FACE_FRONT", ...rest },
});

/** A rack with a PDU, a switch and two servers, one of them fed. */
const SITE = [
  { rack: { code: "R1", location, u_height: 12 } },
  { device: { code: "PDU-1", kind: "DEVICE_KIND_RACK_PDU", location, ports: [outlet("o1"), outlet("o2")] } },
  racked("SW-1", 12, { kind: "DEVICE_KIND_SWITCH", ports: [net("e1"), net("e2")] }),
  racked("SRV-1", 1, {
    kind: "DEVICE_KIND_SERVER",
    allocated_draw_w: 300,
    max_draw_w: 500,
    ports: [{ ...inlet("psu1"), power_in: { source_ref: "port:PDU-1/o1" } }, net("eth0")],
  }),
  racked("SRV-2", 2, { kind: "DEVICE_KIND_SERVER", ports: [inlet("psu1"), net("eth0")] }),
];

/** A server with a small site that asks for tokens: `anna` and `berta` write, `rosa` reads. */
export class EditedConsole {
  server: DcServer;
  readonly tokens: Readonly<Record<string, string>>;
  readonly #folder: string;

  private constructor(folder: string, server: DcServer, tokens: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.server = server;
    this.tokens = tokens;
  }

  static async start(): Promise<EditedConsole> {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, "site.jsonl"), SITE.map((line) => JSON.stringify(line)).join("\n"));
    const { code, stderr } = await runPlanner(["dc", "import", "site.jsonl"], { cwd });
    if (code !== 0) throw new Error(`The site does not load: ${stderr}`);
    const tokens: Record<string, string> = {};
    for (const [name, role] of [
      ["anna", "writer"],
      ["berta", "writer"],
      ["rosa", "reader"],
    ] as const) {
      const words = ["dc", "token", "create", name, "--role", role, "--tokens", "tokens.json"];
      tokens[name] = (await runPlanner(words, { cwd })).stdout.trim();
    }
    return new EditedConsole(cwd, await DcServer.start(cwd, ["--tokens", "tokens.json"]), tokens);
  }

  /** Ends the server as an operator does. */
  async stop(): Promise<void> {
    this.server.child.kill("SIGTERM");
    await this.server.ended;
  }

  /** Starts the server again where it was. */
  async startAgain(): Promise<void> {
    const { port } = new URL(this.server.url);
    this.server = await DcServer.start(this.#folder, ["--tokens", "tokens.json", "--port", port]);
  }

  /** A tab of one person that must do nothing wrong while `story` runs, but what is `expected`. */
  async visit(
    browser: Browser,
    who: string,
    hash: string,
    story: (page: Page) => Promise<void>,
    expected = REFUSALS,
  ): Promise<void> {
    // A colour on its way to another one has a contrast that nobody sees for long enough to matter.
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: "reduce" });
    const page = await context.newPage();
    const wrong = misdeeds(page, this.server.url);
    page.on("dialog", (dialog) => {
      wrong.push(`alerted ${dialog.message()}`);
      void dialog.dismiss();
    });
    try {
      await page.addInitScript(
        ([key, value]) => {
          if (sessionStorage.getItem(key) === null) sessionStorage.setItem(key, value);
        },
        ["planner-token", this.tokens[who] ?? ""] as const,
      );
      // A late answer would move what a story drags.
      await openSettled(page, `${this.server.url}/#/${hash}`);
      await withPageReport(page, story);
      if (wrong.some((misdeed) => !expected.test(misdeed))) throw new Error(wrong.join("\n"));
    } finally {
      await context.close();
    }
  }

  /** Calls one RPC as one person; of another service by `<service>/<name>`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  async call(who: string, rpc: string, request: object): Promise<any> {
    const path = rpc.includes("/") ? rpc : `datacenter.v1.DatacenterService/${rpc}`;
    const response = await fetch(`${this.server.url}/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${this.tokens[who]}` },
      body: JSON.stringify(request),
    });
    return response.json();
  }
}

/** Starts a browser and such a server for all tests of the calling file; both end after the last of them. */
export async function editedConsole(subject: string) {
  const { browser, missing } = await browserFor(subject);
  // Tests that would use it are skipped.
  if (missing !== undefined) return { browser, missing, desk: undefined as unknown as EditedConsole };
  const desk = await EditedConsole.start();
  afterAll(async () => {
    await browser.close();
    await desk.server.end();
  });
  return { browser, desk };
}
