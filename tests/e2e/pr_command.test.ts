import { afterEach, expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ForgeProject, forgeProject } from "../support/forge_project.ts";

const ONE = "2026-11-01-001-one";
const TWO = "2026-11-01-002-two";
const BRANCH = `planner/${ONE}`;
const URL = "https://github.localhost/acme/shop/pull/7";

let project: ForgeProject;

afterEach(() => project[Symbol.dispose]());

function body(id: string): string {
  return `# Open | the shop, @ann #1\n\n## Acceptance Criteria\n\n- [ ] It is <b>there</b> | really\n  verify: test -f ${id}.txt\n- [ ] It reads well\n`;
}

/** A project whose agents have finished the first spec, and left the second one unfinished. */
async function worked(options: Partial<Parameters<typeof forgeProject>[0]> = {}, ...ids: string[]): Promise<void> {
  project = await forgeProject({ program: "gh", plan: { [TWO]: ["commit"], "*": ["tick", "commit"] }, ...options });
  for (const id of [ONE, ...ids]) await project.add(id, "", body(id));
  await project.mustGit("push", "--quiet", "origin", "main");
  await project.planner(["work", ONE, ...ids]);
}

async function remoteHead(branch = BRANCH): Promise<string> {
  const { stdout } = await project.git(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`], {
    cwd: join(project.forge, "shared.git"),
  });
  return stdout.trim();
}

/** The work of a person on the branch. */
async function commitThere(file: string): Promise<string> {
  project.write(`${project.tree(ONE)}/${file}`, "more\n");
  const cwd = join(project.root, project.tree(ONE));
  await project.git(["add", file], { cwd });
  await project.git(["commit", "--quiet", "-m", `add ${file}`], { cwd });
  return (await project.mustGit("rev-parse", BRANCH)).trim();
}

async function made(...words: readonly string[]) {
  const { code, stdout, stderr } = await project.pr(...words, "--json");
  return { code, stderr, results: JSON.parse(stdout).results as readonly Record<string, unknown>[] };
}

test("pr pushes finished work and makes its request, which carries the proof; done again it is brought up to date", async () => {
  await worked({ config: "pr: {records: true}\n" });
  const printed = await project.pr(ONE, "--print");
  expect(printed).toMatchObject({ code: 0, stderr: "" });
  expect(printed.stdout).toStartWith("Open | the shop, @ann #1\n\n<!-- planner: begin");
  expect(printed.stdout).toEndWith(`\n\nhttps://github.localhost/acme/shop/compare/main...${BRANCH}?expand=1\n`);
  expect(project.calls()).toEqual([]);
  expect(await remoteHead()).toBe("");

  expect(await project.pr(ONE)).toMatchObject({ code: 0, stdout: `Created: ${ONE} ${URL}\n`, stderr: "" });

  const head = (await project.mustGit("rev-parse", BRANCH)).trim();
  expect(await remoteHead()).toBe(head);
  // What is merged there completes the spec.
  expect(await project.mustGit("show", `${BRANCH}:.planner/specs/${ONE}.md`)).toContain("status: completed");
  const [request] = project.state().requests;
  expect(request).toMatchObject({ branch: BRANCH, base: "main", title: "Open | the shop, @ann #1", draft: false });
  expect(request?.body).toContain(
    `| ✅ | It is &#60;&#8203;b&#62;&#8203;there&#60;&#8203;/b&#62;&#8203; &#124;&#8203; really | <code>test -f ${ONE}.txt</code> | proven: passed in `,
  );
  expect(request?.body).toContain("| ☑️ | It reads well | none | claimed: it names no check |");
  expect(request?.body).toMatch(/\nRun 1 by command: completed, /);
  expect(request?.body).toContain(`planner(${ONE}): do the work`);
  expect(project.calls().map(({ args }) => args.at(-1))).toEqual([
    `repos/acme/shop/pulls?head=acme%3Aplanner%2F${ONE}&state=all&per_page=100`,
    "repos/acme/shop/pulls",
  ]);
  expect(await remoteHead("../planner/runs/x")).toBe("");
  const records = await project.git(["for-each-ref", "refs/planner/"], { cwd: join(project.forge, "shared.git") });
  expect(records.stdout.trim()).toEndWith(`refs/planner/runs/${ONE}/1`);

  // Noted outside of the spec.
  expect(project.read(`.planner/specs/${ONE}.md`)).not.toContain("github");
  expect(await project.mustGit("log", "-1", "--format=%B", `refs/planner/pr/${ONE}`)).toContain('"number": 7');
  expect((await project.planner(["status"])).stdout).toContain(`${ONE}: pull request #7 open, ${URL}\n`);
  const review = JSON.parse((await project.planner(["review", ONE, "--json"])).stdout);
  expect(review.need).toEqual({
    ...{ kind: "finished", why: `Pull request #7 is open: ${URL}`, command: `planner pr --sync ${ONE}` },
  });
  const left = await project.planner(["merge", "--all"]);
  expect(left.stderr).toContain(`Left alone: ${ONE}: pull request #7 has it (${URL})`);
  expect((await project.planner(["doctor"])).stdout).toContain(`"planner pr --sync ${ONE}" takes over its merge`);

  // The same again; then with what a person wrote there, and with more work.
  expect(await made(ONE)).toMatchObject({ code: 0, results: [{ outcome: "updated", number: 7, head }] });
  expect(project.calls().filter(({ args }) => args.includes("PATCH"))).toEqual([]);
  project.change(({ requests }) =>
    Object.assign(requests[0] ?? {}, { body: `Please look.\n\n${request?.body}\n\nThanks.` }),
  );
  const more = await commitThere("more.txt");
  const { results } = await made(ONE, "--draft");
  expect(results).toMatchObject([
    { outcome: "updated", notes: ["the request is open already: --draft changes nothing of it"] },
  ]);
  expect(await remoteHead()).toBe(more);
  const text = project.state().requests[0]?.body ?? "";
  expect(text).toStartWith("Please look.\n\n<!-- planner: begin");
  expect(text).toEndWith("<!-- planner: end -->\n\nThanks.");
  expect(text).toContain(`on <code>${more.slice(0, 10)}</code>`);
  expect(text).toContain("add more.txt");
  // A rebase replaces what this clone has pushed.
  await project.git(["commit", "--quiet", "--amend", "-m", "add it"], {
    cwd: join(project.root, project.tree(ONE)),
  });
  expect((await made(ONE)).code).toBe(0);
  expect(await remoteHead()).toBe((await project.mustGit("rev-parse", BRANCH)).trim());
  expect(project.state().requests).toHaveLength(1);
});

