import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { run } from "../../release/shell.ts";
import { runCommand } from "../support/planner_command.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { type Check, unpacked } from "./check.ts";
import { demand, emptyFolder } from "./main_jobs.ts";

/** Commits of earlier versions; 0.3.0's is the last one whose worktrees lie in the project. */
const OLD_COMMITS = { "0.1.0": "3fd446c", "0.3.0": "bcc8186b" } as const;
type OldVersion = keyof typeof OLD_COMMITS;
const ROOT = join(import.meta.dirname, "..", "..");
const GIT = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];

/** Works the spec, or waits for the end if the file `wait` exists. */
const AGENT = `
root=$(git rev-parse --show-toplevel)
if [ -e "$PROJECT/.planner/logs/wait" ]; then
  echo begun > "$root/begun.txt"; git add begun.txt; git ${GIT.join(" ")} commit -q -m "planner: begin"; touch "$PROJECT/.planner/logs/waiting"; exec sleep 600
fi
echo done >> "$root/done.txt"
branch=$(git branch --show-current)
sed -i 's/- \\[ \\]/- [x]/' "$root/.planner/specs/\${branch#planner/}.md"
git add done.txt && git ${GIT.join(" ")} commit -q -m "planner: do it" done.txt
`;

/** An earlier version as it stands in the history, built once. */
function oldProgram(version: OldVersion): string {
  const kept = join(ROOT, "dist", `planner-${version}`);
  if (existsSync(kept)) return kept;
  const folder = emptyFolder();
  run("git", ["clone", "--quiet", "--no-checkout", ROOT, folder]);
  run("git", ["-C", folder, "checkout", "--quiet", OLD_COMMITS[version]]);
  run("npm", ["install", "--no-audit", "--no-fund", "--no-save"], { cwd: folder });
  run("node_modules/.bin/bun", ["build.ts"], { cwd: folder });
  run("cp", [join(folder, "dist", "planner"), kept]);
  return kept;
}

async function succeed(command: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, { cwd });
  if (code !== 0) throw new Error(`${command.slice(1).join(" ")} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

/**
 * A project with a run that was killed under the old version and one that ended unmerged: the new one repairs it, does
 * the work and merges both.
 */
async function projectGoesOn(older: string, newer: string, version: OldVersion): Promise<void> {
  const cwd = await makeProject(older, version);
  const ids = idsIn(await succeed([older, "list", "--json"], cwd));
  const [first = "", second = ""] = ids;
  if (version !== "0.1.0") {
    for (const id of ["--commands", ...ids]) await succeed([older, "approve", id, "--yes"], cwd);
    await succeed([older, "work", second], cwd);
  }
  await killedRun(older, first, cwd);
  const places = worktreesOf(cwd);

  demand(idsIn(await succeed([newer, "list", "--json"], cwd)).join() === ids.join(), "list shows other specs");
  // Doctor also names the work that waits for a merge.
  await runCommand([newer, "doctor", "--fix"], { cwd });
  // What the old version accepted is accepted.
  if (version === "0.1.0") await succeed([newer, "approve", "--commands", "--yes"], cwd);
  await succeed([newer, "work", first], cwd);
  demand(worktreesOf(cwd) === places, `worktrees moved from ${places} to ${worktreesOf(cwd)}`);
  await succeed([newer, "merge", first], cwd);
  for (const file of ["begun.txt", "done.txt"]) demand(existsSync(join(cwd, file)), `${file} is not in the checkout`);
  if (version === "0.1.0") return;
  await succeed([newer, "verify", second, "--record", "--rerun"], cwd);
  await succeed([newer, "merge", second], cwd);
  const { specs } = JSON.parse(await succeed([newer, "list", "--json", "--status", "completed"], cwd));
  demand(specs.length === 2, `${specs.length} specs are completed, expected 2`);
  const left = idsIn(
    await succeed([newer, "doctor", "--json"], cwd).then((json) => json.replace('"findings"', '"specs"')),
  );
  demand(left.length === 0, `doctor finds ${left.length} problems`);
}

function worktreesOf(cwd: string): string {
  return readdirSync(join(cwd, ".planner", "worktrees"))
    .filter((name) => !name.includes("."))
    .join();
}

async function makeProject(older: string, version: OldVersion): Promise<string> {
  const cwd = emptyFolder();
  run("git", ["init", "--quiet", "--initial-branch=main", cwd]);
  run("git", ["-C", cwd, "config", "user.name", "Ann"]);
  run("git", ["-C", cwd, "config", "user.email", "ann@example.org"]);
  await succeed([older, "init"], cwd);
  const agent = join(cwd, ".planner", "agent.sh");
  writeFileSync(agent, AGENT);
  chmodSync(agent, 0o755);
  const providers = JSON.stringify({ command: { command: "sh", args: [agent], env: { PROJECT: cwd } } });
  const config = `---\ndefaults: {provider: command}\nproviders: ${providers}\n---\n`;
  writeFileSync(join(cwd, ".planner", "config.md"), config);
  for (const title of ["Take orders", "Send receipts"]) await succeed([older, "add", title], cwd);
  const check = version === "0.1.0" ? "" : "  verify: test -f done.txt\n";
  for (const name of readdirSync(join(cwd, ".planner", "specs"))) {
    const path = join(cwd, ".planner", "specs", name);
    const text = readFileSync(path, "utf8");
    if (!text.includes("- [ ]")) writeFileSync(path, `${text}\n## Acceptance Criteria\n\n- [ ] It is done\n${check}`);
  }
  run("git", ["-C", cwd, "add", "--all"]);
  run("git", ["-C", cwd, "commit", "--quiet", "-m", "begin"]);
  return cwd;
}

