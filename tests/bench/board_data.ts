/**
 * What the board's data costs: `bun tests/bench/board_data.ts [count …]`. Each row is a process of its own, medians of
 * nine, in milliseconds of processor time (user and system); `first` includes reading every file, `again` follows the change of one.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPlanner } from "../../src/cli/compose.ts";
import { BoardState } from "../../src/planner/board/board_state.ts";
import { BoardFactsReader } from "../../src/planner/board/facts_reader.ts";
import { median } from "./measure.ts";
import { benchProject } from "./project.ts";

const PROCESSES = 9;
const STEPS = ["files", "first", "first text", "again", "again text", "picture"] as const;

type Times = Readonly<Record<(typeof STEPS)[number], number>>;

async function timed(run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function look(root: string): Promise<Times> {
  const context = await openPlanner({ cwd: root });
  const [reader, state] = [new BoardFactsReader(context), new BoardState()];
  const folder = join(root, ".planner/specs");
  const refresh = async (): Promise<void> => {
    const facts = await reader.readFacts();
    if (facts !== null) state.updateFacts(facts);
  };
  const text = (): string => JSON.stringify({ ...state.getTotals(), cards: state.listCards() });
  const first = await timed(refresh);
  const firstText = await timed(text);
  const [name = ""] = readdirSync(folder);
  const file = join(folder, name);
  writeFileSync(file, `${readFileSync(file, "utf8")}\nMore.\n`);
  const again = await timed(refresh);
  const againText = await timed(text);
  const picture = await timed(() => JSON.stringify(state.getPicture()));
  const files = await timed(() => {
    for (const one of readdirSync(folder)) readFileSync(join(folder, one), "utf8");
  });
  return { files, first, "first text": firstText, again, "again text": againText, picture };
}

const [mode = "", root = ""] = process.argv.slice(2);
if (mode === "--look") {
  process.stdout.write(JSON.stringify(await look(root)));
} else {
  const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [100, 1000, 10_000];
  process.stdout.write(`| specs | ${STEPS.join(" | ")} |\n| --- |${" --- |".repeat(STEPS.length)}\n`);
  for (const count of counts) {
    const project = benchProject(count);
    const runs = Array.from({ length: PROCESSES }, (): Times => {
      const { stdout } = spawnSync(process.execPath, [import.meta.filename, "--look", project], { encoding: "utf8" });
      return JSON.parse(stdout);
    });
    const cells = STEPS.map((step) => median(runs.map((times) => times[step])).toFixed(1));
    process.stdout.write(`| ${count} | ${cells.join(" | ")} |\n`);
    rmSync(project, { recursive: true, force: true });
  }
}
