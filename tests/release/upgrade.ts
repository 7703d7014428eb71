import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { run } from "../../release/shell.ts";
import { runCommand } from "../support/planner_command.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { type Check, unpacked } from "./check.ts";
import { demand, emptyFolder } from "./main_jobs.ts";

/** The commit of version 0.1.0. */
const OLD_COMMIT = "3fd446c";
const OLD_VERSION = "0.1.0";
const ROOT = join(import.meta.dirname, "..", "..");
const KEPT = join(ROOT, "dist", `planner-${OLD_VERSION}`);
const GIT = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];

/** Works the spec, or waits for the end if the file `wait` exists. */
const AGENT = `
root=$(git rev-parse --show-toplevel)
if [ -e "$PROJECT/.planner/logs/wait" ]; then touch "$PROJECT/.planner/logs/waiting"; exec sleep 600; fi
echo done >> "$root/done.txt"
branch=$(git branch --show-current)
sed -i 's/- \\[ \\]/- [x]/' "$root/.planner/specs/\${branch#planner/}.md"
git add done.txt && git ${GIT.join(" ")} commit -q -m "planner: do it" done.txt
`;

/** Version 0.1.0 as it stands in the history, built once. */
function oldProgram(): string {
  if (existsSync(KEPT)) return KEPT;
  const folder = emptyFolder();
  run("git", ["clone", "--quiet", "--no-checkout", ROOT, folder]);
  run("git", ["-C", folder, "checkout", "--quiet", OLD_COMMIT]);
  run("npm", ["install", "--no-audit", "--no-fund", "--no-save"], { cwd: folder });
  run("node_modules/.bin/bun", ["build.ts"], { cwd: folder });
  run("cp", [join(folder, "dist", "planner"), KEPT]);
  return KEPT;
}

async function succeed(command: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, { cwd });
  if (code !== 0) throw new Error(`${command.slice(1).join(" ")} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

/** A project whose run was killed under the old version: the new one repairs it, does the work and merges it. */
async function projectGoesOn(older: string, newer: string): Promise<void> {
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
  for (const name of readdirSync(join(cwd, ".planner", "specs"))) {
    const path = join(cwd, ".planner", "specs", name);
    const text = readFileSync(path, "utf8");
    if (!text.includes("- [ ]")) writeFileSync(path, `${text}\n## Acceptance Criteria\n\n- [ ] It is done\n`);
  }
  run("git", ["-C", cwd, "add", "--all"]);
  run("git", ["-C", cwd, "commit", "--quiet", "-m", "begin"]);
  const ids = idsIn(await succeed([older, "list", "--json"], cwd));
  const [first = ""] = ids;
  await killedRun(older, first, cwd);

  demand(idsIn(await succeed([newer, "list", "--json"], cwd)).join() === ids.join(), "list shows other specs");
  await succeed([newer, "doctor", "--fix"], cwd);
  await succeed([newer, "approve", "--commands", "--yes"], cwd);
  await succeed([newer, "work", first], cwd);
  await succeed([newer, "merge", first], cwd);
  demand(existsSync(join(cwd, "done.txt")), "the merged work is not in the checkout");
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
  demand(code !== 0 && stderr.includes("newer program"), `${OLD_VERSION} opened the upgraded database: ${stderr}`);
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

/** Version 0.1.0's project and databases under this version. */
export function upgrade(version: string): Check {
  const file = `planner-${version}-linux-x64.tar.xz`;
  return {
    artefact: file,
    place: `over version ${OLD_VERSION}`,
    jobs: "repair and work of a killed run, merge; SQLite and PostgreSQL upgraded, verified, then refused by 0.1.0",
    needs: ["git", "npm", "xz"],
    files: [file],
    check: async () => {
      const older = oldProgram();
      const newer = join(unpacked(file), "planner");
      await projectGoesOn(older, newer);
      const folder = emptyFolder();
      await databaseGoesOn(older, newer, join(folder, "dc.sqlite"), folder);
      const url = await (await sharedPostgres()).database();
      await databaseGoesOn(older, newer, url, folder);
      return "a killed run's repair, work, merge; SQLite and PostgreSQL upgraded, verified, refused by the old version";
    },
  };
}
