/** A server-sent event; `id` is "" if the event has none. */
export interface ServerEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/**
 * Reads server-sent events from a body. `EventSource` cannot be used, because it cannot send a token.
 * Source: HTML, server-sent events.
 * @param onChunk called for every received chunk, including comments
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onChunk?: () => void,
): AsyncGenerator<ServerEvent, void> {
  for await (const blocks of readParts(body, "\n\n", onChunk)) yield* blocks.flatMap(parseEvent);
}

/** Reads the parts of a text that each end with `end`: those that have arrived since the last time. */
export async function* readParts(
  body: ReadableStream<Uint8Array>,
  end: string,
  onChunk?: () => void,
): AsyncGenerator<readonly string[], void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onChunk?.();
    text += decoder.decode(value, { stream: true });
    const parts = text.split(end);
    text = parts.pop() ?? "";
    yield parts;
  }
}

function parseEvent(block: string): readonly ServerEvent[] {
  const fields: Record<string, string> = {};
  for (const line of block.split("\n")) {
    const at = line.indexOf(": ");
    if (at > 0) fields[line.slice(0, at)] = line.slice(at + 2);
  }
  const { event, id = "", data } = fields;
  return event === undefined || data === undefined ? [] : [{ event, id, data }];
}
