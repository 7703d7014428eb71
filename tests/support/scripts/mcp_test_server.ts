// biome-ignore-all lint/suspicious/noConsole: these are the prints that the server must keep off standard output
/** A server of tools that behave badly, over the real streams of a process of its own: `bun mcp_test_server.ts`. */
import { serveStdio } from "#cli/serve_stdio.ts";
import { type TestTool, testTools } from "../mcp_served.ts";

const never = new Promise<never>(() => {});
const fail = (): never => {
  throw new Error("thrown where nobody catches");
};

function answering(name: string, behave: (args: { size?: number }) => unknown): TestTool {
  return {
    name,
    slow: name.startsWith("slow_"),
    call: async (args) => ({ value: name, text: String((await behave(args as object)) ?? `${name} done`) }),
  };
}

const TOOLS: readonly TestTool[] = [
  answering("echo", (args) => JSON.stringify(args)),
  answering("big", ({ size = 0 }) => "x".repeat(size)),
  answering("print", () => {
    console.log("console.log %s", "noise");
    console.info("noise");
    console.debug({ noise: true });
    console.table([{ noise: 1 }]);
    console.dir({ noise: 1 });
    console.group("noise");
    console.groupEnd();
    console.count("noise");
    console.time("noise");
    console.timeEnd("noise");
    process.stdout.write("process.stdout noise\n");
    process.stdout.end("the end of noise\n");
    (console as unknown as { write?: (text: string) => void }).write?.("noise\n");
  }),
  answering("print_much", () => console.log("x".repeat(1024 * 1024))),
  answering("throw_later", () => {
    setTimeout(fail, 1);
    return never;
  }),
  answering("slow_throw_later", () => {
    setTimeout(fail, 1);
    return never;
  }),
  answering("reject_alone", () => {
    void (async () => {
      await null;
      fail();
    })();
    return never;
  }),
  answering("slow_hang", () => never),
  answering("slow_wait", () => new Promise((resolve) => setTimeout(resolve, 100))),
];

await serveStdio({ info: { name: "test", version: "0.0.0" }, loadTools: async () => testTools(TOOLS) });
