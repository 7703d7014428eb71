import { type Dialect, eventStream, type Json, pieces, sendJson, textOf, USAGE } from "./dialect.ts";

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  429: "rate_limit_error",
};

const usage = {
  input_tokens: USAGE.fresh - 300,
  cache_creation_input_tokens: 300,
  cache_read_input_tokens: USAGE.cached,
  output_tokens: USAGE.output,
};

/** Anthropic's Messages: `POST /v1/messages`. */
export const anthropic: Dialect = {
  asked(body) {
    const blocks = (role: string, type: string): Json[] =>
      body.messages
        .filter((message: Json) => message.role === role && Array.isArray(message.content))
        .flatMap((message: Json) => message.content.filter((block: Json) => block.type === type));
    const calling = body.messages.filter(
      ({ role, content }: Json) =>
        role === "assistant" && Array.isArray(content) && content.some((block: Json) => block.type === "tool_use"),
    );
    return {
      offered: (body.tools ?? []).map(({ name }: Json) => ({ name })),
      text: body.messages
        .filter((message: Json) => message.role === "user")
        .map((message: Json) => textOf(message.content))
        .join("\n"),
      step: calling.length,
      results: blocks("user", "tool_result").map((block) => textOf(block.content)),
      streams: body.stream === true,
      model: body.model,
      searchable: false,
    };
  },
  answer(response, { model, streams, step }, { say, calls }) {
    const content = [
      ...(say === "" ? [] : [{ type: "text", text: say }]),
      ...calls.map(({ tool, input }, index) => ({
        type: "tool_use",
        id: `toolu_${step}_${index}`,
        name: tool.name,
        input,
      })),
    ];
    const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
    const message = { id: `msg_${step}`, type: "message", role: "assistant", model, stop_sequence: null, usage };
    if (!streams) return sendJson(response, 200, { ...message, content, stop_reason });
    const send = eventStream(response);
    send("message_start", { type: "message_start", message: { ...message, content: [], stop_reason: null } });
    for (const [index, block] of content.entries()) {
      const empty = "text" in block ? { type: "text", text: "" } : { ...block, input: {} };
      const deltas =
        "text" in block
          ? pieces(block.text).map((text) => ({ type: "text_delta", text }))
          : pieces(JSON.stringify(block.input)).map((partial_json) => ({ type: "input_json_delta", partial_json }));
      send("content_block_start", { type: "content_block_start", index, content_block: empty });
      for (const delta of deltas) send("content_block_delta", { type: "content_block_delta", index, delta });
      send("content_block_stop", { type: "content_block_stop", index });
    }
    const delta = { stop_reason, stop_sequence: null };
    send("message_delta", { type: "message_delta", delta, usage: { output_tokens: USAGE.output } });
    send("message_stop", { type: "message_stop" });
    response.end();
  },
  refuse(response, status, message) {
    sendJson(response, status, { type: "error", error: { type: ERROR_TYPES[status] ?? "api_error", message } });
  },
};
