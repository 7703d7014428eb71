import { defineCommand } from "../../../command.ts";
import { TOKEN_FILE_FLAG, tokenFile } from "../../../dc/shared_flags.ts";

export const command = defineCommand({
  summary: "List the tokens of a file: names, roles, beginnings and ends",
  positionals: {},
  flags: { tokens: TOKEN_FILE_FLAG },
  examples: [{ line: "planner dc token list --tokens tokens.json", shows: "List the tokens" }],
  async run({ tokens }, cli) {
    const { listTokens } = await import("../../../dc/tokens.ts");
    listTokens(tokenFile("list", tokens, cli.cwd), cli);
  },
});
