/**
 * A stub of a coding agent for `examples/day.mjs`: it does what is written here, commits it and ticks its criteria. A real
 * agent gets the same prompt, worktree and variables.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const id = process.env.PLANNER_SPEC_ID;
const prompt = readFileSync(0, "utf8");
const spec = `.planner/specs/${id}.md`;
const text = readFileSync(spec, "utf8");

const FIRST = `export function readAddress(text) {
  const { hostname } = new URL(text);
  if (hostname === "") throw new Error("it has no host");
  return text;
}
`;
const SECOND = FIRST.replace("  const", '  if (text.trim() === "") throw new Error("the address is empty");\n  const');
const VISITS = `const counts = new Map();

export function visit(code) {
  const count = (counts.get(code) ?? 0) + 1;
  counts.set(code, count);
  return count;
}
`;

const isAddress = text.includes("Validate addresses");
const isAgain = prompt.includes("A person sent the work back");
const [file, code] = isAddress ? ["src/address.mjs", isAgain ? SECOND : FIRST] : ["src/visits.mjs", VISITS];
mkdirSync("src", { recursive: true });
writeFileSync(file, code);
execFileSync("git", ["add", file]);
execFileSync("git", [
  "commit",
  "--quiet",
  "-m",
  `planner(${id}): ${isAgain ? "refuse an empty address" : `write ${file}`}`,
]);
writeFileSync(spec, text.replaceAll("- [ ]", "- [x]"));
process.stdout.write(`I wrote ${file}.\n`);
