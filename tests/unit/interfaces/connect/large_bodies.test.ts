import { expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { Hono } from "hono";
import type { RouteEnv } from "#interfaces/connect/kept_replies.ts";
import { queueLargeBodies } from "#interfaces/connect/request.ts";
import { ByteBudget } from "#kernel/slots.ts";

const LARGE = 1024 * 1024;

/** An app whose answers end when they are told to. */
function openApp() {
  const budget = new ByteBudget(Number.POSITIVE_INFINITY);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const app = new Hono<RouteEnv>();
  app.use(async (context, next) => {
    context.set("account", budget.openAccount());
    context.set("body", new Uint8Array(Number(context.req.query("bytes"))));
    context.set("started", performance.now());
    context.set("head", { header: context.req.raw.headers, isGrpc: false } as never);
    await next();
  });
  app.use(queueLargeBodies());
  app.get("/:name", async (context) => {
    const name = context.req.param("name");
    begun.push(name);
    await new Promise<void>((resolve) => ends.set(name, resolve));
    return context.text(String(context.get("failure") ?? "answered"));
  });
  const ask = async (
    name: string,
    bytes: number,
    { closed = false, outgoing = new EventEmitter(), headers = {} } = {},
  ) => {
    Object.assign(outgoing, { closed });
    const env = { incoming: {}, outgoing } as unknown as RouteEnv["Bindings"];
    return (await app.request(`/${name}?bytes=${bytes}`, { headers }, env)).text();
  };
  const waitFor = async (name: string) => {
    while (!begun.includes(name)) await new Promise(setImmediate);
  };
  return { ask, begun, waitFor, end: (name: string) => ends.get(name)?.() };
}

test("queueLargeBodies answers large bodies one after another, and small ones beside them", async () => {
  const { ask, begun, waitFor, end } = openApp();
  const answers = [ask("first", LARGE), ask("second", LARGE), ask("small", 1000)];
  await waitFor("first");
  await waitFor("small");
  expect(begun).not.toContain("second");

  end("first");
  await waitFor("second");
  end("second");
  end("small");

  expect(await Promise.all(answers)).toEqual(["answered", "answered", "answered"]);
});

test("queueLargeBodies tells a route that the caller of a large body has gone", async () => {
  const { ask, waitFor, end } = openApp();
  const answer = ask("left", LARGE, { closed: true });
  await waitFor("left");
  end("left");

  expect(await answer).toContain("The caller aborted the request");
});

test("queueLargeBodies does not keep a large body whose caller leaves before its turn", async () => {
  const { ask, waitFor, end } = openApp();
  const connection = new EventEmitter();
  const first = ask("first", LARGE);
  await waitFor("first");
  const left = ask("left", LARGE, { outgoing: connection });
  await new Promise(setImmediate);

  connection.emit("close");
  await waitFor("left");
  end("left");

  expect(await left).toContain("The caller aborted the request");
  end("first");
  expect(await first).toBe("answered");
});

test("queueLargeBodies ends the wait of a large body at its deadline", async () => {
  const { ask, waitFor, end } = openApp();
  const first = ask("first", LARGE);
  await waitFor("first");
  const late = ask("late", LARGE, { headers: { "connect-timeout-ms": "5" } });
  await waitFor("late");
  end("late");

  expect(await late).toContain("the operation timed out");
  end("first");
  expect(await first).toBe("answered");
});
