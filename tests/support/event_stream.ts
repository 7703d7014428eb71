import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";

export interface ServerEvent {
  readonly event: string;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape
  readonly data: any;
}

/** Reads server-sent events as HTML says, with its own parser. */
export class EventReader {
  readonly events: ServerEvent[] = [];
  /** Lines that are comments, such as heartbeats. */
  comments = 0;
  isEnded = false;
  #text = "";
  #wake: () => void = () => {};

  take(text: string): void {
    this.#text += text;
    for (let end = this.#text.indexOf("\n\n"); end >= 0; end = this.#text.indexOf("\n\n")) {
      this.#block(this.#text.slice(0, end));
      this.#text = this.#text.slice(end + 2);
    }
    this.#wake();
  }

  end(): void {
    this.isEnded = true;
    this.#wake();
  }

  /** Waits until `found` answers with something; fails when the stream ends first. */
  async until<Found>(found: (events: readonly ServerEvent[]) => Found | undefined | false): Promise<Found> {
    for (;;) {
      const result = found(this.events);
      if (result !== undefined && result !== false) return result;
      if (this.isEnded) throw new Error(`The stream has ended behind ${JSON.stringify(this.events.slice(-3))}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async untilEnded(): Promise<readonly ServerEvent[]> {
    while (!this.isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.events;
  }

  #block(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split("\n")) {
      if (line.startsWith(":")) this.comments++;
      const [, name, value] = /^(\w+): (.*)$/.exec(line) ?? [];
      if (name !== undefined) fields.set(name, value ?? "");
    }
    const data = fields.get("data");
    if (data === undefined) return;
    this.events.push({ event: fields.get("event") ?? "message", id: fields.get("id") ?? "", data: JSON.parse(data) });
  }
}

/** An open stream; `close` leaves it as a browser does that goes elsewhere. */
export interface OpenStream {
  readonly reader: EventReader;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly close: () => void;
}

const PATH = "/changes/stream";

export function openHttp1(url: string, headers: Readonly<Record<string, string>> = {}): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const call: ClientRequest = request(`${url}${PATH}`, { headers, agent: false }, (response: IncomingMessage) => {
      const reader = new EventReader();
      response.setEncoding("utf8").on("data", (text: string) => reader.take(text));
      response.on("error", () => {}).on("close", () => reader.end());
      const { statusCode: status = 0, headers: given } = response;
      resolve({ reader, status, headers: given, close: () => call.destroy() });
    });
    call.on("error", reject);
    call.end();
  });
}

/** Streams over one HTTP/2 connection with prior knowledge. */
export class Http2Streams {
  readonly #session: ClientHttp2Session;

  constructor(url: string) {
    this.#session = connect(url);
    this.#session.on("error", () => {});
  }

  open(headers: Readonly<Record<string, string>> = {}): Promise<OpenStream> {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request({ ":path": PATH, ...headers });
      const reader = new EventReader();
      stream.on("response", (given) =>
        resolve({ reader, status: given[":status"] ?? 0, headers: given, close: () => stream.close() }),
      );
      stream.setEncoding("utf8").on("data", (text: string) => reader.take(text));
      stream.on("error", reject).on("close", () => reader.end());
    });
  }

  close(): void {
    this.#session.destroy();
  }
}
