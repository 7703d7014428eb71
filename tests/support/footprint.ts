import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "./planner_command.ts";
import { type WorkProject, workProject } from "./work_project.ts";

const ID = "2026-11-01-001-aaa";
const HERE = join(import.meta.dirname, "..", "..");

/** What one `planner work <spec>` called. */
export interface Footprint {
  /** Names of the functions that ran by file, below `src/`; a function that ran many times counts once. */
  readonly functions: ReadonlyMap<string, readonly string[]>;
  /** Arguments of every git that planner started. */
  readonly gits: readonly string[];
  /** The spec's status at the end. */
  readonly status: string | undefined;
}

/** The part of a V8 coverage profile that matters here; the first range of a function counts its calls. */
interface Profile {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

/**
 * Runs one spec with the source of a checkout under Deno, whose V8 counts the calls of every function. The agent checks
 * the criteria through MCP and commits.
 */
export async function footprint(checkout: string = HERE): Promise<Footprint> {
  using project = await workProject({ plan: { "*": ["tick", "commit"] } });
  await project.add(ID);
  const coverage = join(project.root, ".planner", "logs", "coverage");
  const counting = countingGit(project);
  const main = join(checkout, "src", "main.ts");
  const command = ["deno", "run", "--quiet", "--allow-all", `--coverage=${coverage}`, main, "work", ID];
  const { code, stdout, stderr } = await runCommand(command, { cwd: project.root, env: counting.env });
  if (code !== 0) throw new Error(`planner work ended with ${code}: ${stdout}${stderr}`);
  return {
    functions: calledFunctions(coverage, checkout),
    gits: counting.calls(),
    status: project.field(ID, "status"),
  };
}

/** A program `git` that notes how it was called and calls the real one. Only the first caller's calls are counted. */
function countingGit({ root }: WorkProject): { readonly env: Record<string, string>; calls(): readonly string[] } {
  const folder = join(root, ".planner", "logs", "counting");
  const real = Bun.which("git") ?? "git";
  const calls = join(folder, "calls");
  mkdirSync(folder, { recursive: true });
  const note = `printf '%s %s\\n' "$PPID" "$*" >> '${calls}'`;
  writeFileSync(join(folder, "git"), `#!/bin/sh\n${note}\nexec '${real}' "$@"\n`);
  chmodSync(join(folder, "git"), 0o755);
  writeFileSync(calls, "");
  return {
    env: { PATH: `${folder}:${process.env["PATH"] ?? ""}` },
    calls() {
      const lines = readFileSync(calls, "utf8").split("\n");
      // Others are the agent and its MCP server, whose environment does not name the run.
      const planner = `${lines[0]?.split(" ", 1)[0]} `;
      return lines.filter((line) => line.startsWith(planner)).map((line) => line.slice(planner.length));
    },
  };
}

function calledFunctions(folder: string, checkout: string): ReadonlyMap<string, readonly string[]> {
  const source = join(checkout, "src") + sep;
  const functions = new Map<string, string[]>();
  for (const name of readdirSync(folder)) {
    const { url, functions: all } = JSON.parse(readFileSync(join(folder, name), "utf8")) as Profile;
    const path = url.startsWith("file:") ? fileURLToPath(url) : "";
    if (!path.startsWith(source)) continue;
    // The first function of a script is its top level, which runs by being loaded.
    const ran = all.filter(({ ranges }, index) => index > 0 && (ranges[0]?.count ?? 0) > 0);
    if (ran.length > 0) {
      functions.set(
        path.slice(source.length),
        ran.map(({ functionName }) => functionName || "(anonymous)"),
      );
    }
  }
  return functions;
}
