import type { ConcreteCall, Offered } from "./concrete_call.ts";
import { type Dialect, eventStream, type Json, pieces, sendJson, textOf, USAGE } from "./dialect.ts";

/** OpenAI's Responses: `POST /v1/responses`. */
export const responses: Dialect = {
  asked(body) {
    const input: Json[] = Array.isArray(body.input) ? body.input : [{ role: "user", content: body.input }];
    const found = input.filter(({ type }) => type === "tool_search_output").flatMap(({ tools }) => tools ?? []);
    const tools: Json[] = body.tools ?? [];
    const steps = input.map(({ call_id }) => Number(/^call_(\d+)_/.exec(call_id ?? "")?.[1] ?? -1));
    return {
      offered: [...tools, ...found].flatMap(offeredBy),
      text: input
        .filter(({ role }) => role === "user")
        .map(({ content }) => textOf(content))
        .join("\n"),
      step: Math.max(-1, ...steps) + 1,
      results: input.filter(({ type }) => /call_output$/.test(type ?? "")).map(({ output }) => textOf(output)),
      streams: true,
      model: body.model,
      searchable: tools.some(({ type }) => type === "tool_search"),
    };
  },
  answer(response, { model, step }, { say, calls, searchFor }) {
    const output: Json[] = say === "" ? [] : [message(say, step, calls.length > 0)];
    if (searchFor === null) output.push(...calls.map((call, index) => callItem(call, `call_${step}_${index}`)));
    else output.push(searchItem(searchFor, `search_${step}`));
    const send = eventStream(response);
    const base = { id: `resp_${step}`, object: "response", created_at: Math.floor(Date.now() / 1000), model };
    send("response.created", { type: "response.created", response: { ...base, status: "in_progress", output: [] } });
    for (const [output_index, item] of output.entries()) {
      const begun = item.type === "message" ? { ...item, content: [] } : { ...item, arguments: "" };
      send("response.output_item.added", {
        type: "response.output_item.added",
        output_index,
        item: { ...begun, status: "in_progress" },
      });
      for (const delta of item.type === "message" ? pieces(say) : []) {
        const type = "response.output_text.delta";
        send(type, { type, item_id: item.id, output_index, content_index: 0, delta });
      }
      send("response.output_item.done", { type: "response.output_item.done", output_index, item });
    }
    const usage = {
      input_tokens: USAGE.fresh + USAGE.cached,
      input_tokens_details: { cached_tokens: USAGE.cached },
      output_tokens: USAGE.output,
      output_tokens_details: { reasoning_tokens: 20 },
      total_tokens: USAGE.fresh + USAGE.cached + USAGE.output,
    };
    send("response.completed", {
      type: "response.completed",
      response: { ...base, status: "completed", output, usage },
    });
    response.end();
  },
  refuse(response, status, message) {
    sendJson(response, status, { error: { message, type: "error", code: String(status) } });
  },
};

/** A group of tools is called by the group's name and the tool's own. */
function offeredBy({ type, name, tools }: Json): readonly Offered[] {
  if (type !== "namespace") return [{ name: name ?? type }];
  return (tools ?? []).map((tool: Json) => ({
    name: `${name.replace(/__$/, "")}__${tool.name}`,
    namespace: name,
    short: tool.name,
  }));
}

function message(text: string, step: number, goesOn: boolean): Json {
  return {
    type: "message",
    id: `msg_${step}`,
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [] }],
    phase: goesOn ? "commentary" : "final_answer",
  };
}

function searchItem(query: string, call_id: string): Json {
  const item = { type: "tool_search_call", id: `ts_${call_id}`, call_id, execution: "client", status: "completed" };
  return { ...item, arguments: { query, limit: 23 } };
}

function callItem({ tool, input }: ConcreteCall, call_id: string): Json {
  const base = { call_id, status: "completed" };
  if (typeof input === "string")
    return { ...base, type: "custom_tool_call", id: `ctc_${call_id}`, name: tool.name, input };
  const name =
    tool.namespace === undefined ? { name: tool.name } : { namespace: tool.namespace, name: tool.short ?? tool.name };
  return { ...base, type: "function_call", id: `fc_${call_id}`, ...name, arguments: JSON.stringify(input) };
}
