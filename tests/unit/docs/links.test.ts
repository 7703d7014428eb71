import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { type Document, documents } from "../../support/documents.ts";
import { markdownAnchors } from "../../support/markdown_anchors.ts";
import { REPOSITORY } from "../../support/source_code.ts";

/** `[text](target)`, outside of code. */
const LINK = /\]\((?<target>[^()\s]+)\)/g;

/** Returns what is wrong with a link, or undefined. Links to other hosts are not followed. */
function fault({ path }: Document, target: string): string | undefined {
  if (/^[a-z]+:/.test(target)) return undefined;
  const [file = "", anchor] = target.split("#");
  const to = file === "" ? path : normalize(join(dirname(path), file));
  const full = join(REPOSITORY, to);
  if (!existsSync(full)) return `${path}: ${target} is missing`;
  if (anchor === undefined || !to.endsWith(".md")) return undefined;
  return markdownAnchors(readFileSync(full, "utf8")).has(anchor) ? undefined : `${path}: ${target} has no such anchor`;
}

test("every link of the documents leads to a file and an anchor that exist", () => {
  const links = documents().flatMap((document) =>
    [...document.text.replaceAll(/^```[\s\S]*?^```|`[^`]*`/gm, "").matchAll(LINK)].map(({ groups }) => ({
      document,
      target: groups?.["target"] ?? "",
    })),
  );

  expect(links.length).toBeGreaterThan(50);
  expect(links.flatMap(({ document, target }) => fault(document, target) ?? [])).toEqual([]);
});
