import { defineFamilyMember } from "../../command.ts";
import type { CommandFamily } from "../../commands.ts";
import { DATABASE_FLAG } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";
import { booleanFlag } from "../../flags.ts";

export const family: CommandFamily = {
  details: "Types of devices are what new devices are built to: height, weight, ports and bays.",
  commands: {
    import: defineFamilyMember({
      summary: "Import a devicetype library",
      details:
        "Reads YAML files of the community's devicetype library, in a folder and all folders below it. Reports what a file " +
        "has wrong with its line and imports the others. Exits with 1 if a file was refused.",
      positionals: { files: { summary: "Files and folders", required: true, completes: "file", repeats: true } },
      flags: {
        db: DATABASE_FLAG,
        "dry-run": booleanFlag("Check everything, write nothing"),
        json: booleanFlag("Print findings and result as JSON lines"),
      },
      examples: [
        { line: "planner dc types import devicetype-library/device-types/Dell", shows: "Import one manufacturer" },
        { line: "planner dc types import device-types/ --dry-run", shows: "Check a library" },
      ],
      async run({ files, db, "dry-run": dryRun, json }, cli) {
        const { importDeviceTypes } = await import("../../dc/exchange/import_types.ts");
        return importDeviceTypes(parseDatabaseLocation(db, cli.cwd), { files, dryRun, json, cwd: cli.cwd }, cli);
      },
    }),
    list: defineFamilyMember(
      {
        summary: "List the types of devices",
        details: "Words select types with each of them in code, manufacturer, model or part number.",
        positionals: { words: { summary: "Words to search for", required: false, repeats: true } },
        flags: { db: DATABASE_FLAG, json: booleanFlag("Print whole types as JSON lines") },
        examples: [{ line: "planner dc types list poweredge", shows: "List the types with a word in their names" }],
        async run({ words, db, json }, cli) {
          const { printDeviceTypes } = await import("../../dc/exchange/list_types.ts");
          await printDeviceTypes(parseDatabaseLocation(db, cli.cwd), { words, json });
        },
      },
      "List the types",
    ),
  },
  examples: [
    {
      line: "planner dc types import devicetype-library/device-types/Dell",
      shows: "Import the types of a manufacturer",
    },
    { line: "planner dc types list poweredge", shows: "List the types with a word in their names" },
  ],
};
