import { type Dialect, eventStream, type Json, pieces, sendJson, textOf, USAGE } from "./dialect.ts";

const usage = {
  prompt_tokens: USAGE.fresh + USAGE.cached,
  completion_tokens: USAGE.output,
  total_tokens: USAGE.fresh + USAGE.cached + USAGE.output,
  prompt_tokens_details: { cached_tokens: USAGE.cached },
};

/** OpenAI's Chat Completions: `POST /v1/chat/completions`. */
export const chat: Dialect = {
  asked: (body) => ({
    offered: (body.tools ?? []).map(({ function: { name } }: Json) => ({ name })),
    text: body.messages
      .filter(({ role }: Json) => role === "user")
      .map(({ content }: Json) => textOf(content))
      .join("\n"),
    step: body.messages.filter(({ tool_calls }: Json) => (tool_calls ?? []).length > 0).length,
    results: body.messages.filter(({ role }: Json) => role === "tool").map(({ content }: Json) => textOf(content)),
    streams: body.stream === true,
    model: body.model,
    searchable: false,
  }),
  answer(response, { model, step, streams }, { say, calls }) {
    const tool_calls = calls.map(({ tool, input }, index) => ({
      index,
      id: `call_${step}_${index}`,
      type: "function",
      function: { name: tool.name, arguments: JSON.stringify(input) },
    }));
    const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
    const base = { id: `chatcmpl_${step}`, created: Math.floor(Date.now() / 1000), model };
    if (!streams) {
      const message = { role: "assistant", content: say, ...(calls.length > 0 && { tool_calls }) };
      const choices = [{ index: 0, message, finish_reason }];
      return sendJson(response, 200, { ...base, object: "chat.completion", choices, usage });
    }
    const send = eventStream(response);
    const chunk = (delta: Json, reason: string | null = null): void =>
      send(null, {
        ...base,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, finish_reason: reason }],
      });
    chunk({ role: "assistant", content: "" });
    for (const content of pieces(say)) chunk({ content });
    for (const call of tool_calls) chunk({ tool_calls: [call] });
    chunk({}, finish_reason);
    send(null, { ...base, object: "chat.completion.chunk", choices: [], usage });
    send(null, "[DONE]");
    response.end();
  },
  refuse(response, status, message) {
    sendJson(response, status, { error: { message, type: "error", code: String(status) } });
  },
};
