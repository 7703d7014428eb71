import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import {
  CLAIM_REF_PREFIX,
  type ClaimContent,
  type ClaimState,
  decodeSpecId,
  formatClaim,
  parseClaim,
  parseClaimRef,
} from "../../work/claims/decide_claim.ts";
import { isObjectId, type PushedRefResult, parsePushAnswer } from "../../work/claims/push_answer.ts";
import type { CommitWriter } from "../../work/commit_message.ts";
import { formatGitError, Git, type GitAnswer } from "../git/git.ts";
import { SPECS_FOLDER } from "../project/places.ts";
import { formatPlace } from "../worktrees/ref_names.ts";

/** Maximum duration of one call to the remote, in milliseconds. Source: docs/claims.md. */
const CALL_LIMIT_MS = 20_000;

/** Returns settings for every call. They override user settings that add refs, prompts, signatures or waits. */
function buildCallSettings(remote: string): readonly string[] {
  const values = {
    [`remote.${remote}.mirror`]: "false",
    "push.gpgSign": "false",
    "push.pushOption": "",
    "push.useForceIfIncludes": "false",
    "push.followTags": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "http.lowSpeedLimit": "1",
    "http.lowSpeedTime": "15",
  };
  return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

const PUSH_COMMAND =
  "push --porcelain --no-verify --no-progress --no-signed --no-follow-tags --recurse-submodules=no".split(" ");

/** One compare-and-swap at the remote: sets `ref` to `next`, or deletes it if null, provided that it is at `base`. */
export interface RefChange {
  readonly ref: string;
  /** Expected hash; null if the ref must not exist. */
  readonly base: string | null;
  readonly next: string | null;
}

export interface PushAnswer {
  /** Results by ref; the result of a ref without an entry is unknown. */
  readonly lines: ReadonlyMap<string, PushedRefResult>;
  /** Git's message in one line; empty after success. */
  readonly words: string;
  readonly ms: number;
}

export interface RemoteRefs {
  readonly claims: ReadonlyMap<SpecId, string>;
  /** All requested refs with their hashes, claims included. */
  readonly refs: ReadonlyMap<string, string>;
}

export interface FetchedClaims {
  readonly claims: ReadonlyMap<SpecId, string>;
  /** Content of claims, by commit. */
  readonly texts: ReadonlyMap<string, ClaimContent>;
}

interface RemoteParts extends Pick<ClaimRemote, "name" | "url" | "git" | "prefix"> {
  /** Variables added to the environment of each call. */
  readonly env?: Readonly<Record<string, string>>;
  /** Maximum duration of one call, in milliseconds. */
  readonly limitMs?: number;
}

/** The git remote that stores claims, accessed with the user's own git settings. Never prompts. */
export class ClaimRemote {
  readonly name: string;
  /** Address to which claims are pushed. */
  readonly url: string;
  /** Git in the folder to which a relative address refers. */
  readonly git: Git;
  /** Path of the project below the folder of `git`, with `/` at its end; empty for that folder itself. */
  readonly prefix: string;
  readonly #parts: RemoteParts;
  readonly #place: string;
  /** Specs whose claims have the names of earlier versions; null before the remote was read. */
  #plainIds: Set<SpecId> | null = null;
  #ssh: Readonly<Record<string, string>> | undefined;

  constructor(parts: RemoteParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.url = parts.url;
    this.git = parts.git;
    this.prefix = parts.prefix;
    this.#place = formatPlace(parts.prefix);
  }

  /**
   * Lists the remote's refs. Cost: one call to the remote.
   *
   * @param more further refs, by their full names
   * @throws OperationError `unavailable` if the remote cannot be reached
   */
  async listRefs(more: readonly string[] = []): Promise<RemoteRefs> {
    const stdout = await this.#callOrThrow(["ls-remote", "--", this.url, `${CLAIM_REF_PREFIX}*`, ...more]);
    const refs = new Map<string, string>();
    for (const line of stdout.split("\n")) {
      const [oid = "", ref = ""] = line.split("\t");
      if (isObjectId(oid)) refs.set(ref, oid);
    }
    return { claims: this.#selectClaims(refs), refs };
  }

  /**
   * Returns the claims of this project's specs. A claim without the project's path, as earlier versions made it, counts
   * and is used on, unless a project at the repository's top has such names.
   */
  #selectClaims(refs: ReadonlyMap<string, string>): ReadonlyMap<SpecId, string> {
    const [found, plain] = [new Map<SpecId, string>(), new Map<SpecId, string>()];
    const own = CLAIM_REF_PREFIX + this.#place;
    for (const [ref, oid] of refs) {
      const id = ref.startsWith(own) ? decodeSpecId(ref.slice(own.length)) : null;
      const plainId = parseClaimRef(ref);
      if (id !== null) found.set(id, oid);
      else if (plainId !== null) plain.set(plainId, oid);
    }
    this.#plainIds = new Set();
    if (this.#place === "" || existsSync(join(this.git.cwd, SPECS_FOLDER))) return found;
    for (const [id, oid] of plain) {
      if (found.has(id)) continue;
      found.set(id, oid);
      this.#plainIds.add(id);
    }
    return found;
  }

  /** Returns the name at the remote of a ref that `buildClaimRef` returns; other refs keep their names. */
  #nameAtRemote(ref: string): string {
    const id = parseClaimRef(ref);
    if (id === null || this.#place === "" || this.#plainIds?.has(id) === true) return ref;
    return CLAIM_REF_PREFIX + this.#place + ref.slice(CLAIM_REF_PREFIX.length);
  }

  /** Fetches all claims and reads their commits. Cost: one call to the remote. */
  async fetchClaims(): Promise<FetchedClaims> {
    const kept = `refs/planner/remote/${this.name}/claims/`;
    // Never fetches with --depth, which would make the user's clone a shallow one.
    const fetch = "fetch -q --no-tags --no-write-fetch-head --no-recurse-submodules --prune --".split(" ");
    await this.#callOrThrow([...fetch, this.url, `+${CLAIM_REF_PREFIX}*:${kept}*`]);
    const listed = await this.git.run(["for-each-ref", "--format=%(refname)%00%(objectname)%00%(contents)%00", kept]);
    const fields = listed.split("\0");
    const [refs, texts] = [new Map<string, string>(), new Map<string, ClaimContent>()];
    for (let index = 0; index + 2 < fields.length; index += 3) {
      const [ref = "", oid = "", message = ""] = fields.slice(index, index + 3);
      refs.set(CLAIM_REF_PREFIX + ref.trim().slice(kept.length), oid);
      const text = parseClaim(message);
      if (text !== null) texts.set(oid, text);
    }
    return { claims: this.#selectClaims(refs), texts };
  }

  /** Fetches a commit of a branch. @throws OperationError `unavailable` if the remote cannot be reached */
  async fetchBranch(ref: string, oid: string): Promise<void> {
    if ((await this.git.tryReadOutput(["cat-file", "-e", `${oid}^{commit}`])) !== null) return;
    const fetch = "fetch -q --no-tags --no-write-fetch-head --no-recurse-submodules --".split(" ");
    await this.#callOrThrow([...fetch, this.url, `+${ref}:refs/planner/remote/${this.name}/main`]);
  }

  /** Pushes changes, each as a compare-and-swap at the server. Never throws because of the remote's answer. */
  async pushChanges(changes: readonly RefChange[]): Promise<PushAnswer> {
    for (const { next } of changes) {
      // An empty left side would delete the claim.
      if (next !== null && !isObjectId(next)) throw new Error(`no commit to push: ${JSON.stringify(next)}`);
    }
    // A name of an earlier version is known only after a look.
    if (this.#place !== "" && this.#plainIds === null) await this.listRefs().catch(() => null);
    const names = new Map(changes.map(({ ref }) => [this.#nameAtRemote(ref), ref]));
    const leases = changes.map(({ ref, base }) => `--force-with-lease=${this.#nameAtRemote(ref)}:${base ?? ""}`);
    const refspecs = changes.map(({ ref, next }) => `${next ?? ""}:${this.#nameAtRemote(ref)}`);
    const began = performance.now();
    const answer = await this.#callRemote([...PUSH_COMMAND, ...leases, "--", this.name, ...refspecs]).catch(
      buildBrokenAnswer,
    );
    const { status, stdout, stderr } = answer;
    const words = status === 0 ? "" : formatGitError(stderr);
    const lines = [...parsePushAnswer(stdout.toString(), status)].map(
      ([ref, result]) => [names.get(ref) ?? ref, result] as const,
    );
    for (const { ref, next } of changes) {
      const id = next === null ? parseClaimRef(ref) : null;
      // A released claim is made again under the name of today.
      if (id !== null && this.#plainIds?.has(id) === true) this.#plainIds = null;
    }
    return { lines: new Map(lines), words, ms: performance.now() - began };
  }

  /**
   * Creates the commit of a claim, without a time and on the empty tree. Returns its hash.
   *
   * @param base the replaced claim, which becomes the parent if this clone has it
   */
  async createClaimCommit(message: CommitWriter, claim: ClaimToWrite): Promise<string> {
    // Each hash function has a different empty tree.
    const tree = (await this.git.run(["hash-object", "-t", "tree", "-w", "--stdin"])).trim();
    const { name, email } = await this.#findIdentity();
    const env: Record<string, string> = {};
    for (const role of ["AUTHOR", "COMMITTER"]) {
      Object.assign(env, {
        [`GIT_${role}_NAME`]: name,
        [`GIT_${role}_EMAIL`]: email,
        [`GIT_${role}_DATE`]: "@0 +0000",
      });
    }
    const { base, ...text } = claim;
    const nonce = randomBytes(16).toString("hex");
    const input = formatClaim(message, { ...text, by: name, nonce });
    const commit = ["commit-tree", "--no-gpg-sign", tree];
    const options = { input, env };
    const chained = base === null ? null : await this.git.try([...commit, "-p", base], options);
    // This clone may not have the parent.
    const made = chained?.status === 0 ? chained.stdout.toString() : await this.git.run(commit, options);
    return made.trim();
  }

  /** Returns the name with which git commits. Avoids git's own guess, which would contain the name of the machine. */
  async #findIdentity(): Promise<{ readonly name: string; readonly email: string }> {
    const said = await this.git.try(["-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT"]);
    const parts = /^(.*) <(.*)> \d+ [+-]\d+\n$/.exec(said.stdout.toString());
    const [, name = "planner", email = "planner@localhost"] = parts ?? [];
    return { name, email };
  }

  async #callOrThrow(args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await this.#callRemote(args).catch(buildBrokenAnswer);
    if (status === 0) return stdout.toString();
    throw new OperationError("unavailable", `Cannot reach remote "${this.name}": ${formatGitError(stderr)}`);
  }

  async #callRemote(args: readonly string[]): Promise<GitAnswer> {
    this.#ssh ??= await buildSshEnvironment(this.git, this.url);
    const { env, limitMs = CALL_LIMIT_MS } = this.#parts;
    const options = { env: { ...this.#ssh, ...env }, limitMs, remote: true };
    return this.git.try([...buildCallSettings(this.name), ...args], options);
  }
}

export interface ClaimToWrite {
  readonly spec: SpecId;
  readonly state: ClaimState;
  readonly clone: string;
  readonly process: string;
  readonly base: string | null;
}

/** Converts a call that was killed at its time limit into the answer of a broken connection. */
export function buildBrokenAnswer(error: unknown): GitAnswer {
  if (!(error instanceof OperationError)) throw error;
  return { status: null, stdout: Buffer.alloc(0), stderr: error.message };
}

/** Returns the user's own ssh command with an option that prevents prompts. Empty for addresses that need no ssh. */
export async function buildSshEnvironment(git: Git, url: string): Promise<Readonly<Record<string, string>>> {
  if (/^(?:https?|file|git):|^[./]/.test(url)) return {};
  const own = process.env["GIT_SSH_COMMAND"] ?? (await git.tryReadOutput(["config", "core.sshCommand"]));
  if (own === null && process.env["GIT_SSH"] !== undefined) return {};
  return { GIT_SSH_COMMAND: `${own ?? "ssh"} -o BatchMode=yes -o ConnectTimeout=10` };
}

/**
 * Opens the remote of this name around the project in `root`.
 *
 * @throws OperationError `failed_precondition` if it does not exist, or has several push addresses, each of which would
 *   have separate claims
 */
export async function openClaimRemote(root: string, name: string): Promise<ClaimRemote> {
  const here = new Git(root).withWriteAccess();
  const place = await here.tryReadOutput(["rev-parse", "--show-toplevel", "--show-prefix"]);
  const [top = "", prefix = ""] = (place ?? "").split("\n");
  const listed = top === "" ? null : await here.tryReadOutput(["remote", "get-url", "--push", "--all", name]);
  const urls = (listed ?? "").split("\n").filter((url) => url !== "");
  const [url] = urls;
  if (url === undefined) {
    throw createPreconditionError(`No git remote "${name}", which setting "claims.remote" names`);
  }
  if (urls.length > 1) {
    throw createPreconditionError(
      `Remote "${name}" of setting "claims.remote" has ${urls.length} push addresses, each with claims of its own: expected one`,
    );
  }
  return new ClaimRemote({ name, url, git: new Git(top).withWriteAccess(), prefix });
}
