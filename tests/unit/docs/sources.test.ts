import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { markdownAnchors } from "../../support/markdown_anchors.ts";
import { type Comment, comments, REPOSITORY, sourceFiles } from "../../support/source_code.ts";

/** A citation of a page of docs, with or without an anchor. */
const CITATION = /\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g;

/** Papers outside the repository, and numbers that only resolve in them. */
const OUTSIDE =
  /\bdata contract\b|\bcontract \d{3}\b|\bfield facts\b|\b[DS]-\d{2}\b|\bSource: (?:contract|decisions?)\b/i;

const COMMENTS = ["src", "tests"].flatMap(sourceFiles).filter(inPlace).flatMap(comments);

function inPlace({ path }: { readonly path: string }): boolean {
  return !path.startsWith("src/gen/") && !path.startsWith("tests/fixtures/");
}

function place({ path, line, text }: Comment): string {
  return `${path}:${line}: ${text}`;
}

const ANCHORS = new Map<string, ReadonlySet<string> | undefined>();

function anchorsOf(page: string): ReadonlySet<string> | undefined {
  if (!ANCHORS.has(page)) {
    const file = join(REPOSITORY, page);
    ANCHORS.set(page, existsSync(file) ? markdownAnchors(readFileSync(file, "utf8")) : undefined);
  }
  return ANCHORS.get(page);
}

function resolves(citation: string): boolean {
  const [page = "", anchor] = citation.split("#");
  const anchors = anchorsOf(page);
  return anchors !== undefined && (anchor === undefined || anchors.has(anchor));
}

test("every citation of a page in docs resolves to a page and an anchor of it", () => {
  const citations = COMMENTS.flatMap((comment) =>
    [...comment.text.matchAll(CITATION)].map(([citation]) => ({ comment, citation })),
  );

  const broken = citations.filter(({ citation }) => !resolves(citation));

  expect(citations.length).toBeGreaterThan(100);
  expect(broken.map(({ comment }) => place(comment))).toEqual([]);
});

test("no comment cites a paper that is not in the repository", () => {
  const broken = COMMENTS.filter(({ text }) => OUTSIDE.test(text.replaceAll(CITATION, "")));

  expect(broken.map(place)).toEqual([]);
});

test("a comment that refers to the contract says where it stands", () => {
  const broken = COMMENTS.filter(
    ({ text }) => /\bthe contract\b/i.test(text) && !/docs\/contract\/[\w-]+\.md/.test(text),
  );

  expect(broken.map(place)).toEqual([]);
});

test("markdownAnchors knows headings, repeated headings and explicit anchors, and skips code", () => {
  const text = '# Lint `JSON` report\n## Power\n## Power\n- <a id="p5b"></a>**P5b.**\n```\n# no heading\n```\n';

  expect([...markdownAnchors(text)]).toEqual(["lint-json-report", "power", "power-1", "p5b"]);
});
