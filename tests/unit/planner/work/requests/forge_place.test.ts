import { expect, test } from "bun:test";
import { buildNewRequestUrl, parseForgeRepository } from "#planner/work/requests/forge_place.ts";

test.each([
  ["https://github.com/acme/shop.git", "github", "github.com", "acme/shop"],
  ["https://ann:secret@github.com/acme/shop", "github", "github.com", "acme/shop"],
  ["git@github.com:acme/shop.git", "github", "github.com", "acme/shop"],
  ["ssh://git@ssh.github.com:443/acme/shop.git", "github", "github.com", "acme/shop"],
  ["https://GitHub.Example.org:8443/acme/shop/", "github", "github.example.org:8443", "acme/shop"],
  ["git@gitlab.com:acme/tools/shop.git", "gitlab", "gitlab.com", "acme/tools/shop"],
  ["ssh://git@gitlab.example.org:2222/acme/shop.git", "gitlab", "gitlab.example.org", "acme/shop"],
])("forgePlaceOf reads %s", (url, forge, host, path) => {
  expect(parseForgeRepository(url, null) as object).toEqual({ forge, host, path });
});

test.each([
  "/srv/git/shop.git",
  "../shop",
  "file:///srv/github/acme/shop.git",
  "https://example.org/acme/shop.git",
  "https://github.com/acme/tools/shop.git",
  "https://github.com/acme/../shop",
  "https://github.com/acme/sh op",
  "https://github.com/",
  "C:\\github\\acme",
  "",
])("forgePlaceOf takes no other address: %j", (url) => {
  expect(parseForgeRepository(url, null)).toBeNull();
});

test("parseForgeRepository takes any host for the forge that the settings name", () => {
  const place = parseForgeRepository("git@code.example.org:acme/tools/shop.git", "gitlab");
  expect(place).toEqual({ forge: "gitlab", host: "code.example.org", path: "acme/tools/shop" });
  expect(parseForgeRepository("/srv/git/shop.git", "gitlab")).toBeNull();
});

test("buildNewRequestUrl names branches, and the owner of a fork", () => {
  const into = { forge: "github", host: "github.com", path: "acme/shop" } as const;
  const fork = { ...into, path: "ann/shop" };
  const branches = { branch: "planner/a#b", base: "main" };
  expect(buildNewRequestUrl({ target: into, source: into, ...branches })).toBe(
    "https://github.com/acme/shop/compare/main...planner/a%23b?expand=1",
  );
  expect(buildNewRequestUrl({ target: into, source: fork, ...branches })).toContain("/main...ann:planner/a%23b?");
  const lab = { forge: "gitlab", host: "gitlab.com", path: "acme/tools/shop" } as const;
  const { pathname, searchParams } = new URL(buildNewRequestUrl({ target: lab, source: lab, ...branches }));
  expect(pathname).toBe("/acme/tools/shop/-/merge_requests/new");
  expect([...searchParams]).toEqual([
    ["merge_request[source_branch]", "planner/a#b"],
    ["merge_request[target_branch]", "main"],
  ]);
});
