import { describe, expect, test } from "bun:test";
import { MAX_PENDING_REQUESTS } from "#interfaces/mcp/requests.ts";
import { MAX_BATCH_MESSAGES, MAX_UNWRITTEN_CHARS } from "#interfaces/mcp/server.ts";
import { echo, Latch, Served, serve, settle, type TestTool, testTools, waiting } from "../../../support/mcp_served.ts";

describe("batches", () => {
  test("of notifications and responses only have no answer", async () => {
    const served = serve();

    served.send('[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":1,"result":{}}]\n');
    served.request(2, "ping");
    await served.end();

    expect(served.ids).toEqual([2]);
  });

  test.each([0, MAX_BATCH_MESSAGES + 1])("of %i messages are refused as a whole", async (size) => {
    const served = serve();

    served.send(`[${Array(size).fill("1").join(",")}]\n`);
    await served.end();

    expect(served.answers).toMatchObject([{ id: null, error: { code: -32600 } }]);
  });

  test("leave a cancelled call out", async () => {
    const latch = new Latch();
    const served = serve(waiting("slow", latch, { slow: true }));
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "slow", arguments: {} } };

    served.send(`${JSON.stringify([call, { jsonrpc: "2.0", id: 2, method: "ping" }])}\n`);
    await settle();
    served.notify("notifications/cancelled", { requestId: 1 });
    const [answer] = await served.answered(1);
    latch.open();
    await served.end();

    expect(answer as unknown).toEqual([{ jsonrpc: "2.0", id: 2, result: {} }]);
  });
});

describe("back-pressure", () => {
  test("stops reading while too many calls have no answer", async () => {
    const latch = new Latch();
    const served = serve(waiting("ordinary", latch));
    const chunks = MAX_PENDING_REQUESTS + 500;

    for (let id = 0; id < chunks; id += 1) served.call(id, "ordinary");
    await settle();
    expect(served.taken).toBeGreaterThanOrEqual(MAX_PENDING_REQUESTS);
    expect(served.taken).toBeLessThan(MAX_PENDING_REQUESTS + 5);
    latch.open();
    await served.end();

    expect(served.ids).toEqual(Array.from({ length: chunks }, (_, id) => id));
  });

  test("stops reading while the waiting calls are too heavy", async () => {
    const latch = new Latch();
    const served = serve(waiting("ordinary", latch));

    for (let id = 0; id < 20; id += 1) served.call(id, "ordinary", { text: "x".repeat(5 * 1024 * 1024) });
    await settle();
    expect(served.taken).toBeLessThan(10);
    latch.open();
    await served.end();

    expect(served.ids).toHaveLength(20);
  });

  test("begins no call while the reader of the answers is behind", async () => {
    const begun: number[] = [];
    const big: TestTool = {
      name: "big",
      call: async () => ({ value: null, text: "x".repeat(MAX_UNWRITTEN_CHARS / 4 + begun.push(1)) }),
    };
    const latch = new Latch();
    const served = new Served({ loadTools: async () => testTools([big]), write: () => latch.opened });

    for (let id = 0; id < 100; id += 1) served.call(id, "big");
    await settle();

    expect(begun.length).toBeLessThan(10);
    latch.open();
    await served.end();
    expect(begun).toHaveLength(100);
  });
});

describe("the end", () => {
  test("of the input waits for what was read, slow calls included", async () => {
    const latch = new Latch();
    const served = serve(waiting("slow", latch, { slow: true }));

    served.call(1, "slow");
    served.call(2, "echo");
    served.endInput();
    await served.answered(1);
    latch.open();

    expect(await served.ending).toBe("finished");
    expect(served.ids).toEqual([2, 1]);
  });

  test("by a signal finishes what can finish soon", async () => {
    const latch = new Latch();
    const served = serve(waiting("slow", latch, { slow: true }));

    served.call(1, "slow");
    await settle();
    setTimeout(() => latch.open(), 20);

    expect(await served.stop()).toBe("finished");
    expect(served.ids).toEqual([1]);
  });

  test("by a signal takes nothing in any more", async () => {
    const latch = new Latch();
    const served = serve(waiting("slow", latch, { slow: true }));

    served.call(1, "slow");
    await settle();
    const ending = served.stop();
    await settle();
    served.call(2, "echo");
    await settle();
    latch.open();
    await ending;

    expect(served.ids).toEqual([1]);
  });

  test("by a signal aborts what takes too long and says so", async () => {
    const tool = waiting("slow", new Latch(), { slow: true });
    const served = serve(tool);

    served.call(1, "slow");
    await settle();

    expect(await served.stop()).toBe("cut_off");
    expect(tool.aborted()).toBe(true);
    expect(served.answers).toEqual([]);
  });

  test("comes when nobody reads the answers any more", async () => {
    const served = new Served({
      loadTools: async () => testTools([echo]),
      write: async () => Promise.reject(Object.assign(new Error("gone"), { code: "EPIPE" })),
    });

    served.call(1, "echo");

    expect(await served.ending).toBe("finished");
    expect(served.log).toEqual([]);
  });

  test("leaves no call behind that nobody reads the answer of", async () => {
    const tool = waiting("slow", new Latch(), { slow: true });
    const served = new Served({
      loadTools: async () => testTools([tool]),
      write: async () => Promise.reject(Object.assign(new Error("gone"), { code: "EPIPE" })),
    });

    served.call(1, "slow");
    await settle();
    served.request(2, "ping");

    expect(await served.ending).toBe("finished");
    expect(tool.aborted()).toBe(true);
  });

  test("comes with a word when the answers cannot be written", async () => {
    const served = new Served({
      loadTools: async () => testTools([echo]),
      write: async () => Promise.reject(Object.assign(new Error("No space left"), { code: "ENOSPC" })),
    });

    served.call(1, "echo");

    expect(await served.ending).toBe("finished");
    expect(served.log).toEqual(["Cannot write the output: No space left"]);
  });

  test("comes when the input breaks", async () => {
    const served = serve();

    served.request(1, "ping");
    served.breakInput(new Error("EIO"));

    expect(await served.ending).toBe("finished");
    expect(served.ids).toEqual([1]);
    expect(served.log.join()).toContain("EIO");
  });
});
