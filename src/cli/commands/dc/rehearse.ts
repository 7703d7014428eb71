import { resolve } from "node:path";
import { RehearseFailures } from "#gen/datacenter/v1/questions.ts";
import { booleanFlag, fileFlag, integerFlag, optionalArgument } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import {
  DATABASE_FLAG,
  DURING_WINDOW_FLAG,
  deriveRequestFlags,
  LOAD_BASIS_FLAG,
  MAX_AGE_FLAG,
  RENDER_FLAGS,
} from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";

const REQUEST_FLAGS = deriveRequestFlags(RehearseFailures, {
  kind: { field: "kinds", description: "Fail these" },
  pairs: { field: "pairs", description: "Fail pairs; list those worse than each alone" },
  "no-cascade": { field: "cascade", clears: true, description: "Trip no overloaded source" },
  battery: { field: "assume_battery", description: "Count what a UPS carries on battery as supplied" },
  basis: LOAD_BASIS_FLAG,
  "max-age": MAX_AGE_FLAG,
  during: DURING_WINDOW_FLAG,
  "min-severity": { field: "min_severity", description: "Minimum severity (info)" },
  elements: {
    field: "max_elements",
    valueHint: "count",
    description: "Elements and losses listed per cause, to 1000 (10)",
  },
});

const { elements, ...FIRST_FLAGS } = REQUEST_FLAGS.flags;

export const command = defineCommand({
  meta: { name: "dc rehearse", description: "Rank what every single failure would do" },
  details:
    "Fails supplies, cooling units and switches in turn, or what --kind names, and prints the causes of loss, the worst " +
    "first. Overloaded sources trip unless --no-cascade is given. Severities: docs/rehearsal.md.",
  args: {
    scope: optionalArgument("Where elements fail, such as row:AMS1/1/D or B03 (default: everywhere)"),
    db: DATABASE_FLAG,
    ...FIRST_FLAGS,
    limit: integerFlag(1, "Maximum number of causes (default: all)", { valueHint: "count" }),
    elements,
    json: booleanFlag("Print the reply as JSON"),
    csv: booleanFlag("Print causes as CSV", { excludes: ["--json"] }),
    picture: fileFlag("Draw the first cause: .svg, .png, .html or .dot"),
    theme: RENDER_FLAGS.theme,
  },
  joined: [{ flags: ["json", "csv"], summary: "Print the reply as JSON, or the causes as CSV" }],
  examples: {
    "planner dc rehearse row:AMS1/1/D --min-severity high": "List severe causes in a row",
    "planner dc rehearse --kind power --pairs": "Fail two supply elements at a time",
  },
  async run({ args: { db, scope, picture, theme, limit, json, csv, ...words }, cli }) {
    const { printRehearsal } = await import("../../dc/rehearse.ts");
    const path = picture === undefined ? undefined : resolve(cli.cwd, picture);
    const request = REQUEST_FLAGS.buildRequest(words);
    await printRehearsal(
      parseDatabaseLocation(db, cli.cwd),
      { scope, request, limit, json, csv, theme, picture: path },
      cli,
    );
  },
});
