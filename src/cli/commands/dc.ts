import { defineCommand } from "../command.ts";
import { RUN } from "../dc/actions.ts";
import { ACTIONS, DC_FLAGS, refuseForeignFlags } from "../dc/words.ts";

export const command = defineCommand({
  summary: "Serve a datacenter's racks, devices, cooling and cables, and bring its data in and out",
  details:
    "serve answers gRPC, gRPC-Web, Connect JSON, health, metrics and the change history on one port, from a database in " +
    "one file that is created when it is not there. The first SIGTERM or Ctrl-C lets running calls end, the second one " +
    "ends at once. import and export use JSON Lines. sample makes a site to try things on. token create|list|revoke " +
    "keeps the tokens of a token file. docs/datacenter.md tells the whole.",
  positionals: {
    action: { summary: "What to do", required: true, options: ACTIONS },
    words: {
      summary: "import: a file, or - for standard input; export: a file; token: create <name>, list or revoke <name>",
      required: false,
      completes: "file",
      repeats: true,
    },
  },
  flags: DC_FLAGS,
  examples: [
    { line: "planner dc sample | planner dc import -", shows: "Fill ./planner-dc.sqlite with the sample site" },
    { line: "planner dc serve", shows: "Serve ./planner-dc.sqlite on 127.0.0.1 port 8081" },
    { line: "planner dc token create anna --role writer --tokens tokens.json", shows: "Make and print a token" },
    { line: "planner dc serve --host 0.0.0.0 --tokens tokens.json", shows: "Serve others, by token" },
    { line: "planner dc export backup.jsonl", shows: "Write everything as JSON Lines" },
  ],
  run({ action, ...words }, cli) {
    refuseForeignFlags(action, words);
    return RUN[action](words, cli);
  },
});
