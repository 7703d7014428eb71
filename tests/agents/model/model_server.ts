import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import { concreteCall } from "./concrete_call.ts";
import { type Asked, type Dialect, type Json, sendJson } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { responses } from "./responses.ts";
import { SCRIPTS, type Scene } from "./script.ts";

/** A model on 127.0.0.1 that does what its scripts say, in the protocols of four services. */
export interface ModelServer {
  readonly port: number;
  /** What was asked, oldest first. */
  readonly turns: readonly Turn[];
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Turn {
  readonly script: string;
  readonly id: string;
  readonly step: number;
  readonly offered: readonly string[];
  readonly called: readonly string[];
  readonly results: readonly string[];
  readonly text: string;
  /** Whether it was left without an answer. */
  readonly held: boolean;
}

interface Course {
  readonly turns: Turn[];
  /** Specs whose first run was held. */
  readonly held: Set<string>;
}

export async function openModelServer(): Promise<ModelServer> {
  const turns: Turn[] = [];
  const course: Course = { turns, held: new Set() };
  const server = createServer((request, response) => {
    answered(request, response, course).catch((error: unknown) => {
      sendJson(response, 500, { error: { message: String(error) } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    turns,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const DIALECTS: readonly (readonly [RegExp, Dialect])[] = [
  [/\/messages$/, anthropic],
  [/\/responses$/, responses],
  [/\/chat\/completions$/, chat],
  [/:(?:stream)?[gG]enerateContent$/, gemini],
];

async function answered(request: IncomingMessage, response: ServerResponse, course: Course): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://model");
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const dialect = DIALECTS.find(([path]) => path.test(pathname))?.[1];
  if (pathname.endsWith("/count_tokens")) return sendJson(response, 200, { input_tokens: 1000 });
  if (pathname.endsWith(":countTokens")) return sendJson(response, 200, { totalTokens: 1000 });
  if (pathname.endsWith("/models")) return sendJson(response, 200, { object: "list", data: [], models: [] });
  if (dialect === undefined) return sendJson(response, 404, { error: { message: `no such path: ${pathname}` } });
  const body: Json = JSON.parse(Buffer.concat(chunks).toString());
  const asked = dialect.asked({ ...body, streams: pathname.includes(":stream") });
  // Agents ask for titles and the like without any tool, and for how hard the task is.
  const aside = JSON.stringify({ complexity_reasoning: "none", complexity_score: 20, reasoning: "none" });
  if (asked.offered.length < 3) return dialect.answer(response, asked, { say: aside, calls: [], searchFor: null });
  play(dialect, response, { asked, course });
}

function play(dialect: Dialect, response: ServerResponse, { asked, course }: { asked: Asked; course: Course }): void {
  const { offered, results, text, step } = asked;
  const scene = sceneOf(asked);
  const script = /Script: (\w+)/.exec(text)?.[1] ?? "chat";
  const all = (SCRIPTS[script] ?? []).map((one) => one(scene));
  const steps = course.held.has(scene.id) ? all.filter(({ hold }) => hold !== true) : all;
  const next = steps[Math.min(step, steps.length - 1)] ?? {};
  const calls = (next.calls ?? []).map((call) => concreteCall(call, offered));
  const missing = asked.searchable ? calls.find((call) => !call.offered) : undefined;
  const called = calls.map(({ tool }) => tool.name);
  course.turns.push({
    script,
    id: scene.id,
    step,
    offered: offered.map(({ name }) => name),
    called,
    results,
    text,
    held: next.hold === true,
  });
  if (next.hold === true) {
    course.held.add(scene.id);
    return;
  }
  if (next.error !== undefined) {
    dialect.refuse(response, next.error.status, next.error.message);
    return;
  }
  const searchFor = missing === undefined ? null : missing.tool.name.replace(/.*planner_/, "planner ");
  dialect.answer(response, asked, { say: next.say ?? "", calls, searchFor });
}

/** Read from planner's prompt, like everything that an agent knows. */
function sceneOf({ text, results }: Asked): Scene {
  return {
    id: /\d{4}-\d\d-\d\d-[0-9a-z]{3}-[a-z0-9]{3}(?:\.\d+)*/.exec(text)?.[0] ?? "none",
    dir: /^You are in a git worktree of your own, (\S+),/m.exec(text)?.[1] ?? ".",
    results,
  };
}
