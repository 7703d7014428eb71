import { resolve } from "node:path";
import { defineCommand } from "../../command.ts";
import { databaseOf } from "../../dc/database.ts";
import { RENDER_FLAGS } from "../../dc/render_flags.ts";
import { DATABASE_FLAG } from "../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Draw a picture without a server",
  positionals: {
    screen: {
      summary: "What to draw",
      required: true,
      options: ["rack", "floor", "power", "cable", "thermal", "fabric"],
    },
    ref: { summary: "Its subject, such as rack:A01, floor:AMS1/1 or feed:AMS1-A08-A", required: true },
  },
  flags: {
    db: DATABASE_FLAG,
    output: {
      type: "string",
      short: "o",
      value: "file",
      completes: "file",
      summary: "File (default: standard output)",
    },
    ...RENDER_FLAGS,
  },
  examples: [
    { line: "planner dc render rack rack:A01 -o a01.svg", shows: "Draw a rack; .png, .html and .dot work as well" },
    { line: "planner dc render power feed:AMS1-A08-A --theme dark", shows: "Draw a power failure on standard output" },
  ],
  async run({ db, output, ...look }, cli) {
    const { renderPicture } = await import("../../dc/render.ts");
    const path = output === undefined || output === "-" ? undefined : resolve(cli.cwd, output);
    await renderPicture(databaseOf(db, cli.cwd), { ...look, output: path }, cli);
  },
});
