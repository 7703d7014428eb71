import { expect, test } from "bun:test";
import { parseRequest } from "#planner/work/requests/forge_request.ts";
import {
  addPushedHead,
  formatRequestNote,
  parseRequestNote,
  type RequestNote,
} from "#planner/work/requests/request_note.ts";

const [HEAD, MERGED] = ["a".repeat(40), "b".repeat(40)];

const GITHUB = {
  ...{ number: 7, html_url: "https://github.com/acme/shop/pull/7", state: "open", body: null, merged_at: null },
  ...{ merge_commit_sha: MERGED, head: { sha: HEAD }, base: { ref: "main" } },
};

test("parseRequest reads a request of GitHub, whose merge commit counts once it is merged", () => {
  expect(parseRequest("github", GITHUB)).toEqual({
    ...{ number: 7, url: "https://github.com/acme/shop/pull/7", state: "open", head: HEAD, merged: null },
    ...{ base: "main", body: "" },
  });
  expect(parseRequest("github", { ...GITHUB, state: "closed" }).state).toBe("closed");
  const merged = parseRequest("github", { ...GITHUB, state: "closed", merged_at: "2026-11-24T08:00:00Z" });
  expect(merged).toMatchObject({ state: "merged", merged: MERGED });
});

test("parseRequest reads a request of GitLab, merged by a merge, a squash or a fast-forward", () => {
  const fields = {
    ...{ iid: 3, web_url: "https://gitlab.com/acme/shop/-/merge_requests/3", state: "opened", sha: HEAD },
    ...{ target_branch: "main", description: "x", merge_commit_sha: null, squash_commit_sha: null },
  };
  expect(parseRequest("gitlab", fields)).toMatchObject({
    number: 3,
    state: "open",
    head: HEAD,
    merged: null,
    body: "x",
  });
  expect(parseRequest("gitlab", { ...fields, state: "locked" }).state).toBe("open");
  const merged = { ...fields, state: "merged" };
  expect(parseRequest("gitlab", merged).merged).toBe(HEAD);
  expect(parseRequest("gitlab", { ...merged, squash_commit_sha: MERGED }).merged).toBe(MERGED);
  expect(parseRequest("gitlab", { ...merged, merge_commit_sha: MERGED, squash_commit_sha: HEAD }).merged).toBe(MERGED);
});

test.each([
  ["text", "an object"],
  [{}, "number, url, state, head, base"],
  [{ ...GITHUB, head: { sha: "--upload-pack=x" } }, "expected the head"],
  [{ ...GITHUB, html_url: "javascript:alert(1)" }, "expected the url"],
  [{ ...GITHUB, state: "odd" }, "expected the state"],
  [{ ...GITHUB, number: 0 }, "expected the number"],
])("readRequest refuses %j", (value, words) => {
  expect(() => parseRequest("github", value)).toThrow(words);
});

const NOTE: RequestNote = {
  ...{ forge: "github", host: "github.com", path: "acme/shop", number: 7, state: "open" },
  ...{ url: "https://github.com/acme/shop/pull/7", remote: "origin", branch: "planner/x", base: "main" },
  ...{ head: HEAD, began: null, pushed: [HEAD] },
};

test("parseNote reads what writeNote writes, and nothing else", () => {
  expect(parseRequestNote(formatRequestNote("2026-11-01-001-one", NOTE))).toEqual(NOTE);
  expect(parseRequestNote(formatRequestNote("x", { ...NOTE, head: "main" }))).toBeNull();
  expect(parseRequestNote("planner claim\n\n{")).toBeNull();
  expect(parseRequestNote("")).toBeNull();
});

test("addPushedHead keeps what was pushed, the newest last, and not without end", () => {
  expect(addPushedHead(NOTE, MERGED).pushed).toEqual([HEAD, MERGED]);
  expect(addPushedHead(addPushedHead(NOTE, MERGED), HEAD).pushed).toEqual([MERGED, HEAD]);
  let note = NOTE;
  for (let index = 0; index < 50; index++) note = addPushedHead(note, index.toString(16).padStart(40, "0"));
  expect(note.pushed).toHaveLength(20);
});
