import { expect, test } from "bun:test";
import { createLintReport } from "#planner/lint/finding.ts";
import { formatGithubReport } from "#planner/lint/reports/github.ts";
import { ID, lintTexts, specText } from "../../../../support/lint_world.ts";

test("githubReport writes one workflow command a finding and ends with the count", async () => {
  const report = await lintTexts({ [ID]: specText("status: pendin") });

  expect(formatGithubReport(report, "sub/")).toBe(
    [
      `::error file=sub/.planner/specs/${ID}.md,line=2,col=9,title=planner required::status 'pendin' not in enum [pending, in_progress, completed, failed]%0ADid you mean 'pending'?`,
      `::warning file=sub/.planner/specs/${ID}.md,line=1,title=planner required::missing optional field 'labels'`,
      `::warning file=sub/.planner/specs/${ID}.md,line=1,title=planner type::missing optional field 'type'`,
      "1 errors, 2 warnings\n",
    ].join("\n"),
  );
});

test("githubReport escapes what would end a command, a property or a line", () => {
  const report = createLintReport(1, [
    {
      file: "a,b:c%.md",
      specId: "a",
      findings: [
        { rule: "parse", severity: "error", field: "file", message: "100%\r\n::error::, a: b", allowed: [], line: 1 },
      ],
    },
  ]);

  expect(formatGithubReport(report).split("\n")[0]).toBe(
    "::error file=a%2Cb%3Ac%25.md,line=1,title=planner parse::100%25%0D%0A::error::, a: b",
  );
});
