import { expect, test } from "bun:test";
import fc from "fast-check";
import { buildNewRequestUrl, parseForgeRepository, parseRequest } from "#planner/work/requests/forge.ts";
import {
  buildRequestBody,
  buildRequestTitle,
  escapeCode,
  escapeText,
  type RequestFacts,
  replacePlannerSection,
} from "#planner/work/requests/request_text.ts";
import { markCriterion } from "#planner/work/reviewed_criteria.ts";
import { law } from "../../../support/law.ts";

const RESULT = {
  ...{ passed: true, problem: null, duration_ms: 1234, at: "2026-11-24T08:00:00.000Z", commit: "c".repeat(40) },
  ...{ beside: false, last_lines: [] },
};

const OWN = {
  number: 1,
  label: "It works",
  checked: true,
  verify: "npm test",
  verdict: "proven",
  result: RESULT,
} as const;
const CRITERION = markCriterion(OWN);

const FACTS: RequestFacts = {
  ...{ spec_id: "2026-11-01-001-one", title: "Open\n the @shop", criteria: [CRITERION], dropped: [], files: 2 },
  commits: [{ hash: "d".repeat(40), subject: "planner(x): do | it" }],
  record: {
    ...{ run: 2, mode: "single", status: "completed", reasons: [], warnings: ["<b>"], started_at: null },
    ...{ ended_at: "2026-11-24T08:00:00.000Z", agent: "claude", model: "opus", base: null, head: null },
    ...{ unproven: null, beside: [], failed: [] },
  },
};

test("buildRequestBody has a row for each criterion, the run and the commits", () => {
  const rows = (facts: Partial<RequestFacts>) =>
    buildRequestBody({ ...FACTS, ...facts })
      .split("\n")
      .filter((line) => line.startsWith("| "));
  expect(rows({})[2]).toBe(
    "| ✅ | It works | <code>npm test</code> | proven: passed in 1.2 s on <code>cccccccccc</code> |",
  );
  const problem = "ended with status 1";
  const lines = { ...RESULT, passed: false, problem, last_lines: ["1 | <b>", "@me"] };
  const failed = { criteria: [markCriterion({ ...OWN, verdict: "disproven", result: lines })] };
  expect(rows(failed)[2]).toContain("| ❌ |");
  expect(buildRequestBody({ ...FACTS, ...failed })).toContain(
    "\n**Last lines of failed checks**\n\n- <code>npm test</code><br><code>1 &#124; &#60;b&#62;</code><br><code>&#64;me</code>\n",
  );
  expect(rows({ dropped: [{ label: "Rope", reason: "not sold" }] })[3]).toBe(
    "| ➖ | Rope | none | dropped: not sold |",
  );
  expect(rows({ criteria: [markCriterion({ ...OWN, verdict: "not_run", result: null })] })[2]).toContain(
    "| ☑️ | It works | <code>npm test</code> | claimed: its check has not run |",
  );
  const manual = { ...OWN, verify: null, result: null };
  const row = (checked: boolean) =>
    rows({ criteria: [markCriterion({ ...manual, checked, verdict: checked ? "checked" : "unchecked" })] })[2];
  expect(row(true)).toBe("| ☑️ | It works | none | claimed: it names no check |");
  expect(row(false)).toBe("| ⬜ | It works | none | open |");
  const body = buildRequestBody(FACTS);
  expect(body).toContain("Run 2 by claude (opus): completed, 2026-11-24");
  expect(body).toContain("- &#60;&#8203;b&#62;&#8203;");
  expect(body).toContain("- <code>dddddddddd</code> planner(x): do &#124;&#8203; it");
  expect(buildRequestBody({ ...FACTS, record: null, criteria: [] })).toContain("The spec has no criteria.");
});

test("buildRequestBody fits into what a forge takes, and counts what it leaves out", () => {
  const criteria = Array.from({ length: 150 }, () => ({ ...CRITERION, label: "|".repeat(400) }));
  const commits = Array.from({ length: 5000 }, () => ({ hash: "d".repeat(40), subject: "<".repeat(400) }));
  const body = buildRequestBody({ ...FACTS, criteria, commits });
  expect(body.length).toBeLessThan(65_000);
  expect(body).toMatch(/\nand \d+ more\n/);
  expect(body).toMatch(/\n- and \d+ more\n/);
});

