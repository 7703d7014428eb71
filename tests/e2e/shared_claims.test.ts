import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromDebian } from "../support/debian.ts";
import { trustProject } from "../support/trusted_project.ts";
import { type WorkProject, workProject } from "../support/work_project.ts";

const FIRST = "2026-11-21-001-aaa";
const SECOND = "2026-11-21-002-bbb";

/**
 * A project whose remote other clones share. Agents wait for their notes.
 *
 * @param renewMinutes how often claims are renewed; a claim that is renewed between a look and the fetch of its text has no
 *   name in that look
 */
async function shared(
  renewMinutes = 4,
): Promise<{ project: WorkProject; other: string; [Symbol.asyncDispose](): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "planner-shared-"));
  const project = await workProject({
    plan: { [FIRST]: ["wait:go", "tick", "commit"], "*": ["tick", "commit"] },
    config: `claims: {remote: origin, renew_minutes: ${renewMinutes}}\n`,
  });
  await project.add(FIRST);
  await project.add(SECOND);
  await project.mustGit("init", "-q", "--bare", "-b", "main", join(folder, "shared.git"));
  await project.mustGit("remote", "add", "origin", join(folder, "shared.git"));
  await project.mustGit("push", "-q", "-u", "origin", "main");
  const other = join(folder, "other clone");
  await project.mustGit("clone", "-q", join(folder, "shared.git"), other);
  trustProject(other);
  return {
    project,
    other,
    async [Symbol.asyncDispose]() {
      project.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test("two clones work and merge a spec once, from its claim to the push of its merge", async () => {
  await using clones = await shared();
  const { project, other } = clones;
  const there = (args: readonly string[]) => project.planner(args, { cwd: other, env: { GIT_COMMITTER_NAME: "Ben" } });
  const running = project.planner(["work", FIRST]);
  await project.noted("pids", "\n");

  const refused = await there(["work", FIRST]);
  expect(refused.stderr).toContain(`Cannot start work on spec '${FIRST}': Ann is working on it in another clone`);
  expect(refused.code).toBe(1);
  const line = expect.stringMatching(
    new RegExp(`^${FIRST}: worked on by Ann in another clone \\(seen for \\d+ s\\)$`, "m"),
  );
  expect((await there(["list"])).stdout).toEqual(line);
  expect((await there(["status"])).stdout).toEqual(line);
  expect(JSON.parse((await there(["list", "--json"])).stdout).others).toMatchObject([
    { spec_id: FIRST, state: "held", by: "Ann" },
  ]);
  expect(JSON.parse((await project.planner(["list", "--json"])).stdout).others).toEqual([]);

  project.release("go");
  expect(await running).toMatchObject({ code: 0 });
  const finished = `Cannot start work on spec '${FIRST}': finished by Ann, not yet in your main branch: pull`;
  expect((await there(["work", FIRST])).stderr).toContain(finished);

  expect(await project.planner(["merge", FIRST])).toMatchObject({ code: 0 });
  await project.mustGit("push", "-q", "origin", "main");
  expect((await there(["work", FIRST])).stderr).toContain('it is done in the main branch of "origin": pull');
  expect(await there(["work", SECOND])).toMatchObject({ code: 0 });
  const claims = await project.mustGit("ls-remote", "origin", "refs/planner/*");
  expect(claims).toContain(`refs/planner/claims/${SECOND}`);
  expect(claims).not.toContain(FIRST);
});

test("a remote that is away refuses a run and a merge, which --offline does all the same and records", async () => {
  await using clones = await shared();
  const { project } = clones;
  await project.mustGit("remote", "set-url", "origin", join(project.root, "nowhere"));

  const refused = await project.planner(["work", SECOND]);
  expect(refused.stderr).toContain(`Cannot start work on spec '${SECOND}': Cannot reach remote "origin"`);
  expect(refused.stderr).toContain(`"planner work ${SECOND} --offline" works without it`);
  expect(project.field(SECOND, "status")).toBe("pending");

  expect(await project.planner(["work", SECOND, "--offline"])).toMatchObject({ code: 0 });
  const record = JSON.parse((await project.planner(["log", SECOND, "--run", "1", "--json"])).stdout);
  expect(record.warnings.join("\n")).toMatch(/works offline: remote "origin" was not asked.*\n*.*Cannot reach remote/);
  expect((await project.planner(["merge", SECOND])).stderr).toContain(`"planner merge ${SECOND} --offline"`);
  expect(await project.planner(["merge", SECOND, "--offline"])).toMatchObject({ code: 0 });
  expect((await project.planner(["work", FIRST, "--steal"], { env: { CI: "1" } })).stderr).not.toBe("");
});

test("a run whose claim was taken ends its agent, keeps the branch and names who has it", async () => {
  await using clones = await shared(0.04);
  const { project } = clones;
  const running = project.planner(["work", FIRST]);
  await project.noted("pids", "\n");
  const tree = (await project.mustGit("hash-object", "-t", "tree", "-w", "/dev/null")).trim();
  const text = `x\n\nspec: ${FIRST}\nstate: held\nby: Ben\nclone: b\nprocess: p\nnonce: n\n`;
  const commit = (await project.mustGit("commit-tree", tree, "-m", text)).trim();
  const push = ["push", "-q", "--force", "origin", `${commit}:refs/planner/claims/${FIRST}`];
  // git refuses even a forced push if the run renews its claim while it is under way.
  while ((await project.git(push)).code !== 0);

  const { code, stdout, stderr } = await running;

  expect(code).toBe(1);
  expect(`${stdout}${stderr}`).toContain("its claim was lost to Ben, who works on it in another clone");
  expect(project.field(FIRST, "status")).toBe("needs_attention");
  expect(await project.mustGit("branch", "--list", `planner/${FIRST}`)).toContain(FIRST);
  expect(await project.mustGit("ls-remote", "origin", `refs/planner/claims/${FIRST}`)).toContain(commit);
});

test("a person who works by hand is asked for the claim as a run is, keeps it after a takeover and gives it up", async () => {
  await using clones = await shared();
  const { project, other } = clones;
  const there = (args: readonly string[]) => project.planner(args, { cwd: other, env: { GIT_COMMITTER_NAME: "Ben" } });
  const claims = () => project.mustGit("ls-remote", "origin", "refs/planner/claims/*");
  const complete = (id: string) => ["update", id, "--status", "completed"];
  const running = project.planner(["work", FIRST]);
  await project.noted("pids", "\n");
  const refused = await there(complete(FIRST));
  expect(refused.stderr).toContain(`Cannot complete spec '${FIRST}': Ann is working on it in another clone`);
  expect(refused.code).toBe(1);
  expect((await project.planner(complete(FIRST))).stderr).toContain(`"planner pause ${FIRST}" stops it`);

  expect(await project.planner(["takeover", FIRST])).toMatchObject({ code: 0 });
  await running;
  const kept = "Ann has taken it over in another clone and works on it by hand";
  expect((await there(["work", FIRST])).stderr).toContain(kept);
  expect((await there(complete(FIRST))).stderr).toContain(kept);
  expect(await project.planner(["reset", FIRST])).toMatchObject({ code: 0 });
  expect(await claims()).not.toContain(FIRST);

  expect(await there(complete(FIRST))).toMatchObject({ code: 0 });
  const finished = "finished by Ben, not yet in your main branch: pull";
  expect((await project.planner(["work", FIRST])).stderr).toContain(finished);
  expect((await project.planner(["update", FIRST, "--status", "in_progress"])).code).toBe(0);
  const file = `.planner/specs/${FIRST}.md`;
  project.write(file, project.read(file).replace("- [ ]", "- [x]"));
  expect((await project.planner(["finalize", FIRST])).stderr).toContain(`Cannot complete spec '${FIRST}': ${finished}`);
  expect(project.field(FIRST, "status")).toBe("in_progress");

  await project.mustGit("remote", "set-url", "origin", join(project.root, "nowhere"));
  expect((await project.planner(["finalize", FIRST])).stderr).toContain(`"planner finalize ${FIRST} --offline" works`);
  const offline = await project.planner(["finalize", FIRST, "--offline"]);
  expect(offline.stdout).toContain('remote "origin" was not asked who may finish the spec');
  expect(project.field(FIRST, "status")).toBe("completed");
});

/** The library of the program `faketime`, whose own folder is that of the machine's kind. */
const FAKETIME = `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/faketime/libfaketime.so.1`;

test.skipIf(!fromDebian(FAKETIME, "faketime"))(
  "clones whose clocks are 20 minutes apart keep and respect claims all the same",
  async () => {
    await using clones = await shared(0.04);
    const { project, other } = clones;
    const clock = (offset: string) => ({ LD_PRELOAD: FAKETIME, FAKETIME: offset });
    const running = project.planner(["work", FIRST], { env: clock("-10m") });
    await project.noted("pids", "\n");
    const began = Date.parse(project.records()[0]?.started_at ?? "");
    expect(Date.now() - began).toBeGreaterThan(9 * 60_000);

    // A claim is stale after 9 seconds here: by the clocks it was so from the start.
    const seen = new Set<string>();
    while (seen.size < 2) {
      seen.add(await project.mustGit("ls-remote", "origin", `refs/planner/claims/${FIRST}`));
      const env = { GIT_COMMITTER_NAME: "Ben", ...clock("+10m") };
      const refused = await project.planner(["work", FIRST], { cwd: other, env });
      expect(refused.stderr).toContain("Ann is working on it in another clone");
    }
    project.release("go");
    expect(await running).toMatchObject({ code: 0 });
    expect(await project.planner(["merge", FIRST], { env: clock("+10m") })).toMatchObject({ code: 0 });
  },
  120_000,
);
