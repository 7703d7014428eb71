import { describe, expect, test } from "bun:test";
import type { StreamKind } from "#planner/config/config.ts";
import { type AgentStreamResult, openAgentStream } from "#planner/work/agent_stream.ts";

interface Read {
  readonly lines: readonly string[];
  readonly output: string;
  readonly failure: string | null;
}

function read(kind: StreamKind, lines: readonly unknown[], limitBytes?: number): Read {
  const stream = openAgentStream(kind, [], limitBytes);
  const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
  const first = stream.push(new TextEncoder().encode(text));
  const answer = stream.end();
  return { ...answer, lines: [...first, ...answer.lines] };
}

function says(...content: readonly unknown[]): unknown {
  return { type: "assistant", message: { content } };
}

/** A call of a tool in the words of codex. */
const mcpCall = { type: "mcp_tool_call", server: "planner", tool: "planner_spec_get" };

test.each<[name: string, kind: StreamKind, events: readonly unknown[], expected: Partial<Read>]>([
  [
    "text takes everything as log and as output",
    "text",
    ["one", "", '{"a":1}'],
    { lines: ["one", "", '{"a":1}'], output: 'one\n\n{"a":1}\n', failure: null },
  ],
  [
    "claude logs what is said and done, and takes the result as output",
    "claude",
    [
      { type: "system", subtype: "init", mcp_servers: [{ name: "planner", status: "connected" }] },
      says(
        { type: "text", text: "First I look.\nThen I act." },
        { type: "tool_use", name: "Bash", input: { command: "ls\n-l" } },
      ),
      { type: "user", message: { content: [{ type: "tool_result", content: "fine" }] } },
      says({ type: "thinking", thinking: "hm" }, { type: "text", text: '{"done": true}' }),
      { type: "result", subtype: "success", is_error: false, result: '{"done": true}' },
    ],
    {
      lines: ["First I look.", "Then I act.", "[Bash] ls -l", '{"done": true}'],
      output: '{"done": true}',
      failure: null,
    },
  ],
  [
    "claude tells of a server that did not start, of failed and of denied calls",
    "claude",
    [
      { type: "system", mcp_servers: [{ name: "planner", status: "failed" }] },
      { type: "user", message: { content: [{ is_error: true, content: [{ type: "text", text: "no such\nfile" }] }] } },
      {
        ...{ type: "result", subtype: "success" },
        permission_denials: [{ tool_name: "Bash", tool_input: { command: "rm x" } }],
      },
    ],
    { lines: ["[mcp] planner: failed", "[failed] no such file", "[denied] Bash rm x"] },
  ],
  [
    "claude keeps what a helper of the agent says out of the output",
    "claude",
    [
      says({ type: "text", text: "mine" }),
      { type: "assistant", parent_tool_use_id: "t1", message: { content: [{ type: "text", text: "aside" }] } },
    ],
    { lines: ["mine", "aside"], output: "mine" },
  ],
  [
    "claude says by its kind what went wrong when the result is an error",
    "claude",
    [{ type: "result", subtype: "error_max_turns", is_error: true }],
    { failure: "error_max_turns" },
  ],
  [
    "claude says by its text what went wrong when the result is an error",
    "claude",
    [{ type: "result", subtype: "success", is_error: true, result: "Credit is low" }],
    { lines: ["[error] Credit is low"], output: "", failure: "Credit is low" },
  ],
  [
    "codex logs steps and takes the last message as output",
    "codex",
    [
      { type: "thread.started", thread_id: "t" },
      { type: "item.completed", item: { type: "agent_message", text: "Looking" } },
      { type: "item.started", item: { type: "command_execution", command: "make" } },
      { type: "item.completed", item: { type: "command_execution", command: "make", exit_code: 2, status: "failed" } },
      { type: "item.started", item: { ...mcpCall, arguments: { id: "a" } } },
      { type: "item.completed", item: { ...mcpCall, status: "failed", error: { message: "user cancelled" } } },
      {
        type: "item.completed",
        item: { type: "file_change", status: "completed", changes: [{ path: "a" }, { path: "b" }] },
      },
      { type: "item.completed", item: { type: "agent_message", text: "Done" } },
      { type: "turn.completed", usage: {} },
    ],
    {
      lines: [
        ...["Looking", "[shell] make", "[failed] exit status 2", "[planner.planner_spec_get] a"],
        ...["[failed] user cancelled", "[denied] planner.planner_spec_get", "[edit] a, b", "Done"],
      ],
      output: "Done",
      failure: null,
    },
  ],
  [
    "codex forgets an error that the turn survived",
    "codex",
    [{ type: "error", message: "Reconnecting... 1/5" }, { type: "turn.completed" }],
    { failure: null },
  ],
  [
    "codex keeps an error that the turn did not survive",
    "codex",
    [
      { type: "error", message: "Reconnecting... 1/5" },
      { type: "turn.failed", error: { message: "usage limit" } },
    ],
    { failure: "usage limit" },
  ],
  [
    "gemini puts streamed pieces together",
    "gemini",
    [
      { type: "init", model: "m" },
      { type: "message", role: "user", content: "the prompt" },
      { type: "message", role: "assistant", content: "I rea", delta: true },
      { type: "message", role: "assistant", content: "d.\nThen", delta: true },
      { type: "tool_use", tool_name: "read_file", parameters: { path: "a.ts" } },
      { type: "tool_result", status: "error", error: { message: "gone" } },
      { type: "message", role: "assistant", content: "Do", delta: true },
      { type: "message", role: "assistant", content: "ne", delta: true },
      { type: "result", status: "success" },
    ],
    { lines: ["I read.", "Then", "[read_file] a.ts", "[failed] gone", "Done"], output: "Done", failure: null },
  ],
  [
    "gemini tells warnings from errors, and a failed run",
    "gemini",
    [
      { type: "error", severity: "warning", message: "loop" },
      { type: "result", status: "error", error: { type: "x", message: "turns" } },
    ],
    { lines: ["[warning] loop", "[error] turns"], failure: "turns" },
  ],
  [
    "cursor names tools by their key and takes what was said last",
    "cursor",
    [
      says({ type: "text", text: "Reading" }),
      { type: "tool_call", subtype: "started", tool_call: { readToolCall: { args: { path: "a.ts" } } } },
      { type: "tool_call", subtype: "completed", tool_call: { readToolCall: { result: { success: {} } } } },
      { type: "tool_call", subtype: "started", tool_call: { function: { name: "other", arguments: "{}" } } },
      {
        ...{ type: "tool_call", subtype: "completed" },
        tool_call: { shellToolCall: { result: { rejected: { reason: "" } } } },
      },
      says({ type: "text", text: "Done" }),
      { type: "result", subtype: "success", is_error: false, result: "ReadingDone" },
    ],
    { lines: ["Reading", "[read] a.ts", "[other] {}", "[failed] rejected", "Done"], output: "Done", failure: null },
  ],
  [
    "cursor takes the result where nothing was said before",
    "cursor",
    [{ type: "result", subtype: "success", result: "Done" }],
    { lines: ["Done"], output: "Done" },
  ],
  [
    "cursor takes the result for what went wrong where it is an error",
    "cursor",
    [{ type: "result", is_error: true, result: "No key" }],
    { failure: "No key" },
  ],
  [
    "opencode logs texts and tools",
    "opencode",
    [
      { type: "step_start", part: {} },
      { type: "text", part: { text: "Reading" } },
      { type: "tool_use", part: { tool: "bash", state: { status: "completed", input: { command: "ls" } } } },
      {
        type: "tool_use",
        part: { tool: "edit", state: { status: "error", error: "denied", input: { filePath: "a" } } },
      },
      { type: "text", part: { text: "One" } },
      { type: "text", part: { text: "Two" } },
      { type: "done", reason: "idle" },
    ],
    { lines: ["Reading", "[bash] ls", "[edit] a", "[failed] denied", "One", "Two"], output: "One\nTwo", failure: null },
  ],
  [
    "opencode says what went wrong",
    "opencode",
    [{ type: "error", error: { name: "ProviderAuthError", data: { message: "no key" } } }],
    { failure: "no key" },
  ],
  [
    "claude shows lines that are no events, and takes them as output where nothing else is",
    "claude",
    ["Warning: x", '{"type":"assis', "[1]", "", "null"],
    {
      lines: ["Warning: x", '{"type":"assis', "[1]", "null"],
      output: 'Warning: x\n{"type":"assis\n[1]\nnull\n',
      failure: null,
    },
  ],
])("openAgentStream for %s", (_, kind, events, expected) => {
  expect(read(kind, events)).toMatchObject(expected);
});