test("replaceBody replaces planner's part alone", () => {
  const [first, second] = [buildRequestBody(FACTS), buildRequestBody({ ...FACTS, files: 9 })];
  expect(replacePlannerSection(`Mine.\n\n${first}\n\nMine too.`, second)).toBe(`Mine.\n\n${second}\n\nMine too.`);
  expect(replacePlannerSection("", first)).toBe(first);
  expect(replacePlannerSection("Mine.\n", first)).toBe(`Mine.\n\n${first}`);
  expect(replacePlannerSection(first, first)).toBe(first);
});

test("buildRequestTitle is one line, and never empty", () => {
  expect(buildRequestTitle(FACTS)).toBe("Open the @shop");
  expect(buildRequestTitle({ ...FACTS, title: null })).toBe("2026-11-01-001-one");
  expect(buildRequestTitle({ ...FACTS, title: " \u0007\n" })).toBe("2026-11-01-001-one");
  expect(buildRequestTitle({ ...FACTS, title: "x".repeat(300) })).toHaveLength(201);
});

/** What a reader sees of a cell, by another program's Markdown. */
function shownCell(cell: string): { readonly html: string; readonly text: string } {
  const page = Bun.markdown.html(`| a | b |\n| --- | --- |\n| ${cell} | end |\n\nafter`, {
    tables: true,
    autolinks: true,
  });
  const [, html = ""] =
    /<td>([\s\S]*?)<\/td>\s*<td>end<\/td>\s*<\/tr>\s*<\/tbody>\s*<\/table>\s*<p>after<\/p>/.exec(page) ?? [];
  const text = html
    .replace(/<\/?code>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, "&")
    .replaceAll("\u200b", "");
  return { html, text };
}

const HOSTILE = [
  "a | b || c",
  "line\nbreak\r\nand\u2028more",
  "<b>bold</b> <!-- <script>alert(1)</script>",
  "@ann and acme/shop#1, closes #2, !3 GH-4 &5 ~bug $6 %7",
  "https://evil.example/ and www.evil.example and <http://evil.example>",
  "[link](https://evil.example) ![image](x) `code` ``two`` *it* __b__ ~~s~~",
  "\\| \\\\| &#124; &lt;b&gt; ends with \\",
  "</td></tr></table>",
  "$a$ :tada: {{x}} <details>",
  "--> <!-- planner: end -->",
];

test.each(HOSTILE)("escapeText and escapeCode show as it is, in its cell: %j", (text) => {
  const wanted = text.replace(/[\r\n\u2028]+/g, " ");
  for (const escaped of [escapeText(text), escapeCode(text)]) {
    const { html, text: shown } = shownCell(escaped);
    expect(shown).toBe(wanted);
    expect(html.replace(/<\/?code>/g, "")).not.toMatch(/[<>]/);
    expect(escaped.replace(/<\/?code>/g, "")).not.toMatch(/[|<>\n`]/);
  }
});

test("escapeText leaves no mention, reference or address that a forge finds in the shown text", () => {
  for (const text of HOSTILE) {
    const shown = shownCell(escapeText(text)).html.replace(/&\w+;/g, "");
    expect(shown).not.toMatch(/[@#!~$%^]\w|\bGH-\d|:\/\/|\bwww\./);
  }
});

const signs = fc.string({ unit: fc.constantFrom(..."ab1 |\\`*_[]()<>&#@!~$%^:/.-\n\t'\"{}=+"), maxLength: 40 });

law(
  "escapeText and escapeCode show any text in one cell",
  [fc.oneof(signs, fc.string({ unit: "grapheme" }))],
  (text) => {
    for (const escaped of [escapeText(`x${text}x`), escapeCode(`x${text}x`)]) {
      const { html } = shownCell(escaped);
      expect(html).not.toBe("");
      expect(html.replace(/<\/?code>/g, "")).not.toMatch(/[<>]/);
    }
  },
);

test("escapeText cuts a long text", () => {
  expect(escapeText("a".repeat(500))).toBe(`${"a".repeat(400)}…`);
});

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
