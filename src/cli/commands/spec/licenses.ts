import { OperationError } from "#kernel/errors.ts";
import { loadLicences } from "#runtime/pages.ts";
import { defineCommand } from "../../command.ts";
import { print } from "../../output/print.ts";

export const command = defineCommand({
  summary: "Print the licences of everything in this executable",
  positionals: {},
  flags: {},
  examples: [{ line: "planner licenses | less", shows: "Read them" }],
  async run() {
    const text = await loadLicences();
    if (text === undefined) {
      throw new OperationError("failed_precondition", "The licences are not there: run `bun build.ts` in the checkout");
    }
    print(text);
  },
});
