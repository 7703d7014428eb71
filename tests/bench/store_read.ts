/**
 * What the spec store costs beside reading the files: `bun tests/bench/store_read.ts [count …]`. Ratios are to one pass
 * of readFileSync over the same files in the same process; cold figures come from processes of their own.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { openSpecStore } from "#planner/store/specs/spec_store.ts";
import { median } from "./measure.ts";
import { benchProject } from "./project.ts";

const PROCESSES = 9;
const CALLS = 101;

interface Cold {
  readonly floor: number;
  readonly active: number;
  readonly memoryMib: number;
}

const print = (...cells: readonly string[]): void => {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
};
const ms = (value: number): string => `${value.toFixed(value < 10 ? 3 : 1)} ms`;

async function timed(run: () => unknown): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

/** One pass of reading every file. */
function readPass(root: string): number {
  const folder = join(root, ".planner/specs");
  let length = 0;
  for (const name of readdirSync(folder)) length += readFileSync(join(folder, name), "utf8").length;
  return length;
}

/** Runs in a process of its own, where nothing is compiled yet. */
async function cold(root: string): Promise<Cold> {
  const before = process.memoryUsage().rss;
  const active = await timed(() => openSpecStore(root).readActive());
  const memoryMib = (process.memoryUsage().rss - before) / 2 ** 20;
  return { floor: await timed(() => readPass(root)), active, memoryMib };
}

function coldRun(root: string): Cold {
  const { stdout } = spawnSync(process.execPath, [import.meta.filename, "--cold", root], { encoding: "utf8" });
  return JSON.parse(stdout);
}

async function repeated(name: string, run: (call: number) => unknown, floor: number): Promise<void> {
  const times: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    times.push(await timed(() => run(call)));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const worst = times.toSorted((a, b) => a - b)[Math.floor(CALLS * 0.95)] ?? Number.NaN;
  print(name, ms(median(times)), `${(median(times) / floor).toFixed(3)}x`, `95 %: ${ms(worst)}`);
}

async function bench(count: number): Promise<void> {
  const root = benchProject(count);
  readPass(root);
  const runs = Array.from({ length: PROCESSES }, () => coldRun(root));
  const floor = median(runs.map((run) => run.floor));
  print(`${count} specs`, "median", "against one pass", "");
  print("---", "---", "---", "---");
  print("one pass of readFileSync", ms(floor), "1x", "");
  const ratio = median(runs.map((run) => run.active / run.floor));
  const memory = `${median(runs.map((run) => run.memoryMib)).toFixed(0)} MiB`;
  print("active(), cold", ms(median(runs.map((run) => run.active))), `${ratio.toFixed(2)}x`, memory);

  const store = openSpecStore(root);
  const ids = await store.listIds();
  await store.readActive();
  await repeated("active(), nothing changed", () => store.readActive(), floor);
  await repeated(
    "a file written in place, then active()",
    (call) => {
      const path = join(root, ".planner/specs", `${ids[(call * 7) % ids.length]}.md`);
      writeFileSync(path, `${readFileSync(path, "utf8")}.\n`);
      return store.readActive();
    },
    floor,
  );
  await repeated("ids()", () => store.listIds(), floor);
  await repeated("load()", (call) => store.load(ids[call % ids.length] as SpecId), floor);
  await repeated("edit()", (call) => store.edit(ids[call % ids.length] as SpecId, (text) => `${text}.\n`), floor);
  await repeated("create()", () => store.create("2026-11-21", (id) => `# ${id}\n`), floor);
  process.stdout.write("\n");
  rmSync(root, { recursive: true });
}

const [first, coldRoot = ""] = process.argv.slice(2);
if (first === "--cold") process.stdout.write(JSON.stringify(await cold(coldRoot)));
else
  for (const count of process.argv
    .slice(2)
    .map(Number)
    .concat(first === undefined ? [100, 10_000] : []))
    await bench(count);
