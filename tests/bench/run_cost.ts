/**
 * `bun tests/bench/run_cost.ts <planner> <planner> [rounds]`: time of one `planner work` and of one `planner merge` by
 * two programs in turn, in a repository of 300 files and 100 specs, with an agent that only commits.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [first = "", second = "", rounds = "10"] = process.argv.slice(2);
const AGENT = `id=$(git branch --show-current | cut -d/ -f2); echo done > "$id.txt"
sed -i 's/- \\[ \\]/- [x]/' .planner/specs/$id.md; git add -A; git commit -q -m "planner($id): do it"`;

interface Cost {
  readonly wallMs: number;
  /** Processor time with all processes that it started. */
  readonly cpuMs: number;
}

function run(command: readonly string[], cwd: string): Cost {
  const began = performance.now();
  const { exitCode, resourceUsage, stderr } = Bun.spawnSync([...command], { cwd, env: { ...process.env, ...ENV } });
  const wallMs = performance.now() - began;
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${stderr}`);
  return { wallMs, cpuMs: Number(resourceUsage?.cpuTime.total ?? 0) / 1000 };
}

const ENV: Record<string, string> = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };

function makeProject(program: string): readonly [root: string, ids: readonly string[]] {
  const root = mkdtempSync(join(tmpdir(), "planner-cost-"));
  ENV["XDG_STATE_HOME"] = join(root, "..", `${root}-state`);
  run(["git", "init", "-q", "-b", "main"], root);
  for (const name of ["name", "email"]) run(["git", "config", `user.${name}`, "ann@example.org"], root);
  run([program, "init"], root);
  const agent = JSON.stringify({ command: { command: "bash", args: ["-c", AGENT] } });
  writeFileSync(join(root, ".planner/config.md"), `---\ndefaults: {provider: command}\nproviders: ${agent}\n---\n`);
  mkdirSync(join(root, "src"));
  for (let at = 0; at < 300; at++) writeFileSync(join(root, "src", `${at}.txt`), `${at}\n`.repeat(100));
  for (let at = 0; at < 100; at++) {
    const id = `2026-11-01-${String(at).padStart(3, "0")}-abc`;
    const text = `---\nstatus: pending\n---\n\n# Do ${at}\n\n## Acceptance Criteria\n\n- [ ] It is done\n  verify: true\n`;
    writeFileSync(join(root, ".planner/specs", `${id}.md`), text);
  }
  run(["git", "add", "-A"], root);
  run(["git", "commit", "-q", "-m", "begin"], root);
  for (const words of [["--commands"], ["2026-11-01-000-abc"]]) run([program, "approve", ...words, "--yes"], root);
  return [root, readdirSync(join(root, ".planner/specs")).map((name) => name.replace(/\.md$/, ""))];
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

const programs = [resolve(first), resolve(second)].map((program) => {
  const [root, ids] = makeProject(program);
  return { program, root, ids, state: ENV["XDG_STATE_HOME"] ?? "", costs: { work: [] as Cost[], merge: [] as Cost[] } };
});
for (let round = 0; round < Number(rounds); round++) {
  for (const { program, root, ids, state, costs } of programs) {
    ENV["XDG_STATE_HOME"] = state;
    const id = ids[round] ?? "";
    costs.work.push(run([program, "work", id], root));
    costs.merge.push(run([program, "merge", id], root));
  }
}
for (const { program, root, state, costs } of programs) {
  for (const [what, all] of Object.entries(costs)) {
    const wall = median(all.map(({ wallMs }) => wallMs));
    const cpu = median(all.map(({ cpuMs }) => cpuMs));
    process.stdout.write(`${program}: ${what} ${wall.toFixed(0)} ms, processor ${cpu.toFixed(0)} ms\n`);
  }
  for (const folder of [root, state]) rmSync(folder, { recursive: true, force: true });
}
