import { defineCommand } from "../../command.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";
import { DATABASE_FLAG, TOKEN_FLAG, URL_FLAG } from "../../dc/shared_flags.ts";
import { booleanFlag } from "../../flags.ts";

export const command = defineCommand({
  summary: "Serve the read tools to an agent (MCP)",
  details: "Serves the ten read tools over standard input and output, from a database or from a running server.",
  flags: {
    db: DATABASE_FLAG,
    url: { ...URL_FLAG, excludes: ["--db"] },
    token: { ...TOKEN_FLAG, needs: ["--url"] },
    planning: booleanFlag("Serve the planning tools as well"),
  },
  examples: [
    { line: "planner dc mcp --db /srv/planner-dc.sqlite", shows: "Answer from a database" },
    { line: "planner dc mcp --url https://dc.example:8081", shows: "Answer from a server, token in PLANNER_DC_TOKEN" },
  ],
  async run({ db, url, token, planning }, cli) {
    const { serveDcMcp } = await import("../../dc/mcp.ts");
    if (url === undefined) return serveDcMcp({ database: parseDatabaseLocation(db, cli.cwd), planning });
    const { resolveServerAddress } = await import("../../dc/server_address.ts");
    return serveDcMcp({ server: resolveServerAddress({ url, token }, cli.cwd), planning });
  },
});
