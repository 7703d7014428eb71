import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunResult } from "./planner_command.ts";
import { type WorkOptions, type WorkProject, workProject } from "./work_project.ts";

/** A request as the programs of tests keep it. */
export interface StoredRequest {
  readonly number: number;
  readonly branch: string;
  readonly base: string;
  title: string;
  body: string;
  readonly draft: boolean;
  state: "open" | "closed" | "merged";
  /** Null for the end of the branch. */
  head: string | null;
  merged: string | null;
}

export interface ForgeState {
  readonly host: string;
  readonly path: string;
  readonly requests: StoredRequest[];
  /** Words with which every call fails. */
  broken?: string;
  /** Whether the answer to the next new request is lost. */
  loses?: boolean;
}

interface ForgeCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly input: string;
}

/** A project with a remote at a forge, whose program is scripts/forge_program.ts. */
export interface ForgeProject extends WorkProject {
  /** Folder with the remote repository and a clone of a maintainer. */
  readonly forge: string;
  /** git in the maintainer's clone; throws when it fails. */
  maintainer(...args: readonly string[]): Promise<string>;
  /** Writes a file there and commits everything. */
  maintain(subject: string, files: Readonly<Record<string, string>>): Promise<string>;
  state(): ForgeState;
  change(change: (state: ForgeState) => void): void;
  calls(): readonly ForgeCall[];
  pr(...args: readonly string[]): Promise<RunResult>;
  /** A hook of the remote repository, or of the project. */
  hook(where: "remote" | "project", name: string, script: string | null): void;
}

interface ForgeOptions extends WorkOptions {
  readonly program: "gh" | "glab";
  /** Whether the program is installed. */
  readonly isThere?: boolean;
}

export async function forgeProject({ program, isThere = true, ...options }: ForgeOptions): Promise<ForgeProject> {
  const project = await workProject(options);
  const forge = mkdtempSync(join(tmpdir(), "planner-forge-"));
  const [bare, clone, bin] = [join(forge, "shared.git"), join(forge, "clone"), join(forge, "bin")];
  const [host, path] = program === "gh" ? ["github.localhost", "acme/shop"] : ["gitlab.localhost", "acme/tools/shop"];
  writeFileSync(join(forge, "state.json"), JSON.stringify({ host, path, requests: [] }));
  await project.mustGit("clone", "--quiet", "--bare", project.root, bare);
  await project.mustGit("remote", "add", "origin", `https://${host}/${path}.git`);
  await project.mustGit("config", `url.${bare}.insteadOf`, `https://${host}/${path}.git`);
  await project.mustGit("fetch", "--quiet", "origin");
  await project.mustGit("branch", "--quiet", "--set-upstream-to=origin/main", "main");
  await project.mustGit("clone", "--quiet", bare, clone);
  mkdirSync(bin);
  const script = join(import.meta.dirname, "scripts", "forge_program.ts");
  if (isThere) {
    writeFileSync(join(bin, program), `#!/bin/sh\nexec "${process.execPath}" "${script}" ${program} "${forge}" "$@"\n`);
    chmodSync(join(bin, program), 0o755);
  }
  // No program of this machine.
  for (const name of ["git", "sh"])
    writeFileSync(join(bin, name), `#!/bin/sh\nPATH='${process.env["PATH"]}' exec ${name} "$@"\n`);
  for (const name of ["git", "sh"]) chmodSync(join(bin, name), 0o755);
  const env = { PATH: isThere ? `${bin}:${process.env["PATH"]}` : bin };
  const maintainer = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await project.git(args, { cwd: clone });
    if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  const state = (): ForgeState => JSON.parse(readFileSync(join(forge, "state.json"), "utf8"));
  return {
    ...project,
    ...{ forge, maintainer, state },
    async maintain(subject, files) {
      for (const [file, text] of Object.entries(files)) writeFileSync(join(clone, file), text);
      await maintainer("add", "--all");
      await maintainer("commit", "--quiet", "-m", subject);
      return (await maintainer("rev-parse", "HEAD")).trim();
    },
    change(change) {
      const now = state();
      change(now);
      writeFileSync(join(forge, "state.json"), JSON.stringify(now));
    },
    calls() {
      const file = join(forge, "calls.jsonl");
      const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
      return lines.map((line) => JSON.parse(line) as ForgeCall);
    },
    pr: (...args) => project.planner(["pr", ...args], { env }),
    hook(where, name, text) {
      const file = join(where === "remote" ? bare : join(project.root, ".git"), "hooks", name);
      if (text === null) return rmSync(file, { force: true });
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, `#!/bin/sh\n${text}\n`);
      chmodSync(file, 0o755);
    },
    [Symbol.dispose]() {
      project.remove();
      rmSync(forge, { recursive: true, force: true });
    },
  };
}
