import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { micromark } from "micromark";
import { buildMessageBody, escapeValue, type Markup } from "#cli/dc/notices/notice_service.ts";
import { law } from "../../../../support/law.ts";
import { LAW_RUNS } from "../../../../support/law_runs.ts";

/** What a rack may be called by somebody who may write. */
const NAMES = [
  "<!channel> A01",
  "<https://evil.example|planner>",
  "[planner](https://evil.example)",
  "![x](https://evil.example/p.png)",
  '<a href="https://evil.example">A01</a>',
  "<at>Anna</at>",
  "@everyone @room @here",
  "**A01** _b_ `c` ~~d~~ | e",
  "# A01",
  "1. A01",
  "- A01",
  "A&lt;B &amp; C\\*",
  "line\n\n    code",
  "](https://evil.example)",
];
const text = fc.oneof(
  fc.constantFrom(...NAMES),
  fc.string({ unit: fc.constantFrom(..."\\`*_[]()<>&@!#-+=~|.1a :/;\n") }),
);

/** What a reader sees, on one line and without the invisible spaces. */
const seen = (shown: string) => shown.replaceAll("\u200B", "").replaceAll(/\s+/g, " ").trim();
const decoded = (html: string) =>
  html.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

const notice = (summary: string) => ({
  ...{ seq: 1, id: "m", receiver: "a", attempts: 0, nextAt: 0 },
  body: {
    ...{ type: "rack.appeared", subject: "rack:A01", severity: "HIGH" as const, state: "FAULT", was: "", summary },
    ...{ elements: ["rack:A01"], at: "t" },
  },
});
const sent = (summary: string, markup: Markup) =>
  JSON.parse(buildMessageBody(notice(summary), { text: "{summary}", field: "text", markup })).text as string;

test("messageText fills a template in, whose own text keeps its markup", () => {
  const template = { text: "*{severity}* {summary} {elements}", field: "content", markup: "slack" } as const;
  expect(buildMessageBody(notice('Rack "A01" is at {fault} <!here>'), template)).toBe(
    JSON.stringify({ content: '*HIGH* Rack "A01" is at {fault} &lt;!here&gt; rack:A01' }),
  );
});

describe("literalText", () => {
  law(
    "shows a value as it is where Markdown is rendered, whatever it holds",
    [text],
    (value) => {
      const html = micromark(sent(value, "markdown"));
      expect(html.replaceAll(/<\/?p>/g, "")).not.toMatch(/[<>]/);
      expect(seen(decoded(html.replaceAll(/<\/?p>/g, "")))).toBe(seen(value));
    },
    { numRuns: 20 * LAW_RUNS, examples: NAMES.map((name) => [name]) },
  );

  law(
    "leaves no control sequence, link or mention of Slack, and shows the value",
    [text],
    (value) => {
      const shown = sent(value, "slack");
      expect(shown).not.toMatch(/[<>\n]|&(?!amp;|lt;|gt;)|@(?!\u200B)|\]\(/);
      expect(seen(decoded(shown))).toBe(seen(value));
    },
    { numRuns: 20 * LAW_RUNS, examples: NAMES.map((name) => [name]) },
  );

  test("leaves no address that a tool makes a link of, and nothing that turns the rest of the line around", () => {
    for (const markup of ["slack", "markdown"] as const) {
      const shown = sent("port:SW/HTTPS://evil.example _www.evil.example \u202eA01\u2066", markup);
      expect(shown).not.toMatch(/https?:\/\/|www\.|[\u202a-\u202e\u2066-\u2069]/i);
      expect(seen(shown).replaceAll("\\", "")).toBe("port:SW/HTTPS://evil.example _www.evil.example A01");
    }
  });

  test("turns no value into a link, an image or a tag in a tool that reads Markdown when nothing is said", () => {
    for (const name of NAMES) expect(micromark(`HIGH: ${sent(name, "slack")}`)).not.toMatch(/<(?:a|img|at)\b/);
  });

  test("changes nothing for a tool that reads plain text", () => {
    for (const name of NAMES) expect(escapeValue(name, "none")).toBe(name);
  });
});
