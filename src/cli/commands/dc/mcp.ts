import { defineCommand } from "../../command.ts";
import { databaseOf } from "../../dc/database.ts";
import { DATABASE_FLAG, TOKEN_FLAG, URL_FLAG } from "../../dc/shared_flags.ts";
import { usageError } from "../../usage_error.ts";

export const command = defineCommand({
  summary: "Serve the read tools to an agent (MCP)",
  details: "Serves the ten read tools over standard input and output, from a database or from a running server.",
  positionals: {},
  flags: {
    db: DATABASE_FLAG,
    url: URL_FLAG,
    token: TOKEN_FLAG,
    planning: { type: "boolean", summary: "Serve the planning tools as well" },
  },
  examples: [
    { line: "planner dc mcp --db /srv/planner-dc.sqlite", shows: "Answer from a database" },
    { line: "planner dc mcp --url https://dc.example:8081", shows: "Answer from a server, token in PLANNER_DC_TOKEN" },
  ],
  async run({ db, url, token, planning }, cli) {
    if (url !== undefined && db !== undefined) throw usageError("dc mcp", '"--url" and "--db" exclude each other');
    if (token !== undefined && url === undefined) throw usageError("dc mcp", 'Flag "--token" needs "--url"');
    const { serveDcMcp } = await import("../../dc/mcp.ts");
    if (url === undefined) return serveDcMcp({ database: databaseOf(db, cli.cwd), planning });
    const { serverAddress } = await import("../../dc/server_address.ts");
    return serveDcMcp({ server: serverAddress({ url, token }, cli.cwd), planning });
  },
});
