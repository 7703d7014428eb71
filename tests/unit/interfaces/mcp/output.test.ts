import { describe, expect, test } from "bun:test";
import { MAX_UNWRITTEN_CHARS } from "#interfaces/mcp/limits.ts";
import { LineOutput } from "#interfaces/mcp/server.ts";

/** A sink that takes what it is given when the test says so. */
class Sink {
  readonly written: string[] = [];
  #take: { resolve: () => void; reject: (error: Error) => void } | undefined;

  write(bytes: Uint8Array): Promise<void> {
    this.written.push(new TextDecoder().decode(bytes));
    return new Promise((resolve, reject) => {
      this.#take = { resolve, reject };
    });
  }

  async take(): Promise<void> {
    this.#take?.resolve();
    await settle();
  }

  async break(code: string): Promise<void> {
    this.#take?.reject(Object.assign(new Error(code), { code }));
    await settle();
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("LineOutput", () => {
  test("joins the lines of one turn into one write", async () => {
    const sink = new Sink();
    const output = new LineOutput(sink);

    output.pushLine("one");
    output.pushLine("two");
    await settle();

    expect(sink.written).toEqual(["one\ntwo\n"]);
  });

  test("escapes every letter at which a reader of lines may split", () => {
    const sink = new Sink();
    const output = new LineOutput(sink);

    output.pushLine(JSON.stringify({ text: "a\u0085b\u2028c\u2029d\u00e4\u{1f600}" }));
    output.flush();

    expect(sink.written).toEqual(['{"text":"a\\u0085b\\u2028c\\u2029d\u00e4\u{1f600}"}\n']);
  });

  test("writes at once when it is told to flush", () => {
    const sink = new Sink();
    const output = new LineOutput(sink);

    output.pushLine("one");
    output.flush();

    expect(sink.written).toEqual(["one\n"]);
  });

  test("begins no write before the last one is taken", async () => {
    const sink = new Sink();
    const output = new LineOutput(sink);

    output.pushLine("one");
    await settle();
    output.pushLine("two");
    output.pushLine("three");
    await settle();
    expect(sink.written).toEqual(["one\n"]);
    await sink.take();

    expect(sink.written).toEqual(["one\n", "two\nthree\n"]);
  });

  test("makes producers wait while too much is unwritten", async () => {
    const sink = new Sink();
    const output = new LineOutput(sink);
    let ready = false;

    output.pushLine("x".repeat(MAX_UNWRITTEN_CHARS - 1));
    expect(output.waitUntilReady()).toBeUndefined();
    output.pushLine("x");
    const waiting = output.waitUntilReady()?.then(() => {
      ready = true;
    });
    await settle();
    expect(ready).toBe(false);
    await sink.take();
    await waiting;

    expect(output.waitUntilReady()).toBeUndefined();
  });

  test("is drained when the last line is taken", async () => {
    const sink = new Sink();
    const output = new LineOutput(sink);
    let drained = false;

    output.pushLine("one");
    const waiting = output.drain().then(() => {
      drained = true;
    });
    output.pushLine("two");
    await sink.take();
    expect(drained).toBe(false);
    await sink.take();
    await waiting;

    expect(sink.written.join("")).toBe("one\ntwo\n");
  });

  test("tells that nobody reads any more, and then drops every line", async () => {
    const sink = new Sink();
    const output = new LineOutput(sink);

    output.pushLine("one");
    await settle();
    output.pushLine("two");
    await sink.break("EPIPE");
    expect(await output.closed).toBeUndefined();
    output.pushLine("three");
    await output.drain();

    expect(sink.written).toEqual(["one\n"]);
    expect(output.waitUntilReady()).toBeUndefined();
  });

  test("tells why a write failed when somebody still reads", async () => {
    const sink = new Sink();
    const output = new LineOutput(sink);

    output.pushLine("one");
    output.flush();
    await sink.break("ENOSPC");

    expect((await output.closed)?.message).toBe("ENOSPC");
  });
});
