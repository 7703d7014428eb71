import { resolve } from "node:path";
import { enumFlag, requiredArgument, textFlag } from "../../args.ts";
import { defineCommand, defineFamily } from "../../command.ts";
import { TOKEN_FILE_FLAG } from "../../dc/asked_flags.ts";

export const command = defineFamily({
  meta: { name: "dc token" },
  details: "A token file holds names, roles and hashes. `planner dc serve --tokens` follows its changes.",
  subCommands: {
    create: defineCommand({
      meta: { name: "dc token create", description: "Create a token and print it" },
      details: "The token is printed once; the file holds its hash only.",
      args: {
        name: requiredArgument("Name of the token"),
        tokens: TOKEN_FILE_FLAG,
        role: enumFlag(
          ["reader", "writer", "admin", "meter", "calendar"],
          "Role; meter reports readings alone, calendar opens /windows.ics alone (reader)",
        ),
        expires: textFlag("when", "Last day (2027-01-31) or duration (90d, 12h); default: none"),
      },
      examples: {
        "planner dc token create anna --role writer --tokens tokens.json": "Create a token that may write",
        "planner dc token create outlook --role calendar --tokens tokens.json":
          "Create a secret for the address of the calendar of windows",
        "planner dc token create ci --expires 90d --tokens tokens.json": "Create a token with an end",
      },
      async run({ args: { name, tokens, role = "reader", expires }, cli }) {
        const { createToken } = await import("../../dc/tokens.ts");
        await createToken(resolve(cli.cwd, tokens), { name, role, expires }, cli);
      },
    }),
    list: defineCommand({
      meta: { name: "dc token list", description: "List the tokens of a file: names, roles, beginnings and ends" },
      listed: "List names, roles and ends",
      args: { tokens: TOKEN_FILE_FLAG },
      examples: { "planner dc token list --tokens tokens.json": "List the tokens" },
      async run({ args: { tokens }, cli }) {
        const { printTokens } = await import("../../dc/tokens.ts");
        printTokens(resolve(cli.cwd, tokens), cli);
      },
    }),
    revoke: defineCommand({
      meta: { name: "dc token revoke", description: "Delete a token" },
      args: { name: requiredArgument("Name of the token"), tokens: TOKEN_FILE_FLAG },
      examples: { "planner dc token revoke anna --tokens tokens.json": "Delete a token" },
      async run({ args: { name, tokens }, cli }) {
        const { revokeToken } = await import("../../dc/tokens.ts");
        await revokeToken(resolve(cli.cwd, tokens), name);
      },
    }),
  },
  examples: {
    "planner dc token create anna --role writer --tokens tokens.json": "Create a token and print it",
    "planner dc token revoke anna --tokens tokens.json": "Delete it; servers notice within a second",
  },
});
