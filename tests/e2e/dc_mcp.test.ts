import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Client as StatelessClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as StatelessTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { DcServer, emptyFolder, sampleDatabase } from "../support/dc_server.ts";
import { PLANNER, runCommand } from "../support/planner_command.ts";

const INSPECTOR = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json")),
  "clients/launcher/build/index.js",
);
const [PROGRAM = "", ...ARGS] = [...PLANNER, "dc", "mcp"];
const ME = { name: "planner-tests", version: "1.0.0" };

/** A question about the sample site for each tool, and the most characters that its answer may take. */
const TOUR = [
  ["power_blast_radius", { source_ref: "device:UPS-A1" }, 8000],
  ["trace_cable_path", { port_ref: "port:SRV-B03-07/eth0" }, 6000],
  ["get_rack", { code: "A08" }, 8000],
  ["thermal_headroom", { scope_ref: "floor:AMS1/1" }, 12_000],
  ["fabric_topology", {}, 15_000],
  ["floor_plan", { floor_ref: "floor:AMS1/1" }, 10_000],
  ["search_devices", {}, 9000],
  ["get_device", { code: "SRV-B03-07" }, 5000],
  ["get_port", { port_ref: "port:SRV-B03-07/eth0" }, 4000],
] as const;
const NAMES = [...TOUR.map(([name]) => name), "render"];

