import { resolve } from "node:path";
import { CheckWindow, ListWindows } from "#gen/datacenter/v1/questions.ts";
import { booleanFlag, enumFlag, optionalArgument, requiredArgument, textFlag } from "../../args.ts";
import { defineCommand, defineFamily } from "../../command.ts";
import {
  DATABASE_FLAG,
  deriveRequestFlags,
  LOAD_BASIS_FLAG,
  MAX_AGE_FLAG,
  WINDOW_ELEMENTS_ARGUMENT,
  WINDOW_FLAGS,
} from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";
import { assertOutputIsNoTerminal } from "../../usage_error.ts";

const CHECK_FLAGS = deriveRequestFlags(CheckWindow, {
  "exposed-racks": {
    field: "exposed_racks",
    valueHint: "count",
    least: 0,
    description: "Racks that one more failure may take without being a risk (1)",
  },
  basis: LOAD_BASIS_FLAG,
  "max-age": MAX_AGE_FLAG,
});

const LIST_FLAGS = deriveRequestFlags(ListWindows, {
  state: { field: "states", description: "Windows in this state" },
  verdict: { field: "verdicts", description: "Windows with this verdict" },
});

export const command = defineFamily({
  meta: { name: "dc window" },
  details: "A maintenance window takes elements out of service for a time. Rules: docs/windows.md.",
  subCommands: {
    add: defineCommand({
      meta: { name: "dc window add", description: "Store a window" },
      details: "Refused if there is one with this code. Prints the verdict. Rules: docs/windows.md.",
      args: {
        code: requiredArgument("Code of the window"),
        elements: WINDOW_ELEMENTS_ARGUMENT,
        db: DATABASE_FLAG,
        ...WINDOW_FLAGS,
        title: textFlag("text", "What is done"),
        notes: textFlag("text", "What people have to know"),
        owner: textFlag("name", "Who does it"),
        contact: textFlag("text", "How to reach them"),
      },
      examples: {
        'planner dc window add MW-1 PDU-A01-B --from "2099-11-28 20:00" --for 2h --title "Replace a PDU"':
          "Plan the replacement of a PDU",
      },
      async run({ args: { db, ...asked }, cli }) {
        const { addWindow } = await import("../../dc/stored_windows.ts");
        await addWindow(parseDatabaseLocation(db, cli.cwd), asked, cli);
      },
    }),
    begin: defineStateCommand(
      "begin",
      "BEGUN",
      "Say that a window has begun",
      "Its elements are out from now on. Refused before its start.",
    ),
    cancel: defineStateCommand(
      "cancel",
      "CANCELLED",
      "Call a window off",
      "The window stays in the list, and counts for no other window any more.",
    ),
    check: defineCommand({
      meta: { name: "dc window check", description: "Ask whether elements may be switched off" },
      details:
        "Prints the verdict on a maintenance window, its reasons, the worst further failures and whom to tell. Exits with 0 for " +
        "GO, 1 for NO_GO and 3 for GO_WITH_RISK and UNKNOWN. Rules: docs/windows.md.",
      args: {
        elements: WINDOW_ELEMENTS_ARGUMENT,
        db: DATABASE_FLAG,
        ...WINDOW_FLAGS,
        ...CHECK_FLAGS.flags,
        json: booleanFlag("Print the reply as JSON"),
      },
      examples: {
        "planner dc window check PDU-A01-B --for 2h": "Ask whether a PDU may be replaced now",
        'planner dc window check UPS-B1 --from "2099-11-28 20:00" --for 8h --time-zone Europe/Amsterdam':
          "Ask about a Saturday evening",
        "planner dc window check PDU-A01-A --for 2h --accept role:mgmt-switch": "Accept what is known to go off",
      },
      async run({ args: { db, ...asked }, cli }) {
        const { printWindowVerdict } = await import("../../dc/window.ts");
        return printWindowVerdict(
          parseDatabaseLocation(db, cli.cwd),
          { ...asked, request: CHECK_FLAGS.buildRequest(asked) },
          cli,
        );
      },
    }),
    done: defineStateCommand(
      "done",
      "DONE",
      "Say that all is back",
      "The window counts for no other window any more. Refused before its start.",
    ),
    export: defineCommand({
      meta: { name: "dc window export", description: "Write windows as an iCalendar file or JSON Lines" },
      details:
        "The calendar is what the server answers at /windows.ics. JSON Lines have every window as it is stored, for a copy of a site " +
        "whose resources `planner dc export` writes. Rules: docs/windows.md.",
      args: {
        output: optionalArgument("A file (default: standard output)", { completes: "file" }),
        db: DATABASE_FLAG,
        format: enumFlag(["ics", "jsonl"], "Format (by the name of the file, else ics)"),
      },
      examples: {
        "planner dc window export windows.ics": "Write a calendar of all windows",
        "planner dc window export windows.jsonl": "Write all windows for a copy of the site",
      },
      async run({ args: { output, db, format }, cli }) {
        assertOutputIsNoTerminal(output, "a file, or -");
        const target = output === undefined || output === "-" ? undefined : resolve(cli.cwd, output);
        const { exportCalendar, exportWindowLines } = await import("../../dc/window_files.ts");
        const write = (format ?? output?.split(".").at(-1)) === "jsonl" ? exportWindowLines : exportCalendar;
        await write(parseDatabaseLocation(db, cli.cwd), target, cli);
      },
    }),
    import: defineCommand({
      meta: { name: "dc window import", description: "Store the windows of an iCalendar file or of JSON Lines" },
      details:
        "An event whose UID is known changes its window, unless its SEQUENCE is lower. Elements are those of X-MAINTNOTE-OBJECT-ID. " +
        "JSON Lines of an export are stored whole or not at all. An event that cannot be stored is reported with its line. Rules: docs/windows.md.",
      args: {
        file: requiredArgument("The file, or - for standard input", { completes: "file" }),
        db: DATABASE_FLAG,
        element: textFlag("ref", "What is out in events that name nothing", { multiple: true }),
        "time-zone": textFlag("name", "Zone of days and of times without one (the site's)"),
        "dry-run": booleanFlag("Check everything and store nothing"),
      },
      examples: {
        "planner dc window import isp.ics": "Store what a circuit provider announces",
        "planner dc window import isp.ics --element CABLE-7 --dry-run": "Try it for events that name nothing",
      },
      async run({ args: { db, ...asked }, cli }) {
        const { importCalendar } = await import("../../dc/window_files.ts");
        return importCalendar(parseDatabaseLocation(db, cli.cwd), asked, cli);
      },
    }),
    list: defineCommand({
      meta: { name: "dc window list", description: "List windows with their verdicts" },
      details: "In the order of their begin. Rules: docs/windows.md.",
      args: {
        db: DATABASE_FLAG,
        element: textFlag("ref", "Windows that take this out, itself or with what holds it"),
        ...LIST_FLAGS.flags,
        "time-zone": textFlag("name", "Zone of the times (the site's)"),
        json: booleanFlag("Print the reply as JSON"),
      },
      examples: {
        "planner dc window list --state planned --state begun": "List what is open",
        "planner dc window list --element PDU-A01-B": "List what takes a PDU out",
      },
      async run({ args: { db, ...asked }, cli }) {
        const { printWindows } = await import("../../dc/stored_windows.ts");
        await printWindows(
          parseDatabaseLocation(db, cli.cwd),
          { ...asked, request: LIST_FLAGS.buildRequest(asked) },
          cli,
        );
      },
    }),
    notify: defineCommand({
      meta: { name: "dc window notify", description: "Print a mail for each contact" },
      details:
        "One text for each tenant and contact whose devices go off or depend on their last supply. Sends nothing. Rules: docs/windows.md.",
      args: {
        code: requiredArgument("Code of the window"),
        db: DATABASE_FLAG,
        json: booleanFlag("Print the notices as JSON"),
      },
      examples: { "planner dc window notify MW-1": "Print whom to tell what" },
      async run({ args: { db, ...asked }, cli }) {
        const { printWindowNotices } = await import("../../dc/stored_windows.ts");
        await printWindowNotices(parseDatabaseLocation(db, cli.cwd), asked, cli);
      },
    }),
    sheet: defineCommand({
      meta: { name: "dc window sheet", description: "Print a run sheet" },
      details:
        "What to look at before, what goes off, whom to tell, the steps, and how to come back, in the zone of the site. Rules: docs/windows.md.",
      args: {
        code: requiredArgument("Code of the window"),
        db: DATABASE_FLAG,
        format: enumFlag(["text", "html"], "Format: html is a page for a printer (text)"),
      },
      examples: {
        "planner dc window sheet MW-1": "Print what to do",
        "planner dc window sheet MW-1 --format html > MW-1.html": "Make a page for a printer",
      },
      async run({ args: { db, code, format = "text" }, cli }) {
        const { printWindowSheet } = await import("../../dc/stored_windows.ts");
        await printWindowSheet(parseDatabaseLocation(db, cli.cwd), code, format);
      },
    }),
    show: defineCommand({
      meta: { name: "dc window show", description: "Print a window with its verdict" },
      details: "Windows that are planned or begun at the same time count. Rules: docs/windows.md.",
      args: {
        code: requiredArgument("Code of the window"),
        db: DATABASE_FLAG,
        "time-zone": textFlag("name", "Zone of the times (the site's)"),
        json: booleanFlag("Print the reply as JSON"),
      },
      examples: { "planner dc window show MW-1": "Print a window and what it does" },
      async run({ args: { db, ...asked }, cli }) {
        const { printWindow } = await import("../../dc/stored_windows.ts");
        await printWindow(parseDatabaseLocation(db, cli.cwd), asked, cli);
      },
    }),
  },
  examples: { "planner dc window check PDU-A01-B --for 2h": "Ask whether a PDU may be replaced now" },
});

/** Defines a command that sets the state of a window. */
function defineStateCommand(name: string, state: "BEGUN" | "CANCELLED" | "DONE", summary: string, details: string) {
  return defineCommand({
    meta: { name: `dc window ${name}`, description: summary },
    details,
    args: { code: requiredArgument("Code of the window"), db: DATABASE_FLAG },
    examples: { [`planner dc window ${name} MW-1`]: summary },
    async run({ args: { db, code }, cli }) {
      const { setWindowState } = await import("../../dc/stored_windows.ts");
      await setWindowState(parseDatabaseLocation(db, cli.cwd), code, state);
    },
  });
}