test("pr refuses what is not finished, not committed or not proven, and an agent", async () => {
  await worked({}, TWO);
  const refusal = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await project.pr(...words);
    expect([code, stdout]).toEqual([1, ""]);
    return stderr;
  };
  expect(await refusal(TWO)).toContain(`its work is not finished (needs_attention): "planner pr ${TWO} --draft"`);
  const inside = await project.planner(["pr", ONE], { env: { PLANNER_RUN: `${ONE}-1@${project.root}` } });
  expect([inside.code, inside.stdout]).toEqual([1, ""]);
  expect(inside.stderr).toContain(`Cannot make a pull request inside the run of spec '${ONE}'`);
  const cwd = join(project.root, project.tree(ONE));
  expect((await project.planner(["pr", ONE], { cwd })).code).toBe(1);
  project.write(`${project.tree(ONE)}/open.txt`, "x\n");
  expect(await refusal(ONE)).toContain('"open.txt" is not committed');
  await project.git(["clean", "--quiet", "--force", "open.txt"], { cwd });
  await project.git(["mv", `${ONE}.txt`, "gone.txt"], { cwd });
  await project.git(["commit", "--quiet", "-m", "move"], { cwd });
  expect(await refusal(ONE)).toContain(`"test -f ${ONE}.txt" ended with status 1`);
  expect((await project.pr()).code).toBe(2);
  expect((await project.pr("--sync", "--draft")).code).toBe(2);
  expect((await project.pr(ONE, "--unproven", "x")).code).toBe(2);
  expect(project.state().requests).toEqual([]);
  expect(await remoteHead()).toBe("");

  // A draft shows unfinished work as it is, and completes nothing.
  expect(await made(TWO, "--draft")).toMatchObject({ code: 0, results: [{ outcome: "created" }] });
  const [draft] = project.state().requests;
  expect(draft?.draft).toBe(true);
  expect(draft?.body).toContain("| ⬜ | It reads well | none | open |");
  expect(await project.mustGit("show", `planner/${TWO}:.planner/specs/${TWO}.md`)).not.toContain("status: completed");
});