interface Result {
  readonly content: readonly { readonly type: string; readonly text: string; readonly mimeType?: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

let folder: string;
let client: Client;

beforeAll(async () => {
  folder = emptyFolder();
  await sampleDatabase(folder);
  client = new Client(ME);
  await client.connect(new StdioClientTransport({ command: PROGRAM, args: ARGS, cwd: folder, stderr: "inherit" }));
});

afterAll(() => client.close());

async function ask(name: string, args: Record<string, unknown>, by: Client = client): Promise<Result> {
  return (await by.callTool({ name, arguments: args })) as Result;
}

describe("planner dc mcp", () => {
  test("offers the ten questions, read only, with units and words from the contract", async () => {
    const { tools } = await client.listTools();

    expect(client.getServerVersion()).toEqual({ name: "planner-dc", version: "0.1.0" });
    expect(tools.map(({ name }) => name)).toEqual(NAMES);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    const text = JSON.stringify(tools);
    expect(text).toContain("Utilisation from which a link is congested; defaults to 80.");
    expect(tools[0]?.inputSchema).toMatchObject({
      required: ["source_ref"],
      properties: {
        load_basis: {
          enum: ["LOAD_BASIS_ALLOCATED", "LOAD_BASIS_MEASURED", "LOAD_BASIS_MAX", "LOAD_BASIS_MEASURED_PEAK"],
        },
      },
    });
  });

  test.each(TOUR)(
    "%s answers about the sample site within its budget, without a picture",
    async (name, args, budget) => {
      const { content, structuredContent, isError } = await ask(name, args);

      expect(isError).toBeUndefined();
      expect(content).toHaveLength(1);
      const text = content[0]?.text ?? "";
      expect(text.length).toBeLessThan(budget);
      expect(text).not.toContain("<svg");
      expect(structuredContent).toEqual(JSON.parse(text));
    },
  );

  test("tells what the sample's story says, as much of it as is asked for", async () => {
    const { structuredContent } = await ask("power_blast_radius", { source_ref: "device:UPS-A1", fields: ["impact"] });
    const few = await ask("get_rack", { code: "A08", fields: ["occupants.device_code"], max_items: 2 });

    expect(structuredContent).toEqual({ impact: expect.objectContaining({ devices_offline: 66, racks_partial: 19 }) });
    expect(Object.keys((few.structuredContent as { occupants: object[] }).occupants[0] ?? {})).toEqual(["device_code"]);
    expect(few.structuredContent?.["omitted"]).toEqual({ occupants: expect.any(Number) });
  });

  test("draws: SVG as text, PNG as an image", async () => {
    const subject = { subject_ref: "rack:A08" };
    const svg = await ask("render", subject);
    const png = await ask("render", { ...subject, render: { format: "RENDER_FORMAT_PNG", width_px: 400 } });

    expect(svg.content[0]?.text).toStartWith("<svg");
    expect(svg.structuredContent).toMatchObject({ media_type: "image/svg+xml", truncated: false });
    expect(png.content[0]).toMatchObject({ type: "image", mimeType: "image/png" });
    expect(png.structuredContent).toMatchObject({ media_type: "image/png", width_px: 400 });
  });

  test("leafs through a search", async () => {
    const first = (await ask("search_devices", { max_items: 3 })).structuredContent;
    const second = (await ask("search_devices", { max_items: 3, page_token: first?.["next_page_token"] }))
      .structuredContent;

    expect(first).toMatchObject({ total_count: 808, devices: [{}, {}, {}] });
    expect(second?.["devices"]).not.toEqual(first?.["devices"]);
  });

  test("says how many items a cut list leaves out, whatever fields are asked for", async () => {
    const search = await ask("search_devices", { page_size: 2, fields: ["devices.code"] });
    const blast = await ask("power_blast_radius", {
      source_ref: "device:UPS-A1",
      max_items: 5,
      fields: ["affected.code"],
    });

    expect(search.structuredContent).toMatchObject({ devices: [{}, {}], omitted: { devices: 806 } });
    expect(blast.structuredContent?.["omitted"]).toEqual({ affected: 81 });
  });

  test.each([
    ["get_rack", {}, 'Missing required parameter "code"'],
    ["get_rack", { cod: "A08" }, 'Unknown parameter "cod": did you mean "code"?'],
    ["get_rack", { code: "A08", max_items: 0 }, 'Wrong value 0 for "max_items": expected 1 to 1000'],
    ["get_rack", { code: "A08", fields: ["walls"] }, 'names "walls"'],
    ["get_rack", { code: 7 }, "Cannot read code: expected a text"],
    ["get_rack", { code: "NONE" }, 'Cannot find rack "NONE"'],
    [
      "search_devices",
      { filter: { kinds: ["SERVR"] } },
      'Cannot read filter.kinds[0] "SERVR": expected one of DEVICE_KIND_UNSPECIFIED, DEVICE_KIND_SERVER',
    ],
    ["power_blast_radius", { source_ref: "nothing" }, "source_ref"],
  ])("%s refuses %p and says why", async (name, args, why) => {
    const { content, isError } = await ask(name, args);

    expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining(why)]);
  });

  test("asks a running server in place of the database, with a token", async () => {
    const tokens = join(folder, "tokens.json");
    const made = await runCommand([...PLANNER, "dc", "token", "create", "agent", "--tokens", tokens], { cwd: folder });
    const server = await DcServer.start(folder, ["--tokens", tokens]);
    try {
      const answers = [];
      for (const token of [made.stdout.trim(), "wrong"]) {
        const remote = new Client(ME);
        const args = [...ARGS, "--url", server.url, "--token", token];
        await remote.connect(new StdioClientTransport({ command: PROGRAM, args, cwd: folder, stderr: "inherit" }));
        answers.push(await ask("get_device", { code: "SRV-B03-07" }, remote));
        await remote.close();
      }

      const [known, stranger] = answers;
      expect(known?.structuredContent).toEqual((await ask("get_device", { code: "SRV-B03-07" })).structuredContent);
      expect(stranger).toMatchObject({
        isError: true,
        content: [{ text: "Authorization holds an unknown token: expected one of the token file" }],
      });
    } finally {
      await server.end();
    }
  });

  test("greets before there is a database, and finds one that comes later", async () => {
    const empty = emptyFolder();
    const early = new Client(ME);
    await early.connect(new StdioClientTransport({ command: PROGRAM, args: ARGS, cwd: empty, stderr: "inherit" }));

    const before = await ask("search_devices", {}, early);
    await runCommand([...PLANNER, "dc", "sample", "--racks", "1", "--db", "planner-dc.sqlite"], { cwd: empty });
    const after = await ask("search_devices", {}, early);
    await early.close();

    expect(before).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("There is no database") }],
    });
    expect(after.structuredContent?.["total_count"]).toBeGreaterThan(0);
  });

  test("speaks the stateless revision", async () => {
    const modern = new StatelessClient(ME, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await modern.connect(new StatelessTransport({ command: PROGRAM, args: ARGS, cwd: folder, stderr: "inherit" }));

    const answer = (await modern.callTool({ name: "get_rack", arguments: { code: "A08" } })) as Result;

    expect(answer.structuredContent).toHaveProperty("capacity");
    await modern.close();
  });

  test("has schemas in which the inspector finds nothing wrong", async () => {
    const config = { mcpServers: { dc: { type: "stdio", command: PROGRAM, args: ARGS } } };
    writeFileSync(join(folder, "inspector.json"), JSON.stringify(config));
    const words = ["--cli", "--config", join(folder, "inspector.json"), "--server", "dc", "--cwd", folder];

    const { code, stdout } = await runCommand(["node", INSPECTOR, ...words, "--method", "tools/list", "--strict"], {
      cwd: folder,
      env: { HOME: folder, MCP_INSPECTOR_SECRET_STORE: "memory" },
    });

    expect(JSON.parse(stdout).tools.map(({ name }: { name: string }) => name)).toEqual(NAMES);
    expect(code).toBe(0);
  });
});
