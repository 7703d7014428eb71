import { type Dialect, eventStream, type Json, sendJson, textOf, USAGE } from "./dialect.ts";

const STATUSES: Readonly<Record<number, string>> = { 401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED" };

/** Gemini's `models/<name>:generateContent` and `:streamGenerateContent`; the server says which by `body.streams`. */
export const gemini: Dialect = {
  asked: (body) => ({
    offered: (body.tools ?? []).flatMap(({ functionDeclarations }: Json) =>
      (functionDeclarations ?? []).map(({ name }: Json) => ({ name })),
    ),
    text: body.contents
      .filter(({ role }: Json) => role === "user")
      .map(({ parts }: Json) => textOf(parts))
      .join("\n"),
    step: body.contents.filter(
      ({ role, parts }: Json) => role === "model" && parts?.some((part: Json) => part.functionCall),
    ).length,
    results: body.contents
      .flatMap(({ parts }: Json) => parts ?? [])
      .filter((part: Json) => part.functionResponse)
      .map((part: Json) => JSON.stringify(part.functionResponse.response)),
    streams: body.streams === true,
    model: "scripted",
    searchable: false,
  }),
  answer(response, { streams, step }, { say, calls }) {
    const parts = [
      ...(say === "" ? [] : [{ text: say }]),
      ...calls.map(({ tool, input }, index) => ({
        functionCall: { id: `call_${step}_${index}`, name: tool.name, args: input },
      })),
    ];
    const document = (some: readonly unknown[], isLast: boolean): unknown => ({
      candidates: [{ content: { role: "model", parts: some }, index: 0, ...(isLast && { finishReason: "STOP" }) }],
      usageMetadata: {
        promptTokenCount: USAGE.fresh + USAGE.cached,
        candidatesTokenCount: USAGE.output,
        totalTokenCount: USAGE.fresh + USAGE.cached + USAGE.output,
        cachedContentTokenCount: USAGE.cached,
      },
      modelVersion: "scripted",
      responseId: `response_${step}`,
    });
    if (!streams) return sendJson(response, 200, document(parts, true));
    const send = eventStream(response);
    for (const [index, part] of parts.entries()) send(null, document([part], index === parts.length - 1));
    response.end();
  },
  refuse(response, status, message) {
    sendJson(response, status, { error: { code: status, message, status: STATUSES[status] ?? "INTERNAL" } });
  },
};
