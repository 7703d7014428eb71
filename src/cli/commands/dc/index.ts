import { defineFamily, lazy } from "../../command.ts";

/** The commands of `planner dc`. To add one, write a file that exports `command` and add a row here. */
export const command = defineFamily({
  meta: { name: "dc" },
  details:
    "Commands work on ./planner-dc.sqlite, the database that --db names, or with --url on a running server. See " +
    "docs/datacenter.md.",
  subCommands: {
    serve: lazy("Serve a database on one port", () => import("./serve.ts")),
    import: lazy("Import files, or another program's data", () => import("./import.ts")),
    export: lazy("Write all resources as JSON Lines or CSV", () => import("./export.ts")),
    add: lazy("Add a device, built to its type", () => import("./devices.ts"), "add"),
    types: lazy("Import and list types of devices", () => import("./devices.ts"), "types"),
    list: lazy("List racks, devices and other things", () => import("./list.ts"), "list"),
    show: lazy("Show what is known of one thing", () => import("./list.ts"), "show"),
    sample: lazy("Write or load a sample site", () => import("./sample.ts")),
    render: lazy("Draw a picture without a server", () => import("./render.ts")),
    rehearse: lazy("Rank what every single failure would do", () => import("./analyses.ts"), "rehearse"),
    capacity: lazy("Show what is left, now and after one failure", () => import("./analyses.ts"), "capacity"),
    window: lazy("Ask whether elements may be switched off", () => import("./window.ts")),
    readings: lazy("Check a file of queries for readings", () => import("./readings.ts")),
    place: lazy("Find where equal devices fit", () => import("./analyses.ts"), "place"),
    call: lazy("Call an RPC of a running server", () => import("./call.ts")),
    audit: lazy("Verify and read the change log", () => import("./audit.ts")),
    notices: lazy("List, test and resend notices", () => import("./notices.ts")),
    backup: lazy("Copy a database, also while it is served", () => import("./database.ts"), "backup"),
    restore: lazy("Replace a database by a backup", () => import("./database.ts"), "restore"),
    migrate: lazy("Show or update a database's schema", () => import("./database.ts"), "migrate"),
    doctor: lazy("Check a database and its machine", () => import("./database.ts"), "doctor"),
    token: lazy("Create, list and revoke tokens", () => import("./token.ts")),
    mcp: lazy("Serve the read tools to an agent (MCP)", () => import("./mcp.ts")),
  },
  examples: {
    "planner dc sample --db planner-dc.sqlite": "Load the sample site",
    "planner dc serve": "Serve ./planner-dc.sqlite on http://127.0.0.1:8081",
  },
});
