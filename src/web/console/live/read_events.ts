/** One server-sent event; `id` is empty where it has none. */
export interface StreamEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/**
 * Reads server-sent events from a body. `EventSource` would do so too, but it cannot send a token.
 * @param alive runs for every piece that arrives, comments as well
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  alive: () => void,
): AsyncGenerator<StreamEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    alive();
    text += decoder.decode(value, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event !== undefined) yield event;
    }
  }
}

function parseEvent(block: string): StreamEvent | undefined {
  const fields: Record<string, string> = {};
  for (const line of block.split("\n")) {
    const at = line.indexOf(": ");
    if (at > 0) fields[line.slice(0, at)] = line.slice(at + 2);
  }
  const { event, id = "", data } = fields;
  return event === undefined || data === undefined ? undefined : { event, id, data };
}
