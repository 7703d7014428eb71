import { defineCommand } from "../command.ts";
import { RUN } from "../dc/actions.ts";
import { ACTIONS, DC_FLAGS, refuseForeignFlags, wordsAfter } from "../dc/words.ts";

export const command = defineCommand({
  summary: "Serve a datacenter's racks, devices, cooling and cables, and bring its data in and out",
  details:
    "serve answers gRPC, gRPC-Web, Connect JSON, health, metrics and the change history on one port, from a database in " +
    "one file that is created when it is not there. The first SIGTERM or Ctrl-C lets running calls end, the second one " +
    "ends at once. import and export use JSON Lines or CSV. sample makes a site to try things on. render draws a " +
    "rack, floor, cable path, power failure, heat or fabric from the database. call asks a running server. audit verify checks the change log, audit history prints it; audit dead-letters lists what change feeds sent and nobody understood. migrate status|apply brings a database's schema " +
    "up to date. token create|list|revoke keeps the tokens of a token file. mcp serves the questions to an agent over " +
    "standard input and output. docs/datacenter.md tells the whole.",
  positionals: {
    action: { summary: "What to do", required: true, options: ACTIONS },
    words: {
      summary:
        "import: files, folders of CSV files, or - for standard input; export: a file or a folder; render: rack, floor, " +
        "power, cable, thermal or fabric and a reference such as rack:A01; call: an RPC and its " +
        "request as JSON, or - for standard input; audit: verify, history with name=value filters, dead-letters, or replay or drop with ids; migrate: status or " +
        "apply; token: create <name>, list or revoke <name>",
      required: false,
      completes: "file",
      following: wordsAfter,
      repeats: true,
    },
  },
  flags: DC_FLAGS,
  examples: [
    { line: "planner dc sample | planner dc import -", shows: "Fill ./planner-dc.sqlite with the sample site" },
    { line: "planner dc serve", shows: "Serve ./planner-dc.sqlite on 127.0.0.1 port 8081" },
    { line: "planner dc token create anna --role writer --tokens tokens.json", shows: "Make and print a token" },
    { line: "planner dc serve --host 0.0.0.0 --tokens tokens.json", shows: "Serve others, by token" },
    {
      line: "planner dc import site.jsonl --errors wrong.jsonl",
      shows: "Bring a file in; what is wrong goes to wrong.jsonl",
    },
    { line: "planner dc render rack rack:A01 -o a01.svg", shows: "Draw a rack; .png, .html and .dot work as well" },
    { line: "planner dc export backup.jsonl", shows: "Write everything as JSON Lines" },
    { line: "planner dc export --format csv tables", shows: "Write one CSV per kind into a folder" },
    { line: 'planner dc call GetRack \'{"code": "A01"}\'', shows: "Ask a running server" },
    { line: "planner dc audit history entity=device:SRV-A01-01", shows: "Who changed this device, and how" },
  ],
  run({ action, ...words }, cli) {
    refuseForeignFlags(action, words);
    return RUN[action](words, cli);
  },
});