test("pr makes a merge request with glab, and prints text and address without a program", async () => {
  await worked({ program: "glab" });
  expect(await made(ONE, "--draft")).toMatchObject({
    results: [{ outcome: "created", number: 7, url: "https://gitlab.localhost/acme/tools/shop/-/merge_requests/7" }],
  });
  const create = project.calls().find(({ input }) => input !== "");
  expect(create?.args).toContain("projects/acme%2Ftools%2Fshop/merge_requests");
  expect(JSON.parse(create?.input ?? "")).toMatchObject({
    title: "Draft: Open | the shop, @ann #1",
    target_branch: "main",
  });
  project.change(({ requests }) => Object.assign(requests[0] ?? {}, { body: "" }));
  expect((await made(ONE)).results).toMatchObject([{ outcome: "updated" }]);
  expect(project.state().requests[0]?.body).toContain("<!-- planner: begin");
  expect((await project.planner(["status"])).stdout).toContain("merge request !7 open");

  project[Symbol.dispose]();
  await worked({ isThere: false });
  const { code, stdout, stderr } = await project.pr(ONE);
  expect(code).toBe(0);
  expect(stderr).toContain("the branch is pushed; make its request at the address below");
  expect(stdout).toContain("| ☑️ | It reads well |");
  expect(stdout).toEndWith(`https://github.localhost/acme/shop/compare/main...${BRANCH}?expand=1\n`);
  expect(await remoteHead()).toBe((await project.mustGit("rev-parse", BRANCH)).trim());
  expect((await project.planner(["status", "--json"])).stdout).toContain('"name":"pull request"');
});