test("openAgentStream for text keeps a long line's text whole in the output", () => {
  expect(read("text", ["abcé€x😀h"], 4)).toMatchObject({ output: "abcé€x😀h\n" });
  expect(read("text", ["abcdefgh"], 3).lines.join("")).toBe("abcdefgh");
});

describe("openAgentStream for events", () => {
  test("passes over events and shapes that it does not know", () => {
    const odd = [
      ...["constructor", "__proto__", "toString", "stream_event", 3, null].map((type) => ({ type })),
      ...[
        "assistant",
        "user",
        "result",
        "system",
        "error",
        "message",
        "item.completed",
        "tool_use",
        "tool_call",
        "text",
      ].flatMap((type) => [
        { type },
        {
          type,
          message: null,
          item: [],
          part: "x",
          error: 1,
          tool_call: { a: 1 },
          mcp_servers: {},
          permission_denials: [null],
        },
        { type, message: { content: [null, 1, "x", {}] }, item: { type: "__proto__" }, errors: [1] },
      ]),
    ];
    for (const kind of ["claude", "codex", "gemini", "cursor", "opencode"] as const) {
      expect(() => read(kind, odd)).not.toThrow();
    }
  });

  test("leaves out a line that is too long", () => {
    expect(
      read("claude", [says({ type: "text", text: "x".repeat(100) }), says({ type: "text", text: "y" })], 80),
    ).toMatchObject({
      lines: ["[a line of 170 bytes was left out]", "y"],
      output: "y",
    });
  });

  test("survives nesting that no parser follows", () => {
    const deep = `{"type":"assistant","message":${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}}`;

    expect(() => read("claude", [deep])).not.toThrow();
  });
});

function reportsRead(kind: StreamKind, events: readonly unknown[]): AgentStreamResult {
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
      const answer = reportsRead(kind, REAL[kind] ?? []);

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

    expect(reportsRead("claude", [...(REAL["claude"] ?? []), result]).usage).toEqual({
      input_tokens: 43_400,
      cached_input_tokens: 35_000,
      output_tokens: 1470,
      cost_usd: 0.0805,
    });
  });
});
