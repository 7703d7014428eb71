import { resolve } from "node:path";
import { booleanFlag, fileFlag, requiredArgument } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { DATABASE_FLAG, RENDER_FLAGS } from "../../dc/asked_flags.ts";
import { parseDatabaseLocation } from "../../dc/database.ts";
import { assertOutputIsNoTerminal } from "../../usage_error.ts";

export const command = defineCommand({
  meta: { name: "dc render", description: "Draw a picture without a server" },
  args: {
    screen: requiredArgument("What to draw", { options: ["rack", "floor", "power", "cable", "thermal", "fabric"] }),
    ref: requiredArgument("Its subject, such as A01, UPS-A2, floor:AMS1/1 or feed:AMS1-A08-A"),
    db: DATABASE_FLAG,
    output: fileFlag("File (default: standard output)", { alias: "o" }),
    ...RENDER_FLAGS,
    "no-cascade": booleanFlag("power: trip no overloaded source"),
  },
  examples: {
    "planner dc render rack A01 -o a01.svg": "Draw a rack; .png, .html and .dot work as well",
    "planner dc render power AMS1-A08-A --theme dark > a08.svg": "Draw a power failure",
  },
  async run({ args: { db, output, "no-cascade": steady, ...look }, cli }) {
    const { renderPicture } = await import("../../dc/render.ts");
    assertOutputIsNoTerminal(output, "-o <file>, or -o -");
    const path = output === undefined || output === "-" ? undefined : resolve(cli.cwd, output);
    await renderPicture(
      parseDatabaseLocation(db, cli.cwd),
      { ...look, output: path, failure: { cascade: !steady } },
      cli,
    );
  },
});