test("pr loses nothing to hooks, other people, lost answers, closed requests and a forge that refuses", async () => {
  await worked();
  const refusal = async (...words: readonly string[]): Promise<string> => {
    const { code, stderr } = await project.pr(ONE, ...words);
    expect(code).toBe(1);
    return stderr;
  };
  project.hook("project", "pre-push", "echo 'no pushes on Fridays' >&2; exit 1");
  expect(await refusal()).toContain("no pushes on Fridays");
  project.hook("project", "pre-push", null);
  project.hook("remote", "pre-receive", "echo 'not by you' >&2; exit 1");
  expect(await refusal()).toContain("not by you");
  project.hook("remote", "pre-receive", null);
  expect(await remoteHead()).toBe("");
  expect(project.state().requests).toEqual([]);

  // Someone else's branch of the same name.
  await project.maintainer("checkout", "--quiet", "-b", BRANCH, "origin/main");
  const theirs = await project.maintain("theirs", { "theirs.txt": "theirs\n" });
  await project.maintainer("push", "--quiet", "origin", BRANCH);
  expect(await refusal()).toContain("which this clone has not pushed");
  expect(await remoteHead()).toBe(theirs);
  await project.maintainer("push", "--quiet", "origin", `:${BRANCH}`);

  // git's answer is lost after the push; then that of the forge after the request was made.
  const bin = join(project.forge, "bin");
  const real = `PATH='${process.env["PATH"]}' exec git "$@"`;
  const wrapper = (lines: string): void => {
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "git"), `#!/bin/sh\n${lines}\n${real}\n`);
    chmodSync(join(bin, "git"), 0o755);
  };
  wrapper(
    `for word in "$@"; do [ "$word" = push ] && { PATH='${process.env["PATH"]}' git "$@" >/dev/null 2>&1; exit 128; }; done`,
  );
  project.change((state) => Object.assign(state, { loses: true }));
  expect(await made(ONE)).toMatchObject({
    ...{
      code: 0,
      results: [{ outcome: "created", number: 7, notes: ["the answer to the push was lost; the branch is there"] }],
    },
  });
  wrapper("");
  expect(project.state().requests).toHaveLength(1);

  project.change((state) =>
    Object.assign(state, { broken: "To get started with GitHub CLI, please run: gh auth login" }),
  );
  expect(await refusal()).toContain("please run: gh auth login");
  project.change((state) => delete state.broken);

  // A maintainer's commit on top stays.
  await project.maintainer("fetch", "--quiet", "origin");
  await project.maintainer("checkout", "--quiet", "-B", BRANCH, `origin/${BRANCH}`);
  const on = await project.maintain("on top", { "top.txt": "top\n" });
  await project.maintainer("push", "--quiet", "origin", BRANCH);
  expect(await refusal()).toContain("which this clone has not pushed");
  expect(await remoteHead()).toBe(on);
  await project.maintainer("push", "--quiet", "--force", "origin", `${on}^:${BRANCH}`);

  project.change(({ requests }) => Object.assign(requests[0] ?? {}, { state: "closed" }));
  expect(await refusal()).toContain("pull request #7 was closed without a merge");
  const synced = await project.pr("--sync");
  expect([synced.code, synced.stderr]).toEqual([1, expect.stringContaining(`closed without a merge: ${URL}`)]);
  expect((await project.planner(["status"])).stdout).toContain("pull request #7 closed");
  expect((await made(ONE, "--new")).results).toMatchObject([{ outcome: "created", number: 8 }]);
  // A run that builds upon the work waits for its merge; a rejection forgets the request, and names it.
  await project.add(TWO, `depends_on: [${ONE}]\n`, body(TWO));
  const built = await project.planner(["work", TWO]);
  expect(built.stdout + built.stderr).toContain(`the work of '${ONE}' is not merged: pull request #8 has it`);
  const rejected = await project.planner(["review", ONE, "--reject"]);
  expect([rejected.code, rejected.stderr]).toEqual([
    0,
    expect.stringContaining("its pull request #8 may still be open"),
  ]);
  expect(await project.mustGit("for-each-ref", "refs/planner/pr/")).toBe("");
});

test("pr makes the request of a fork in its upstream, into the branch that the settings name", async () => {
  await worked({ config: "pr: {remote: fork, upstream: origin, base: next}\n" });
  const fork = join(project.forge, "fork.git");
  await project.mustGit("clone", "--quiet", "--bare", join(project.forge, "shared.git"), fork);
  await project.mustGit("remote", "add", "fork", "git@github.localhost:ann/shop.git");
  await project.mustGit("config", `url.${fork}.insteadOf`, "git@github.localhost:ann/shop.git");

  const { stdout } = await project.pr(ONE, "--print");
  expect(stdout).toEndWith(`/acme/shop/compare/next...ann:${BRANCH}?expand=1\n`);
  const { stderr } = await project.pr(ONE);
  // The program of the test has no forks: it does not find the branch.
  expect(stderr).toContain(`The branch "${BRANCH}" is pushed, its request was not made`);
  const [find, create] = project.calls();
  expect(find?.args.at(-1)).toStartWith("repos/acme/shop/pulls?head=ann%3A");
  expect(JSON.parse(create?.input ?? "")).toMatchObject({ head: `ann:${BRANCH}`, base: "next" });
  const there = await project.git(["rev-parse", `refs/heads/${BRANCH}`], { cwd: fork });
  expect(there.stdout).toBe(await project.mustGit("rev-parse", BRANCH));

  for (const [settings, words] of [
    ["{remote: gone}", 'there is no git remote "gone"'],
    ["{remote: folder}", 'is no repository of GitHub or GitLab: set "pr.forge"'],
  ]) {
    const text = project.read(".planner/config.md").replace(/^pr: .*$/m, `pr: ${settings}`);
    project.write(".planner/config.md", text);
    await project.git(["remote", "add", "folder", "/srv/shop.git"]);
    expect((await project.pr(ONE)).stderr).toContain(words ?? "");
  }
});
