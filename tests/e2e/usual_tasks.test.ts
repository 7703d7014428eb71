import { expect, test } from "bun:test";
import { estimateTokens } from "../support/estimate_tokens.ts";
import { McpLines } from "../support/mcp_lines.ts";
import { USUAL_TASKS, usualProject } from "../support/usual_tasks.ts";

const CLIENT = { clientInfo: { name: "test", version: "1" } };

test("agents do their sixteen usual tasks with a call each and 9,000 tokens, as docs/mcp.md says", async () => {
  using project = usualProject();
  await using server = new McpLines(project.root);
  const first = [await server.request("initialize", CLIENT), await server.request("tools/list")];

  let tasks = 0;
  for (const { task, tool, args, says, tokens } of USUAL_TASKS) {
    const { result } = await server.request("tools/call", { name: tool, arguments: args });
    const text = result?.content?.[0]?.text ?? "";
    expect({ task, refused: result?.isError === true, text }).toEqual({
      task,
      refused: false,
      text: expect.stringContaining(says),
    });
    const taken =
      estimateTokens(JSON.stringify({ name: tool, arguments: args })) + estimateTokens(JSON.stringify(result));
    // A table that says too little is wrong, one that says far too much is old.
    expect(tokens, task).toBeGreaterThanOrEqual(taken);
    expect(tokens, task).toBeLessThanOrEqual(taken + 25);
    tasks += taken;
  }

  expect(USUAL_TASKS.length).toBe(16);
  expect(tasks + estimateTokens(JSON.stringify(first))).toBeLessThanOrEqual(9000);
});
