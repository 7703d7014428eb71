import { defineCommand } from "../../command.ts";
import { SERVE_FLAGS } from "../../dc/serve/serve_flags.ts";
import { endProcess } from "../../exit_status.ts";

export const command = defineCommand({
  summary: "Serve a database on one port",
  details:
    "Answers gRPC, gRPC-Web, Connect JSON, GraphQL, the web console, health, metrics and the change history. Creates the " +
    "database if it does not exist. Finishes running calls at the first SIGTERM or Ctrl-C and exits at once at the second. " +
    "Settings also come from PLANNER_DC_ variables and --config.",
  positionals: {},
  flags: SERVE_FLAGS,
  examples: [
    { line: "planner dc serve", shows: "Serve ./planner-dc.sqlite on 127.0.0.1 port 8081" },
    { line: "planner dc serve --host 0.0.0.0 --tokens tokens.json", shows: "Serve other machines, by token" },
    { line: "planner dc serve --config dc.yaml --print-config", shows: "Show the settings and their origins" },
  ],
  async run(args, cli) {
    const { printSettings, serveSettings } = await import("../../dc/serve/settings.ts");
    const { serveOptions } = await import("../../dc/serve/serve_options.ts");
    const settings = await serveSettings(args, cli);
    const options = serveOptions(args, settings, cli);
    if (args["print-config"]) return void printSettings(settings, cli.cwd);
    const { serveDatacenter } = await import("../../dc/serve/serve.ts");
    // A connection to a database that hangs never closes, and would keep the process alive.
    return endProcess(await serveDatacenter(options, cli));
  },
});
