import { defineCommand } from "../../../command.ts";
import { TOKEN_FILE_FLAG, tokenFile } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Create a token and print it",
  details: "The token is printed once; the file holds its hash only.",
  positionals: { name: { summary: "Name of the token", required: true } },
  flags: {
    tokens: TOKEN_FILE_FLAG,
    role: {
      type: "enum",
      options: ["reader", "writer", "admin", "meter", "calendar"],
      summary: "Role; meter reports readings alone, calendar opens /windows.ics alone (reader)",
    },
    expires: { type: "string", value: "when", summary: "Last day (2027-01-31) or duration (90d, 12h); default: none" },
  },
  examples: [
    { line: "planner dc token create anna --role writer --tokens tokens.json", shows: "Create a token that may write" },
    {
      line: "planner dc token create outlook --role calendar --tokens tokens.json",
      shows: "Create a secret for the address of the calendar of windows",
    },
    { line: "planner dc token create ci --expires 90d --tokens tokens.json", shows: "Create a token with an end" },
  ],
  async run({ name, tokens, role = "reader", expires }, cli) {
    const { createToken } = await import("../../../dc/tokens.ts");
    await createToken(tokenFile("create", tokens, cli.cwd), { name, role, expires }, cli);
  },
});
