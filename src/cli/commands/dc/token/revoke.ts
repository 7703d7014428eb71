import { defineCommand } from "../../../command.ts";
import { TOKEN_FILE_FLAG, tokenFile } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "Delete a token",
  positionals: { name: { summary: "Name of the token", required: true } },
  flags: { tokens: TOKEN_FILE_FLAG },
  examples: [{ line: "planner dc token revoke anna --tokens tokens.json", shows: "Delete a token" }],
  async run({ name, tokens }, cli) {
    const { revokeToken } = await import("../../../dc/tokens.ts");
    await revokeToken(tokenFile("revoke", tokens, cli.cwd), name);
  },
});
