import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAcceptance } from "#planner/store/project/accepted_commands.ts";
import type { AcceptableLine } from "#planner/work/acceptance.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "planner-accepted-")));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const LINE: AcceptableLine = { kind: "check", text: "npm test" };

function git(cwd: string, ...args: readonly string[]): string {
  const who = ["-c", "user.name=Ann", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"];
  const { status, stdout, stderr } = spawnSync("git", [...who, ...args], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}

/** A folder with the repository `repo`, and what one person accepts there. */
class Place {
  readonly folder = mkdtempSync(join(home, "place-"));
  readonly repo = join(this.folder, "repo");
  readonly env = { XDG_STATE_HOME: join(this.folder, "state") };

  init(path = this.repo): this {
    mkdirSync(path, { recursive: true });
    git(path, "init", "--quiet", "--initial-branch=main");
    return this;
  }

  commit(path = this.repo, text = path + Math.random()): this {
    git(path, "commit", "--quiet", "--allow-empty", "-m", text);
    return this;
  }

  async accept(...parts: readonly string[]): Promise<this> {
    const store = await openAcceptance(this.path(...parts), this.env);
    await store.acceptLines([LINE]);
    await store.setTrusted(true);
    return this;
  }

  /** Whether the line, and whether everything, is accepted there. */
  async read(...parts: readonly string[]): Promise<readonly [line: boolean, all: boolean]> {
    const accepted = await (await openAcceptance(this.path(...parts), this.env)).read();
    return [accepted.hasLine(LINE), accepted.isTrusted];
  }

  path(...parts: readonly string[]): string {
    const path = join(this.folder, ...(parts.length === 0 ? ["repo"] : parts));
    mkdirSync(path, { recursive: true });
    return path;
  }

  replace(): void {
    rmSync(this.repo, { recursive: true });
    this.init().commit();
  }

  /** Writes a list as 0.3.0 stored it. */
  writeOldList(): this {
    const of = join(this.repo, ".git");
    const folder = this.path("state", "planner", "accepted");
    const sha256 = createHash("sha256").update(`${LINE.kind}\0${LINE.text}`).digest("hex");
    const list = { of, trusted: true, prefixes: [], lines: [{ ...LINE, sha256, at: "2026-01-01T00:00:00Z" }] };
    const name = createHash("sha256").update(realpathSync(of)).digest("hex");
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(list), { mode: 0o600 });
    return this;
  }
}

const begin = () => new Place().init().commit();

type Row = readonly [name: string, arrange: () => Promise<readonly [boolean, boolean]>, line: boolean, all: boolean];

const ROWS: readonly Row[] = [
  ["the same repository", async () => (await begin().accept()).read(), true, true],
  ["nothing was accepted", async () => begin().read(), false, false],
  [
    "a moved repository",
    async () => {
      const place = await begin().accept();
      renameSync(place.repo, join(place.folder, "moved"));
      return place.read("moved");
    },
    true,
    true,
  ],
  [
    "a repository in a renamed parent folder, with a project below the top",
    async () => {
      const place = new Place();
      place.init(join(place.folder, "old", "repo")).commit(join(place.folder, "old", "repo"));
      await place.accept("old", "repo", "packages", "app");
      renameSync(join(place.folder, "old"), join(place.folder, "new"));
      return place.read("new", "repo", "packages", "app");
    },
    true,
    true,
  ],
  [
    "a copy: its lines are the same, but nobody trusts it",
    async () => {
      const place = await begin().accept();
      cpSync(place.repo, join(place.folder, "copy"), { recursive: true, preserveTimestamps: true });
      return place.read("copy");
    },
    true,
    false,
  ],
  [
    "a clone, which may be a fork",
    async () => {
      const place = await begin().accept();
      git(place.folder, "clone", "--quiet", "repo", "clone");
      return place.read("clone");
    },
    true,
    false,
  ],
  [
    "a worktree on another branch",
    async () => {
      const place = await begin().accept();
      git(place.repo, "worktree", "add", "--quiet", "-b", "side", "../side");
      return place.commit(join(place.folder, "side")).read("side");
    },
    true,
    true,
  ],
  [
    "another repository at the same path",
    async () => {
      const place = await begin().accept();
      place.replace();
      return place.read();
    },
    false,
    false,
  ],
  [
    "another project of the repository",
    async () => (await begin().accept("repo", "packages", "app")).read("repo", "packages", "web"),
    false,
    false,
  ],
  [
    "after the history of another repository was merged",
    async () => {
      const place = await begin().accept();
      place.init(join(place.folder, "other")).commit(join(place.folder, "other"));
      git(place.repo, "fetch", "--quiet", "../other", "main");
      git(place.repo, "merge", "--quiet", "--allow-unrelated-histories", "-m", "join", "FETCH_HEAD");
      return place.read();
    },
    true,
    true,
  ],
  ["a repository without a commit", async () => (await new Place().init().accept()).read(), true, true],
  ["after the first commit", async () => (await new Place().init().accept()).commit().read(), true, true],
  [
    "another repository in the place of one that was empty when its commands were accepted",
    async () => {
      const place = (await new Place().init().accept()).commit();
      await place.read();
      place.replace();
      return place.read();
    },
    false,
    false,
  ],
  [
    "a shallow clone, and after its history was fetched",
    async () => {
      const place = begin().commit().commit();
      git(place.folder, "clone", "--quiet", "--depth=1", `file://${place.repo}`, "shallow");
      expect(await (await place.accept("shallow")).read("shallow")).toEqual([true, true]);
      git(place.path("shallow"), "fetch", "--quiet", "--unshallow");
      return place.read("shallow");
    },
    true,
    true,
  ],
  [
    "a shallow clone of a repository whose commands are accepted",
    async () => {
      const place = await begin().commit().accept();
      git(place.folder, "clone", "--quiet", "--depth=1", `file://${place.repo}`, "shallow");
      return place.read("shallow");
    },
    false,
    false,
  ],
  ["a list of 0.3.0", async () => begin().writeOldList().read(), true, true],
  [
    "a list of 0.3.0 after the first use, in a moved repository",
    async () => {
      const place = begin().writeOldList();
      await place.read();
      renameSync(place.repo, join(place.folder, "moved"));
      return place.read("moved");
    },
    true,
    true,
  ],
  [
    "a list of 0.3.0 that the repository before this one has",
    async () => {
      const place = begin().writeOldList();
      await place.read();
      place.replace();
      return place.read();
    },
    false,
    false,
  ],
  [
    "a list of 0.3.0 for the second of two projects",
    async () => {
      const place = begin().writeOldList();
      await place.read("repo", "packages", "app");
      return place.read("repo", "packages", "web");
    },
    true,
    true,
  ],
  [
    "a list of 0.3.0 in a clone",
    async () => {
      const place = await begin().accept();
      renameSync(place.repo, join(place.folder, "first"));
      git(place.folder, "clone", "--quiet", "first", "repo");
      return place.writeOldList().read();
    },
    true,
    true,
  ],
  [
    "a list of 0.3.0 that was trusted until just now",
    async () => {
      const place = begin().writeOldList();
      await (await openAcceptance(place.repo, place.env)).setTrusted(false);
      return place.read();
    },
    true,
    false,
  ],
  ["a folder without a repository", async () => (await new Place().accept("plain")).read("plain"), true, true],
];

test.each(ROWS)("what is accepted belongs to a repository: %s", async (_name, arrange, line, all) => {
  expect(await arrange()).toEqual([line, all]);
});

test("rules that judged runs hold in their repository, wherever it is moved, and not in a clone on other rules", async () => {
  const place = await begin().accept();
  git(place.folder, "clone", "--quiet", "repo", "clone");
  const rule: AcceptableLine = { kind: "config", text: "verify.commands: npm test" };
  await (await openAcceptance(place.repo, place.env)).holdRules([rule]);
  const held = async (name: string) => (await (await openAcceptance(place.path(name), place.env)).read()).heldRules;

  const before = [await held("repo"), await held("clone")];
  await (await openAcceptance(place.path("clone"), place.env)).acceptLines([rule]);
  renameSync(place.repo, join(place.folder, "moved"));

  expect(before).toEqual([[rule], []]);
  expect(await held("moved")).toEqual([rule]);
});

test("trust that a person takes back in one clone stays in the others", async () => {
  const place = await begin().accept();
  git(place.folder, "clone", "--quiet", "repo", "clone");
  const clone = await openAcceptance(place.path("clone"), place.env);
  await clone.setTrusted(true);
  await clone.setTrusted(false);

  expect([(await place.read())[1], (await place.read("clone"))[1]]).toEqual([true, false]);
});

test("a repository whose HEAD names no commit keeps what is accepted in it", async () => {
  const place = await begin().accept();
  await place.read();
  git(place.repo, "branch", "-m", "main", "other");
  git(place.repo, "symbolic-ref", "HEAD", "refs/heads/main");

  expect(await place.read()).toEqual([true, true]);
});
