import type { DcBackend } from "#interfaces/dc_mcp/backend.ts";
import { describeDcServer } from "#interfaces/dc_mcp/server_words.ts";
import { SYSTEM_CLOCK } from "#kernel/clock.ts";
import { serveStdio } from "../serve_stdio.ts";
import { type DatabaseLocation, parseDatabaseLocation, requireDatabase } from "./database.ts";
import type { ServerAddress } from "./server_client.ts";

/** Database or running server from which `planner dc mcp` answers, and its set of tools. */
export type DcMcpOptions = ({ readonly database: DatabaseLocation } | { readonly server: ServerAddress }) & {
  /** True to serve the planning tools too. */
  readonly planning?: boolean;
};

/** Parses the arguments of `planner dc mcp` if they are none or one `--db` with a path; otherwise returns undefined. */
export function parseSimpleDcMcpArguments(words: readonly string[], cwd: string): DcMcpOptions | undefined {
  const [first = "", second] = words;
  const given = words.length === 1 ? /^--db=(.+)/.exec(first)?.[1] : first === "--db" ? second : undefined;
  const isPlain = words.length === 0 || (words.length <= 2 && given !== undefined && !/^-|:\/\//.test(given));
  return isPlain ? { database: parseDatabaseLocation(given, cwd) } : undefined;
}

/** Serves tools until standard input ends, then ends the process. The first call opens the database. */
export function serveDcMcp(options: DcMcpOptions): Promise<never> {
  return serveStdio({
    ...describeDcServer(options.planning),
    loadTools: async () => {
      const { createDcTools } = await import("#interfaces/dc_mcp/tool_set.ts");
      return createDcTools(() => openBackend(options), options.planning);
    },
  });
}

async function openBackend(options: DcMcpOptions): Promise<DcBackend> {
  if ("database" in options) return openDatabaseBackend(options.database);
  const { createRemoteBackend } = await import("#interfaces/dc_mcp/remote_backend.ts");
  return createRemoteBackend(options.server);
}

async function openDatabaseBackend(database: DatabaseLocation): Promise<DcBackend> {
  requireDatabase(database);
  const [{ openService }, { createServiceBackend: serviceBackend }, { Rasterizer }, { loadPage }] = await Promise.all([
    import("#dc/open_service.ts"),
    import("#interfaces/dc_mcp/service_backend.ts"),
    import("#runtime/rasterizer.ts"),
    import("#runtime/pages.ts"),
  ]);
  const rasterizer = new Rasterizer();
  const service = await openService(await database.open(), {
    clock: SYSTEM_CLOCK,
    authRequired: false,
    rasterize: (svg, widthPx) => rasterizer.renderPng(svg, widthPx),
    loadViewer: () => loadPage("picture_file"),
  });
  return serviceBackend(service);
}
