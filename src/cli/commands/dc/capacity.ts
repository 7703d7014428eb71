import { GetCapacity } from "#gen/datacenter/v1/questions.ts";
import { booleanFlag, optionalArgument } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import {
  DATABASE_FLAG,
  DURING_WINDOW_FLAG,
  deriveRequestFlags,
  LOAD_BASIS_FLAG,
  MAX_AGE_FLAG,
} from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";

const REQUEST_FLAGS = deriveRequestFlags(GetCapacity, {
  by: { field: "by", description: "List each of these (default: the scope)" },
  basis: LOAD_BASIS_FLAG,
  "max-age": MAX_AGE_FLAG,
  during: DURING_WINDOW_FLAG,
});

export const command = defineCommand({
  meta: { name: "dc capacity", description: "Show what is left, now and after one failure" },
  details:
    "Prints the power, units, cooling and ports that are left in areas, now and after the worst single failure, and which " +
    "failure that is. An area's figures hold if nothing is added elsewhere. Rules: docs/capacity.md.",
  args: {
    scope: optionalArgument("Where to look, such as room:AMS1/1/HALL-1 or rack:A01 (default: everywhere)"),
    db: DATABASE_FLAG,
    ...REQUEST_FLAGS.flags,
    json: booleanFlag("Print the reply as JSON"),
  },
  examples: {
    "planner dc capacity --by row": "Show what is left in every row",
    "planner dc capacity row:AMS1/1/B --by rack --json": "List the racks of a row as JSON",
  },
  async run({ args: { db, scope = "", json, ...words }, cli }) {
    const { printCapacity } = await import("../../dc/capacity.ts");
    const request = { ...REQUEST_FLAGS.buildRequest(words), scope_ref: scope };
    await printCapacity(parseDatabaseLocation(db, cli.cwd), { request, json }, cli);
  },
});
