import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DEFAULT_CONFIG } from "#planner/config/config.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { openRuns } from "#planner/store/processes/open_runs.ts";
import type { SharedClaimOptions, SharedClaimResult } from "#planner/store/remote_claims/remote_claims.ts";
import type { Claim, SpecClaims } from "#planner/store/remote_claims/shared_claims.ts";
import { freePort } from "./free_port.ts";
import { GitHttp } from "./git_http.ts";
import { runCommand } from "./planner_command.ts";

export const WAYS = ["file", "http", "git"] as const;

const NO_WISHES: SharedClaimOptions = { steal: false, offline: false };

/** One clone of the repository, with the claims of a process that works in it. */
export interface ClaimClone {
  readonly root: string;
  readonly claims: SpecClaims;
  git(...args: readonly string[]): Promise<string>;
  begin(id: string, wishes?: Partial<SharedClaimOptions>): Promise<Begun>;
}

export interface Begun {
  readonly claim: Claim;
  readonly answer: SharedClaimResult;
}

/** A repository that clones share, at a server or as a folder. */
export interface ClaimRepository {
  readonly bare: string;
  readonly url: string;
  /** Null for other ways. */
  readonly http: GitHttp | null;
  git(...args: readonly string[]): Promise<string>;
  hook(name: string, script: string): void;
  clone(name: string, options?: CloneOptions): Promise<ClaimClone>;
  /** The claims there, as `<id> <commit>`. */
  refs(): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface CloneOptions {
  readonly renewMinutes?: number;
  readonly args?: readonly string[];
  readonly remote?: string;
}

export async function claimRepository(way: (typeof WAYS)[number] = "file", format = "sha1"): Promise<ClaimRepository> {
  const folder = mkdtempSync(join(tmpdir(), "planner-claims-"));
  const bare = join(folder, "shared.git");
  const run = async (cwd: string, ...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommand(["git", ...args], { cwd, env: { GIT_CONFIG_NOSYSTEM: "1" } });
    if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  cpSync(await templateOf(format, run), bare, { recursive: true });
  const http = way === "http" ? await GitHttp.start(folder) : null;
  const daemon = way === "git" ? await startDaemon(folder) : null;
  const url = http === null ? (daemon?.url ?? `file://${folder}`) : http.url;
  const clone = async (name: string, { renewMinutes = 4, args = [], remote = "origin" }: CloneOptions = {}) => {
    const root = join(folder, name);
    const person = ["-c", `user.name=${name}`, "-c", `user.email=${name}@example.org`];
    await run(folder, "clone", "-q", ...person, ...args, `${url}/shared.git`, root);
    const claims = { remote, renew_minutes: renewMinutes };
    const runs = openRuns(root, { now: () => new Date() }, async () => ({ ...DEFAULT_CONFIG, claims }));
    return {
      root,
      claims: runs.claims,
      git: (...words: readonly string[]) => run(root, ...words),
      begin: (id: string, wishes = {}) => begin(runs.claims, id as SpecId, { ...NO_WISHES, ...wishes }),
    };
  };
  return {
    ...{ bare, url: `${url}/shared.git`, http, clone },
    git: (...args) => run(bare, ...args),
    hook(name, script) {
      mkdirSync(join(bare, "hooks"), { recursive: true });
      writeFileSync(join(bare, "hooks", name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bare, "hooks", name), 0o755);
    },
    async refs() {
      const listed = await run(
        bare,
        "for-each-ref",
        "--format=%(refname:lstrip=3) %(objectname)",
        "refs/planner/claims/",
      );
      return listed.trim();
    },
    async [Symbol.asyncDispose]() {
      http?.stop();
      await daemon?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const templates = new Map<string, Promise<string>>();

/** Removes the repositories that `claimRepository` copies; for the end of each file of tests. */
export async function dropTemplates(): Promise<void> {
  const made = await Promise.all(templates.values());
  templates.clear();
  for (const bare of made) rmSync(dirname(bare), { recursive: true, force: true });
}

/** A bare repository with one commit, to be copied. */
function templateOf(
  format: string,
  run: (cwd: string, ...args: readonly string[]) => Promise<string>,
): Promise<string> {
  const make = async (): Promise<string> => {
    const folder = mkdtempSync(join(tmpdir(), "planner-claims-template-"));
    const [first, bare] = [join(folder, "first"), join(folder, "shared.git")];
    await run(folder, "init", "-q", "-b", "main", `--object-format=${format}`, first);
    mkdirSync(join(first, ".planner", "specs"), { recursive: true });
    writeFileSync(join(first, ".planner", ".gitignore"), "locks/\n");
    await run(first, "add", "--all");
    const person = ["-c", "user.name=First", "-c", "user.email=first@example.org"];
    await run(first, ...person, "commit", "-q", "-m", "begin");
    await run(folder, "clone", "-q", "--bare", first, bare);
    await run(bare, "config", "http.receivepack", "true");
    return bare;
  };
  const made = templates.get(format) ?? make();
  templates.set(format, made);
  return made;
}

/** Completes a spec in the main branch of the remote. */
export async function completeSpec(clone: ClaimClone, id: string): Promise<void> {
  const folder = join(clone.root, ".planner/specs");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${id}.md`), `---\nid: ${id}\nstatus: completed\n---\n`);
  await clone.git("add", "--all");
  await clone.git("commit", "-q", "-m", "completed");
  await clone.git("push", "-q", "origin", "HEAD:main");
}

async function begin(claims: SpecClaims, id: SpecId, wishes: SharedClaimOptions): Promise<Begun> {
  const answer = await claims.claim(id, `${id}-${process.pid}`);
  if ("heldBy" in answer) throw new Error(`${id} is held by process ${answer.heldBy.pid}`);
  const shared = await answer.claim.share(wishes);
  if (shared.kind !== "own") await answer.claim.release();
  return { claim: answer.claim, answer: shared };
}

async function startDaemon(folder: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const words = [
    "daemon",
    "--reuseaddr",
    "--export-all",
    "--enable=receive-pack",
    "--max-connections=0",
    `--base-path=${folder}`,
  ];
  const child: ChildProcess = spawn("git", [...words, "--listen=127.0.0.1", `--port=${port}`, folder], {
    stdio: "ignore",
    detached: true,
  });
  const url = `git://127.0.0.1:${port}`;
  for (let tries = 0; tries < 100; tries++) {
    const { code } = await runCommand(["git", "ls-remote", `${url}/shared.git`], { cwd: folder });
    if (code === 0) break;
    await sleep(20);
  }
  return {
    url,
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await ended;
    },
  };
}
