import type { CommandFamily } from "../../commands.ts";

/** The commands of `planner dc`. To add one, write a file that exports `command` and add a row here. */
export const family: CommandFamily = {
  details:
    "Commands work on ./planner-dc.sqlite, the database that --db names, or with --url on a running server. See " +
    "docs/datacenter.md.",
  commands: {
    serve: { summary: "Serve a database on one port", load: () => import("./serve.ts") },
    import: { summary: "Import files, or another program's data", load: () => import("./import.ts") },
    export: { summary: "Write all resources as JSON Lines or CSV", load: () => import("./export.ts") },
    add: { summary: "Add a device, built to its type", family: () => import("./add.ts") },
    types: { summary: "Import and list types of devices", family: () => import("./types.ts") },
    list: { summary: "List racks, devices and other things", load: () => import("./list.ts") },
    show: { summary: "Show what is known of one thing", load: () => import("./show.ts") },
    sample: { summary: "Write or load a sample site", load: () => import("./sample.ts") },
    render: { summary: "Draw a picture without a server", load: () => import("./render.ts") },
    rehearse: { summary: "Rank what every single failure would do", load: () => import("./rehearse.ts") },
    capacity: { summary: "Show what is left, now and after one failure", load: () => import("./capacity.ts") },
    window: { summary: "Ask whether elements may be switched off", family: () => import("./window.ts") },
    readings: { summary: "Check a file of queries for readings", family: () => import("./readings.ts") },
    place: { summary: "Find where equal devices fit", load: () => import("./place.ts") },
    call: { summary: "Call an RPC of a running server", load: () => import("./call.ts") },
    audit: { summary: "Verify and read the change log", family: () => import("./audit.ts") },
    notices: { summary: "List, test and resend notices", family: () => import("./notices.ts") },
    backup: { summary: "Copy a database, also while it is served", load: () => import("./backup.ts") },
    restore: { summary: "Replace a database by a backup", load: () => import("./restore.ts") },
    migrate: { summary: "Show or update a database's schema", family: () => import("./migrate.ts") },
    doctor: { summary: "Check a database and its machine", load: () => import("./doctor.ts") },
    token: { summary: "Create, list and revoke tokens", family: () => import("./token.ts") },
    mcp: { summary: "Serve the read tools to an agent (MCP)", load: () => import("./mcp.ts") },
  },
  examples: [
    { line: "planner dc sample --db planner-dc.sqlite", shows: "Load the sample site" },
    { line: "planner dc serve", shows: "Serve ./planner-dc.sqlite on http://127.0.0.1:8081" },
  ],
};
