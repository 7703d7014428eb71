/**
 * `bun tests/bench/run_footprint.ts [--list] [checkout]`: counts what one `planner work <spec>` touches in a checkout
 * (this one by default): functions that ran, files with such a function, and git processes. `--list` names them all.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { footprint } from "../support/footprint.ts";

const { values, positionals } = parseArgs({ options: { list: { type: "boolean" } }, allowPositionals: true });
const { functions, gits, status } = await footprint(positionals[0] && resolve(positionals[0]));

const folders = new Map<string, { files: number; functions: number }>();
for (const [path, names] of functions) {
  if (values.list === true) process.stdout.write(`${path}: ${names.join(", ")}\n`);
  const folder = path.split("/").slice(0, -1).join("/");
  const { files, functions: before } = folders.get(folder) ?? { files: 0, functions: 0 };
  folders.set(folder, { files: files + 1, functions: before + names.length });
}
if (values.list === true) process.stdout.write(`${gits.map((call) => `git ${call}\n`).join("")}\n`);
const print = (...cells: readonly (string | number)[]): void => {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
};
print("folder", "files", "functions");
print("---", "---", "---");
for (const [folder, count] of [...folders].toSorted()) print(folder, count.files, count.functions);
print("all", functions.size, [...functions.values()].flat().length);
process.stdout.write(`\n${gits.length} git processes; the spec ended as ${status}\n`);
