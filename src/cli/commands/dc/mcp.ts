import { describeDcServer } from "#interfaces/dc_mcp/server_words.ts";
import type { DcBackend } from "#interfaces/dc_mcp/service_backend.ts";
import { SYSTEM_CLOCK } from "#kernel/clock.ts";
import { booleanFlag } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { DATABASE_FLAG, TOKEN_FLAG, URL_FLAG } from "../../dc/asked_flags.ts";
import { type DatabaseLocation, parseDatabaseLocation, requireDatabase } from "../../dc/database.ts";
import type { ServerAddress } from "../../dc/server_address.ts";
import { serveStdio } from "../../serve_stdio.ts";

export const command = defineCommand({
  meta: { name: "dc mcp", description: "Serve the read tools to an agent (MCP)" },
  details: "Serves the ten read tools over standard input and output, from a database or from a running server.",
  args: {
    db: DATABASE_FLAG,
    url: { ...URL_FLAG, excludes: ["--db"] },
    token: { ...TOKEN_FLAG, needs: ["--url"] },
    planning: booleanFlag("Serve the planning tools as well"),
  },
  examples: {
    "planner dc mcp --db /srv/planner-dc.sqlite": "Answer from a database",
    "planner dc mcp --url https://dc.example:8081": "Answer from a server, token in PLANNER_DC_TOKEN",
  },
  isServedAtOnce: true,
  async run({ args: { db, url, token, planning }, cli }) {
    if (url === undefined) return serveDcMcp({ database: parseDatabaseLocation(db, cli.cwd), planning });
    const { resolveServerAddress } = await import("../../dc/server_address.ts");
    return serveDcMcp({ server: resolveServerAddress({ url, token }, cli.cwd), planning });
  },
});

/** Database or running server from which `planner dc mcp` answers, and its set of tools. */
type DcMcpOptions = ({ readonly database: DatabaseLocation } | { readonly server: ServerAddress }) & {
  /** True to serve the planning tools too. */
  readonly planning?: boolean;
};

/** Serves tools until standard input ends, then ends the process. The first call opens the database. */
function serveDcMcp(options: DcMcpOptions): Promise<never> {
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
    import("#dc/service.ts"),
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
