import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { endAfterTest } from "../end_after_test.ts";

export interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: messages of several shapes
  readonly json: any;
}

/** How a receiver answers: with a status, by breaking the connection after it took the message, or never. */
export type Answer = number | "break" | "never" | { readonly redirect: string };

/** A receiver of webhooks on a port of its own until the test's end. */
export class WebhookReceiver {
  readonly deliveries: Delivery[] = [];
  answer: Answer | ((delivery: Delivery) => Answer) = 204;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<WebhookReceiver> {
    const server = createServer((request, response) => void receiver.#take(request, response));
    const receiver = new WebhookReceiver(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    endAfterTest(() => {
      server.closeAllConnections();
      server.close();
    });
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const delivery = { headers: request.headers as Record<string, string>, body, json: JSON.parse(body) };
    this.deliveries.push(delivery);
    const answer = typeof this.answer === "function" ? this.answer(delivery) : this.answer;
    if (answer === "never") return;
    if (answer === "break") return void request.socket.destroy();
    if (typeof answer === "number") return void response.writeHead(answer).end();
    response.writeHead(307, { location: answer.redirect }).end();
  }
}
