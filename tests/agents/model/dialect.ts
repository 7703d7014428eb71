import type { ServerResponse } from "node:http";
import type { ConcreteCall, Offered } from "./concrete_call.ts";

/** A request as any of the services' protocols makes it. */
export interface Asked {
  readonly offered: readonly Offered[];
  /** Everything that the user's side said, the prompt included. */
  readonly text: string;
  /** How many answers with calls came before. */
  readonly step: number;
  /** What the tools answered, the last one last. */
  readonly results: readonly string[];
  readonly streams: boolean;
  readonly model: string;
  /** Whether tools that are not offered can be searched for. */
  readonly searchable: boolean;
}

/** An answer with the agent's own tools. */
export interface Reply {
  readonly say: string;
  readonly calls: readonly ConcreteCall[];
  /** The same step is asked for again afterwards: its tools are searched first. */
  readonly searchFor: string | null;
}

/** One service's protocol. */
export interface Dialect {
  asked(body: Json): Asked;
  answer(response: ServerResponse, asked: Asked, reply: Reply): void;
  refuse(response: ServerResponse, status: number, message: string): void;
}

// biome-ignore lint/suspicious/noExplicitAny: requests of four foreign protocols, read as they come
export type Json = any;

/** Tokens that every answer reports: uncached input, cached input, output. */
export const USAGE = { fresh: 1500, cached: 5000, output: 210 } as const;

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

export function eventStream(response: ServerResponse): (event: string | null, data: unknown) => void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  return (event, data) => {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    if (!response.destroyed) response.write(`${event === null ? "" : `event: ${event}\n`}data: ${text}\n\n`);
  };
}

/** A content that is a text, or blocks, as one text. */
export function textOf(content: Json): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(textOf).join("\n");
  if (typeof content?.text === "string") return content.text;
  if (content?.content !== undefined) return textOf(content.content);
  return JSON.stringify(content ?? "");
}

/** A text in pieces, as services stream it. */
export function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,40}/g) ?? [];
}