function idsIn(json: string): readonly string[] {
  return JSON.parse(json)
    .specs.map(({ id }: { readonly id: string }) => id)
    .toSorted();
}

/** Kills `planner work` and its agent while the agent waits. */
async function killedRun(program: string, id: string, cwd: string): Promise<void> {
  const logs = join(cwd, ".planner", "logs");
  mkdirSync(logs, { recursive: true });
  writeFileSync(join(logs, "wait"), "");
  const child = spawn(program, ["work", id], { cwd, stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("close", resolve));
  for (let waited = 0; !existsSync(join(logs, "waiting")); waited += 50) {
    demand(waited < 60_000, "the old version's agent did not begin");
    await sleep(50);
  }
  child.kill("SIGKILL");
  await ended;
  run("rm", [join(logs, "wait")]);
}

/** A database of the old version: the new one upgrades it with nothing lost, the old one then refuses it. */
async function databaseGoesOn(older: string, newer: string, db: string, cwd: string): Promise<void> {
  await succeed([older, "dc", "sample", "--db", db], cwd);
  const before = codesIn(await succeed([older, "dc", "export", "--db", db], cwd));
  await succeed([newer, "dc", "migrate", "apply", "--db", db], cwd);
  await succeed([newer, "dc", "audit", "verify", "--estate", "--db", db], cwd);
  const after = codesIn(await succeed([newer, "dc", "export", "--db", db], cwd));
  demand(before.join() === after.join(), `${before.length} resources became ${after.length} or others`);
  const { code, stderr } = await runCommand([older, "dc", "export", "--db", db], { cwd });
  demand(code !== 0 && stderr.includes("newer program"), `the old version opened the upgraded database: ${stderr}`);
}

function codesIn(lines: string): readonly string[] {
  return lines
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [[kind, resource]] = Object.entries<{ code?: string; a?: unknown; b?: unknown }>(JSON.parse(line)) as [
        [string, { code?: string; a?: unknown; b?: unknown }],
      ];
      return JSON.stringify([kind, resource.code ?? [resource.a, resource.b]]);
    })
    .toSorted();
}

/** An earlier version's project and databases under this version. */
export function upgrade(version: string, from: OldVersion): Check {
  const file = `planner-${version}-linux-x64.tar.xz`;
  return {
    artefact: file,
    place: `over version ${from}`,
    jobs: "repair and work of a killed run, merge; SQLite and PostgreSQL upgraded, verified, then refused by the old one",
    needs: ["git", "npm", "xz"],
    files: [file],
    check: async () => {
      const older = oldProgram(from);
      const newer = join(unpacked(file), "planner");
      await projectGoesOn(older, newer, from);
      const folder = emptyFolder();
      await databaseGoesOn(older, newer, join(folder, "dc.sqlite"), folder);
      const url = await (await sharedPostgres()).database();
      await databaseGoesOn(older, newer, url, folder);
      return "a killed run's repair, work, merge; SQLite and PostgreSQL upgraded, verified, refused by the old version";
    },
  };
}

// `bun tests/release/upgrade.ts <program of 0.3.0> <program>` tries a project alone.
const [older, newer] = process.argv.slice(2);
if (import.meta.main && older !== undefined && newer !== undefined) await projectGoesOn(older, newer, "0.3.0");
