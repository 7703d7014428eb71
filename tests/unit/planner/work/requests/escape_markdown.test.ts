import { expect, test } from "bun:test";
import fc from "fast-check";
import { escapeCode, escapeText } from "#planner/work/requests/request_text.ts";
import { law } from "../../../../support/law.ts";

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
