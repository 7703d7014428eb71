import { expect, test } from "bun:test";
import { estimateTokens } from "../support/estimate_tokens.ts";
import { McpLines } from "../support/mcp_lines.ts";
import { documentedTasks, USUAL_TASKS, usualProject } from "../support/usual_tasks.ts";

const CLIENT = { clientInfo: { name: "test", version: "1" } };

test("agents do their sixteen usual tasks with a call each and 9,000 tokens, as docs/mcp.md says", async () => {
  using project = usualProject();
  await using server = new McpLines(project.root);
  const first = [await server.request("initialize", CLIENT), await server.request("tools/list")];

  const measured: { task: string; tool: string; tokens: number }[] = [];
  for (const { task, tool, args, says } of USUAL_TASKS) {
    const { result } = await server.request("tools/call", { name: tool, arguments: args });
    const text = result?.content?.[0]?.text ?? "";
    expect({ task, refused: result?.isError === true, text }).toEqual({
      task,
      refused: false,
      text: expect.stringContaining(says),
    });
    const request = estimateTokens(JSON.stringify({ name: tool, arguments: args }));
    measured.push({ task, tool, tokens: request + estimateTokens(JSON.stringify(result)) });
  }

  expect(measured.length).toBe(16);
  const tasks = measured.reduce((sum, { tokens }) => sum + tokens, 0);
  expect(tasks + estimateTokens(JSON.stringify(first))).toBeLessThanOrEqual(9000);
  const documented = documentedTasks();
  expect(documented.map(({ task, tool }) => ({ task, tool }))).toEqual(
    USUAL_TASKS.map(({ task, tool }) => ({ task, tool })),
  );
  for (const [index, { task, tokens }] of measured.entries()) {
    const said = documented[index]?.tokens ?? 0;
    // A table that says too little is wrong, one that says far too much is old.
    expect(said, task).toBeGreaterThanOrEqual(tokens);
    expect(said, task).toBeLessThanOrEqual(tokens + 25);
  }
});
