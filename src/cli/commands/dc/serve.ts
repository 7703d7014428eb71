import { defineCommand } from "../../command.ts";
import { JOINED_SERVE_FLAGS, SERVE_FLAGS } from "../../dc/serve/serve_flags.ts";
import { endProcess } from "../../exit_status.ts";

export const command = defineCommand({
  meta: { name: "dc serve", description: "Serve a database on one port" },
  details:
    "Serves gRPC, gRPC-Web, Connect JSON, GraphQL, the web console, health, metrics and the change history. Creates a " +
    "missing database. A first SIGTERM or Ctrl-C finishes running calls. docs/datacenter.md lists settings in files.",
  args: SERVE_FLAGS,
  joined: JOINED_SERVE_FLAGS,
  checksRules: true,
  examples: {
    "planner dc serve": "Serve planner-dc.sqlite",
    "planner dc serve --host 0.0.0.0 --tokens tokens.json": "Serve other machines",
    "planner dc serve --config dc.yaml --print-config": "Print the settings",
  },
  async run({ args, cli }) {
    const { printSettings, readServeSettings } = await import("../../dc/serve/settings.ts");
    const { buildServeOptions } = await import("../../dc/serve/settings.ts");
    const settings = await readServeSettings(args, cli);
    const options = buildServeOptions(args, settings, cli);
    if (args["print-config"]) return void printSettings(settings, cli.cwd);
    const { serveDatacenter } = await import("../../dc/serve/serve.ts");
    // A hanging connection to a database never closes and would keep the process running.
    return endProcess(await serveDatacenter(options, cli));
  },
});
