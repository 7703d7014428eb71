import { describe, expect, test } from "bun:test";
import type { StreamKind } from "#planner/config/config_values.ts";
import { type AgentStreamResult, openAgentStream } from "#planner/work/agent_stream.ts";

function read(kind: StreamKind, events: readonly unknown[]): AgentStreamResult {
  const stream = openAgentStream(kind, []);
  stream.push(new TextEncoder().encode(events.map((event) => `${JSON.stringify(event)}\n`).join("")));
  return stream.end();
}

/** Lines as the agents' real CLIs printed them, shortened. */
const REAL: Readonly<Record<string, readonly unknown[]>> = {
  claude: [
    { type: "system", subtype: "init", session_id: "ac0e7e16" },
    ...[
      { type: "text", text: "Look" },
      { type: "tool_use", id: "t0", name: "Bash", input: { command: "curl x" } },
    ].map((block) => ({
      type: "assistant",
      message: {
        id: "msg_0",
        usage: {
          input_tokens: 1200,
          cache_creation_input_tokens: 300,
          cache_read_input_tokens: 5000,
          output_tokens: 210,
        },
        content: [block],
      },
      parent_tool_use_id: null,
    })),
    { type: "system", subtype: "permission_denied", tool_name: "Bash", tool_use_id: "t0" },
  ],
  codex: [
    { type: "thread.started", thread_id: "01a20305" },
    { type: "item.completed", item: { type: "command_execution", command: "curl x", status: "declined" } },
    { type: "turn.completed", usage: { input_tokens: 6500, cached_input_tokens: 5000, output_tokens: 210 } },
  ],
  gemini: [
    { type: "init", session_id: "f9dc027f", model: "auto" },
    { type: "tool_use", tool_name: "run_shell_command", tool_id: "c0", parameters: { command: "curl x" } },
    {
      type: "tool_result",
      tool_id: "c0",
      status: "error",
      error: { type: "policy_violation", message: "Tool execution denied by policy." },
    },
    { type: "result", status: "success", stats: { input_tokens: 6500, output_tokens: 210, cached: 5000 } },
  ],
  opencode: [
    { type: "step_start", sessionID: "ses_dfcf" },
    {
      type: "tool_use",
      part: {
        tool: "bash",
        state: {
          status: "error",
          input: { command: "curl x" },
          error: "The user has specified a rule which prevents you from using this specific tool call.",
        },
      },
    },
    {
      type: "step_finish",
      part: { tokens: { input: 1500, output: 210, reasoning: 0, cache: { write: 0, read: 5000 } }, cost: 0 },
    },
  ],
};

describe("openAgentStream for what agents report", () => {
  for (const [kind, denied] of [
    ["claude", "Bash curl x"],
    ["codex", "shell curl x"],
    ["gemini", "run_shell_command curl x"],
    ["opencode", "bash curl x"],
  ] as const) {
    test(`reads session, tokens and denials of ${kind}`, () => {
      const answer = read(kind, REAL[kind] ?? []);

      expect(answer.usage).toEqual({
        input_tokens: 6500,
        cached_input_tokens: 5000,
        output_tokens: 210,
        cost_usd: null,
      });
      expect(answer.denied).toEqual([denied]);
      expect(answer.session).toMatch(/^(ac0e7e16|01a20305|f9dc027f|ses_dfcf)$/);
    });
  }

  test("takes the total and the price that claude reports at the end in place of its own sum", () => {
    const usage = { input_tokens: 8400, cache_read_input_tokens: 35000, output_tokens: 1470 };
    const result = { type: "result", subtype: "success", result: "Done", usage, total_cost_usd: 0.0805 };

    expect(read("claude", [...(REAL["claude"] ?? []), result]).usage).toEqual({
      input_tokens: 43_400,
      cached_input_tokens: 35_000,
      output_tokens: 1470,
      cost_usd: 0.0805,
    });
  });
});
