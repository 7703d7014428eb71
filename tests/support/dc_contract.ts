import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DcServer, emptyFolder, sampleDatabase } from "./dc_server.ts";
import { http1 } from "./http_client.ts";
import { PLANNER, runCommand } from "./planner_command.ts";

const FEED_SECRET = "secret-of-the-change-feed";
const SERVICE = "datacenter.v1.DatacenterService";

/** The RPCs that the contract names. Source: docs/contract/datacenter-interfaces.md#rpcs. */
export const RPCS = [
  ...["PowerBlastRadius", "TraceCablePath", "GetRack", "ThermalHeadroom", "FabricTopology", "FloorPlan"],
  ...["SearchDevices", "GetDevice", "GetPort", "Render"],
  ...["UpsertDevice", "DeleteDevice", "UpsertRack", "DeleteRack", "UpsertCrac", "DeleteCrac"],
  ...["BulkUpsertDevices", "BulkDeleteDevices", "BulkUpsertRacks", "BulkDeleteRacks"],
  ...["BulkUpsertCracs", "BulkDeleteCracs", "UpsertCable", "DeleteCable", "UpsertFabricLink", "DeleteFabricLink"],
] as const;

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  readonly body: any;
}

/** Calls a server as any HTTP client does. */
export class RestClient {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, token?: string) {
    this.#url = url;
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  async #ask(method: string, path: string, body?: object): Promise<Reply> {
    const headers = { "content-type": "application/json", ...this.#headers };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await http1(`${this.#url}${path}`, { method, headers, ...text });
    return { status: answer.status, body: answer.text.startsWith("{") ? JSON.parse(answer.text) : answer.text };
  }

  rpc(name: string, request: object): Promise<Reply> {
    return this.#ask("POST", `/${SERVICE}/${name}`, request);
  }

  graphql(query: string, variables: object = {}): Promise<Reply> {
    return this.#ask("POST", "/graphql", { query, variables });
  }

  get(path: string): Promise<Reply> {
    return this.#ask("GET", path);
  }

  post(path: string, body: object): Promise<Reply> {
    return this.#ask("POST", path, body);
  }
}

export async function sampleServer(): Promise<{ readonly server: DcServer; readonly folder: string }> {
  const folder = emptyFolder();
  await sampleDatabase(folder);
  return { server: await DcServer.start(folder), folder };
}

/** Starts a server that requires tokens; returns clients without a token, with a wrong one, of a reader, a writer and a change feed. */
export async function guardedServer() {
  const folder = emptyFolder();
  const create = async (name: string, role: string) => {
    const words = ["dc", "token", "create", name, "--role", role, "--tokens", "tokens.json"];
    return (await runCommand([...PLANNER, ...words], { cwd: folder })).stdout.trim();
  };
  const [reader, writer] = [await create("rita", "reader"), await create("walt", "writer")];
  writeFileSync(join(folder, "feed.txt"), `${FEED_SECRET}\n`);
  const flags = ["--tokens", "tokens.json", "--webhook-secret-file", "feed.txt"];
  const server = await DcServer.start(folder, flags);
  return {
    server,
    anonymous: new RestClient(server.url),
    stranger: new RestClient(server.url, "guess"),
    reader: new RestClient(server.url, reader),
    writer: new RestClient(server.url, writer),
    feed: new RestClient(server.url, FEED_SECRET),
  };
}
