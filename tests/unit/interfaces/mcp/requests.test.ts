import { describe, expect, test } from "bun:test";
import {
  echo,
  Latch,
  Served,
  serve,
  settle,
  type TestTool,
  testTools,
  textOf,
  waiting,
} from "../../../support/mcp_served.ts";

describe("tools/call", () => {
  test("answers a tool's text as it is and its value as compact JSON", async () => {
    const text: TestTool = { name: "text", call: async () => ({ value: { a: 1 }, text: "a sentence" }) };
    const served = serve(text);

    served.call(1, "text");
    served.call(2, "echo", { a: [1, "b"] });
    await served.end();

    expect(served.answers.map(textOf)).toEqual(["a sentence", '{"a":[1,"b"]}']);
  });

  test("answers in lines that no reader of lines splits, and takes arguments sent as their JSON text", async () => {
    const served = serve(echo);
    const text = "a\u0085b\u2028c\u2029d\r\ne\u000bf\u001cg";

    served.call(1, "echo", { [text]: [text] });
    served.call(2, "echo", JSON.stringify({ a: text }));
    await served.end();

    expect(served.answers.map(textOf).map((answer) => JSON.parse(answer))).toEqual([{ [text]: [text] }, { a: text }]);
    // What Python's str.splitlines takes for the end of a line.
    expect(served.answers.map(textOf).join("")).not.toMatch(/[\v\f\u0085\u2028\u2029]/);
  });

  test.each<[string, TestTool["call"]]>([
    ["rejects", async () => Promise.reject(new Error("secret detail"))],
    [
      "throws before it waits",
      () => {
        throw new TypeError("secret detail");
      },
    ],
    ["rejects with what is no error", async () => Promise.reject("secret detail")],
  ])("answers -32603 and logs the reason when a tool %s", async (_, call) => {
    const served = serve({ name: "broken", call });

    served.call(1, "broken");
    served.call(2, "echo");
    await served.end();

    expect(served.answers[0]).toEqual({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "Server error" } });
    expect(served.ids).toEqual([1, 2]);
    expect(served.log.join("\n")).toContain("secret detail");
  });

  test("answers -32603 when a value cannot become JSON", async () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const served = serve(
      { name: "cycle", call: async () => ({ value: cycle }) },
      { name: "nothing", call: async () => ({ value: undefined }) },
    );

    served.call(1, "cycle");
    served.call(2, "nothing");
    await served.end();

    expect(served.answers).toMatchObject([{ error: { code: -32603 } }, { error: { code: -32603 } }]);
  });

  test.each([
    ["Unknown tool: __proto__", { name: "__proto__", arguments: {} }],
    ["Unknown tool: constructor", { name: "constructor", arguments: {} }],
  ])("refuses with %s", async (text, params) => {
    const served = serve();

    served.request(1, "tools/call", params);
    await served.end();

    expect(served.answers).toMatchObject([{ id: 1, result: { isError: true, content: [{ type: "text", text }] } }]);
  });
});

describe("order", () => {
  test("answers come in order although the first takes longest", async () => {
    const latch = new Latch();
    const served = serve(waiting("ordinary", latch));

    served.call(1, "ordinary");
    served.request(2, "ping");
    served.send("no json\n");
    served.call(4, "echo");
    await settle();
    expect(served.ids).toEqual([]);
    latch.open();
    await served.end();

    expect(served.ids).toEqual([1, 2, null, 4]);
  });

  test("a slow call is passed by others, but not by a call for the same spec", async () => {
    const latch = new Latch();
    const served = serve(waiting("slow", latch, { slow: true, writes: true }));

    served.call("slow", "slow", { id: "a" });
    served.call("same", "echo", { id: "a" });
    served.call("other", "echo", { id: "b" });
    served.request("ping", "ping");
    await served.answered(2);
    expect(served.ids).toEqual(["other", "ping"]);
    latch.open();
    await served.end();

    expect(served.ids).toEqual(["other", "ping", "slow", "same"]);
  });

  test("keeps the order while the tools are being loaded", async () => {
    const latch = new Latch();
    const served = new Served({
      loadTools: async () => {
        await latch.opened;
        return testTools([echo]);
      },
    });

    served.request(1, "tools/list");
    served.request(2, "ping");
    await settle();
    expect(served.ids).toEqual([]);
    latch.open();
    await served.end();

    expect(served.ids).toEqual([1, 2]);
  });
});

describe("notifications/cancelled", () => {
  test("aborts a running call, which then has no answer", async () => {
    const latch = new Latch();
    const tool = waiting("ordinary", latch);
    const served = serve(tool);

    served.call(1, "ordinary");
    await settle();
    served.notify("notifications/cancelled", { requestId: 1, reason: "enough" });
    served.call(2, "echo");
    await settle();
    expect(tool.aborted()).toBe(true);
    latch.open();
    await served.end();

    expect(served.ids).toEqual([2]);
  });

  test("keeps a queued call from running", async () => {
    const latch = new Latch();
    const called: unknown[] = [];
    const note: TestTool = { name: "note", call: async (args) => ({ value: called.push(args) }) };
    const served = serve(waiting("ordinary", latch), note);

    served.call(1, "ordinary");
    served.call("2", "note", { which: "text id" });
    served.call(2, "note", { which: "number id" });
    served.notify("notifications/cancelled", { requestId: 2 });
    await settle();
    latch.open();
    await served.end();

    expect(called).toEqual([{ which: "text id" }]);
    expect(served.ids).toEqual([1, "2"]);
  });

  test("holds a later call for the same spec until the cancelled one has really ended", async () => {
    const latch = new Latch();
    const served = serve(waiting("slow", latch, { slow: true, writes: true }));

    served.call(1, "slow", { id: "a" });
    served.call(2, "echo", { id: "a" });
    served.notify("notifications/cancelled", { requestId: 1 });
    await settle();
    expect(served.ids).toEqual([]);
    latch.open();
    await served.end();

    expect(served.ids).toEqual([2]);
  });

  test.each(["null", "{}", '{"requestId":99}', '{"requestId":{}}', '{"requestId":null}'])(
    "ignores params %s that name no open call",
    async (params) => {
      const served = serve();

      served.notify("notifications/cancelled", JSON.parse(params));
      served.call(1, "echo");
      await served.end();

      expect(served.ids).toEqual([1]);
    },
  );
});

describe("load", () => {
  test("is tried again after it failed", async () => {
    let tries = 0;
    const served = new Served({
      loadTools: async () => {
        tries += 1;
        if (tries === 1) throw new Error("first try");
        return testTools([echo]);
      },
    });

    served.call(1, "echo");
    served.call(2, "echo");
    await served.end();

    expect(served.answers).toMatchObject([
      { id: 1, error: { code: -32603 } },
      { id: 2, result: {} },
    ]);
    expect(served.log.join()).toContain("first try");
  });

  test("begins in idle time after the greeting", async () => {
    const loaded = new Latch();
    const served = new Served({
      loadTools: async () => {
        loaded.open();
        return testTools([echo]);
      },
    });

    served.request(1, "initialize");
    await loaded.opened;

    expect(served.ids).toEqual([1]);
    await served.end();
  });
});
