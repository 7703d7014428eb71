import { resolve } from "node:path";
import { defineCommand } from "../../command.ts";
import { databaseOf } from "../../dc/database.ts";
import { DATABASE_FLAG } from "../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Rank what every single failure would do",
  details:
    "Fails each supply element, cooling unit and switch in turn and prints the causes of loss, the worst first. Causes that " +
    "do the same are one line. Overloaded sources trip unless --no-cascade is given. docs/rehearsal.md explains severities.",
  positionals: {
    scope: { summary: "Where elements fail, such as row:AMS1/1/D (default: everywhere)", required: false },
  },
  flags: {
    db: DATABASE_FLAG,
    kind: {
      type: "enum",
      options: ["power", "outlet", "cooling", "switch"],
      multiple: true,
      summary: "Kind of elements that fail (default: all)",
    },
    pairs: { type: "boolean", summary: "Fail two elements at a time, and list pairs worse than both apart" },
    "no-cascade": { type: "boolean", summary: "Trip nothing" },
    battery: { type: "boolean", summary: "Count what a UPS carries on battery as supplied" },
    basis: { type: "enum", options: ["allocated", "measured", "max"], summary: "Draw that counts as load (allocated)" },
    "min-severity": {
      type: "enum",
      options: ["info", "low", "medium", "high", "critical"],
      summary: "Leave out causes below this severity (info)",
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
      summary: "Draw what the first cause takes along: .svg, .png, .html or .dot",
    },
  },
  examples: [
    { line: "planner dc rehearse", shows: "Rank all single failures" },
    { line: "planner dc rehearse row:AMS1/1/D --min-severity high", shows: "List elements of a row that darken racks" },
    { line: "planner dc rehearse --kind power --pairs", shows: "Fail two supply elements at a time" },
    { line: "planner dc rehearse --limit 1 --picture worst.svg", shows: "Draw the worst failure" },
  ],
  async run({ db, picture, ...asked }, cli) {
    const { rehearse } = await import("../../dc/rehearse.ts");
    const path = picture === undefined ? undefined : resolve(cli.cwd, picture);
    await rehearse(databaseOf(db, cli.cwd), { ...asked, picture: path }, cli);
  },
});
