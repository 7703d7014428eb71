import { resolve } from "node:path";
import { defineCommand } from "../../command.ts";
import { databaseOf } from "../../dc/database.ts";
import { RENDER_FLAGS } from "../../dc/render_flags.ts";
import { DATABASE_FLAG } from "../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Rank what every single failure would do",
  details:
    "Fails each supply element, cooling unit and switch in turn and prints the causes of loss, the worst first. Causes with " +
    "the same effect share a line. Overloaded sources trip unless --no-cascade is given. Severities: docs/rehearsal.md.",
  positionals: {
    scope: { summary: "Where elements fail, such as row:AMS1/1/D or B03 (default: everywhere)", required: false },
  },
  flags: {
    db: DATABASE_FLAG,
    kind: {
      type: "enum",
      options: ["power", "outlet", "cooling", "switch"],
      multiple: true,
      summary: "Fail these",
    },
    pairs: { type: "boolean", summary: "Fail pairs; list those worse than each alone" },
    "no-cascade": { type: "boolean", summary: "Trip no overloaded source" },
    battery: { type: "boolean", summary: "Count what a UPS carries on battery as supplied" },
    basis: { type: "enum", options: ["allocated", "measured", "max"], summary: "Load (allocated)" },
    "min-severity": {
      type: "enum",
      options: ["info", "low", "medium", "high", "critical"],
      summary: "Minimum severity (info)",
    },
    limit: { type: "integer", value: "count", least: 1, summary: "Maximum number of causes (default: all)" },
    elements: {
      type: "integer",
      value: "count",
      least: 1,
      summary: "Elements and losses listed per cause, to 1000 (10)",
    },
    json: { type: "boolean", summary: "Print the reply as JSON" },
    csv: { type: "boolean", summary: "Print causes as CSV" },
    picture: {
      type: "string",
      value: "file",
      completes: "file",
      summary: "Draw the first cause: .svg, .png, .html or .dot",
    },
    theme: RENDER_FLAGS.theme,
  },
  joined: [{ flags: ["json", "csv"], summary: "Print the reply as JSON, or the causes as CSV" }],
  examples: [
    { line: "planner dc rehearse", shows: "Rank all single failures" },
    { line: "planner dc rehearse row:AMS1/1/D --min-severity high", shows: "List severe causes in a row" },
    { line: "planner dc rehearse --kind power --pairs", shows: "Fail two supply elements at a time" },
    { line: "planner dc rehearse --limit 1 --picture worst.svg", shows: "Draw the worst failure" },
  ],
  async run({ db, picture, ...asked }, cli) {
    const { rehearse } = await import("../../dc/rehearse.ts");
    const path = picture === undefined ? undefined : resolve(cli.cwd, picture);
    await rehearse(databaseOf(db, cli.cwd), { ...asked, picture: path }, cli);
  },
});
