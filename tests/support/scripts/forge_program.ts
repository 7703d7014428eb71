/**
 * `gh` and `glab` for tests: they check what they are given and answer as the forge does, from `state.json`.
 *
 *     bun forge_program.ts <gh | glab> <folder> api ...
 *
 * The folder has `state.json` (see `ForgeState`), `calls.jsonl`, to which each call is added, and `shared.git`, the
 * repository at the forge. What the forge would not take ends with status 1 and its reasons on standard output, as there;
 * what the program itself would not understand ends with status 2.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ForgeState, StoredRequest } from "../forge_project.ts";

const [program = "", folder = "", ...args] = process.argv.slice(2);
const file = join(folder, "state.json");
const state = JSON.parse(readFileSync(file, "utf8")) as ForgeState;
const input = readFileSync(0, "utf8");
appendFileSync(join(folder, "calls.jsonl"), `${JSON.stringify({ program, args, input })}\n`);

function stop(status: number, words: string, body: object | null = null): never {
  if (body !== null) process.stdout.write(JSON.stringify(body));
  process.stderr.write(`${words}\n`);
  process.exit(status);
}

if (state.broken !== undefined) stop(4, state.broken);
if (args.shift() !== "api") stop(2, `unknown command "${args[0]}"`);
const options = new Map<string, string>();
const names = ["--hostname", "-X", "-H", "--input"];
while (names.includes(args[0] ?? "")) options.set(args.shift() ?? "", args.shift() ?? "");
if (args.length !== 1 || options.get("--hostname") !== state.host) stop(2, `unexpected arguments: ${args.join(" ")}`);
const method = options.get("-X") ?? "GET";
const fields = method === "GET" ? {} : (JSON.parse(input) as Record<string, unknown>);
if (method === "GET" && input !== "") stop(2, "a GET has no body");
if (method !== "GET" && options.get("--input") !== "-") stop(2, "expected the body on standard input");
if (method !== "GET" && options.get("-H") !== "Content-Type: application/json") stop(1, "HTTP 415");

const address = new URL(args[0] ?? "", "http://forge/");
const list =
  program === "gh" ? `repos/${state.path}/pulls` : `projects/${encodeURIComponent(state.path)}/merge_requests`;
const [, number] = address.pathname.slice(1).split(list);
if (number === undefined || !/^(?:\/\d+)?$/.test(number)) stop(1, "HTTP 404", { message: "Not Found" });

function commitOf(ref: string): string | null {
  const asked = ["--git-dir", join(folder, "shared.git"), "rev-parse", "--verify", "--quiet", ref];
  const { status, stdout } = spawnSync("git", asked, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}

function shown(request: StoredRequest): object {
  const { branch, base, title, body, draft, merged } = request;
  const sha = request.head ?? commitOf(`refs/heads/${branch}`) ?? "0".repeat(40);
  const url = `https://${state.host}/${state.path}/${program === "gh" ? "pull" : "-/merge_requests"}/${request.number}`;
  if (program === "glab") {
    return {
      ...{ iid: request.number, web_url: url, state: request.state === "open" ? "opened" : request.state },
      ...{ sha, source_branch: branch, target_branch: base, title, description: body, draft },
      ...{ merge_commit_sha: null, squash_commit_sha: merged },
    };
  }
  return {
    ...{
      number: request.number,
      html_url: url,
      state: request.state === "open" ? "open" : "closed",
      title,
      body,
      draft,
    },
    merged_at: request.state === "merged" ? "2026-11-24T08:00:00Z" : null,
    merge_commit_sha: merged ?? "f".repeat(40),
    ...{ head: { sha, ref: branch }, base: { ref: base } },
  };
}

function answer(value: unknown): never {
  writeFileSync(file, JSON.stringify(state));
  process.stdout.write(JSON.stringify(value));
  process.exit(0);
}

function find(): never {
  const query = Object.fromEntries(address.searchParams);
  const wanted = program === "gh" ? query["head"] : query["source_branch"];
  if (query["state"] !== "all") stop(2, "expected requests in every state");
  const owner = program === "gh" ? `${state.path.split("/")[0]}:` : "";
  answer(
    state.requests
      .filter(({ branch }) => wanted === owner + branch)
      .map(shown)
      .reverse(),
  );
}

function create(): never {
  const { draft = false, title, body, head, base, description, source_branch, target_branch } = fields;
  const [branch, into, text] = program === "gh" ? [head, base, body] : [source_branch, target_branch, description];
  for (const one of [title, branch, into, text]) if (typeof one !== "string") stop(2, `missing in ${input}`);
  if (commitOf(`refs/heads/${branch}`) === null) {
    stop(1, "gh: Validation Failed (HTTP 422)", {
      message: "Validation Failed",
      errors: [{ resource: "PullRequest", field: "head", code: "invalid" }],
    });
  }
  const isThere = state.requests.some((one) => one.branch === branch && one.state === "open");
  if (isThere) {
    const message = `A pull request already exists for ${branch}.`;
    stop(1, "gh: Validation Failed (HTTP 422)", { message: "Validation Failed", errors: [{ message }] });
  }
  const request: StoredRequest = {
    number: state.requests.length + 7,
    ...{ branch: String(branch), base: String(into), title: String(title), body: String(text) },
    ...{ draft: Boolean(draft), state: "open", head: null, merged: null },
  };
  state.requests.push(request);
  // It has made the request, and the answer does not arrive.
  if (state.loses === true) {
    writeFileSync(file, JSON.stringify({ ...state, loses: false }));
    stop(1, "unexpected EOF");
  }
  answer(shown(request));
}

if (number === "") {
  if (method === "GET") find();
  if (method === "POST") create();
  stop(2, `unexpected method ${method}`);
}
const request = state.requests.find((one) => `/${one.number}` === number);
if (request === undefined) stop(1, "HTTP 404", { message: "Not Found" });
if (method === (program === "gh" ? "PATCH" : "PUT")) {
  const text = fields[program === "gh" ? "body" : "description"];
  if (typeof text !== "string" || Object.keys(fields).length !== 1) stop(2, `unexpected change ${input}`);
  request.body = text;
} else if (method !== "GET") stop(2, `unexpected method ${method}`);
answer(shown(request));
