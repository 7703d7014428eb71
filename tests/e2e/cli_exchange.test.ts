import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { runPlanner } from "../support/planner_command.ts";
import { tempProject } from "../support/temp_project.ts";

const A = "2026-11-01-001-aaa";
const B = "2026-11-01-002-bbb";
const OLD = "2026-10-01-001-old";

const A_TEXT =
  '\ufeff---\r\nstatus: pending # soon\r\nlabels: [x, "a,b"]\r\n---\r\n\r\n# A | <one>\r\n\r\n- [x] done\r\n- [ ] open\r\n';
const B_TEXT = `---\nstatus: completed\ndepends_on: [${A}]\n---\n# B "quoted", twice\n`;
const OLD_TEXT = "---\nstatus: completed\n---\n\n# Old\n";

function filled() {
  const project = tempProject();
  project.spec(A, A_TEXT);
  project.spec(B, B_TEXT);
  project.write(`.planner/archive/2026-10-01/${OLD}.md`, OLD_TEXT);
  return project;
}

test("export and import carry specs and archive to another project byte for byte", async () => {
  using from = filled();
  using to = tempProject();

  const exported = await runPlanner(["export", "--archived", "-o", "all.json"], { cwd: from.root });
  const imported = await runPlanner(["import", join(from.root, "all.json")], { cwd: to.root });

  expect(exported).toMatchObject({ code: 0, stdout: "", stderr: "" });
  expect(imported).toMatchObject({ code: 0, stderr: "" });
  expect(imported.stdout).toEndWith("3 imported, 0 existing, 0 refused\n");
  expect(to.read(`.planner/specs/${A}.md`)).toBe(A_TEXT);
  expect(to.read(`.planner/specs/${B}.md`)).toBe(B_TEXT);
  expect(to.read(`.planner/archive/2026-10-01/${OLD}.md`)).toBe(OLD_TEXT);
});

test("import never overwrites and says so for each item", async () => {
  using from = filled();
  using to = tempProject();
  to.spec(A, "---\nstatus: failed\n---\n# Mine\n");
  await runPlanner(["export", "-o", "all.json"], { cwd: from.root });

  const { code, stdout } = await runPlanner(["import", join(from.root, "all.json"), "--json"], { cwd: to.root });

  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    imported: [{ source: B, id: B }],
    existing: [{ source: A, id: A }],
    refused: [],
  });
  expect(to.read(`.planner/specs/${A}.md`)).toBe("---\nstatus: failed\n---\n# Mine\n");
});

test("import gives notes new ids, follows their dependencies and reports what it cannot take", async () => {
  using project = tempProject();
  project.write("notes/first.md", "---\nlabels: [x]\n---\n\n# The first\n");
  project.write("notes/second.md", "---\nstatus: failed\ndepends_on: [first]\n---\nno heading\n");
  project.write("notes/bad.md", "---\nstatus: [\n---\n");
  project.write("notes/plain.md", "# No frontmatter\n");
  project.write("notes/latin.md", new Uint8Array([0x2d, 0x2d, 0x2d, 0x0a, 0xe9, 0x0a]));
  project.write("notes/other.txt", "not looked at");

  const { code, stdout } = await runPlanner(["import", "notes", "--json"], { cwd: project.root });

  const report = JSON.parse(stdout) as {
    imported: { source: string; id: string }[];
    refused: { source: string; reason: string }[];
  };
  const [first, second] = report.imported;
  expect(code).toBe(1);
  expect(report.refused.map(({ source }) => source)).toEqual(["bad.md", "latin.md", "plain.md"]);
  expect(report.refused[0]?.reason).toMatch(/^line \d+, column \d+: /);
  expect(report.refused[1]?.reason).toBe("not valid UTF-8");
  expect(project.read(`.planner/specs/${first?.id}.md`)).toBe(
    `---\nlabels: [x]\nid: ${first?.id}\nstatus: pending\n---\n\n# The first\n`,
  );
  expect(project.read(`.planner/specs/${second?.id}.md`)).toContain(`depends_on: [${first?.id}]\n`);
  expect(project.read(`.planner/specs/${second?.id}.md`)).toContain("title: second\n");
});

test("import --dry-run writes nothing", async () => {
  using project = tempProject();
  project.write("notes/first.md", "---\nstatus: pending\n---\n\n# The first\n");

  const { code, stdout } = await runPlanner(["import", "notes", "--dry-run"], { cwd: project.root });

  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: "would import under a new id from first.md\n1 would import, 0 existing, 0 refused\n",
  });
  expect(readdirSync(join(project.root, ".planner/specs"))).toEqual([]);
});

const EVIL = {
  archived: false,
  title: null,
  status: "pending",
  type: "code",
  labels: [],
  depends_on: [],
  target_files: [],
  model: null,
  frontmatter_text: "---\n---\n",
  body: "",
};

test("import refuses what is no export, a hostile id and a path that is not there", async () => {
  using project = tempProject();
  project.write("other.json", '{"specs": []}');
  project.write(
    "evil.json",
    JSON.stringify({
      format: "planner-export",
      version: 1,
      specs: [{ ...EVIL, id: "../../evil" }, { ...EVIL, id: "a\u001b[31mb\nc" }, { id: 7 }],
    }),
  );

  const other = await runPlanner(["import", "other.json"], { cwd: project.root });
  const evil = await runPlanner(["import", "evil.json"], { cwd: project.root });
  const absent = await runPlanner(["import", "nowhere"], { cwd: project.root });

  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("expected what `planner export` writes") });
  expect(evil.code).toBe(1);
  expect(evil.stdout).toContain("refused ../../evil: no file could have this id");
  expect(evil.stdout).toContain("refused a␛[31mb c: its id holds a control character");
  expect(evil.stdout).toEndWith("0 imported, 0 existing, 3 refused\n");
  expect(absent.code).toBe(1);
  expect(absent.stderr).toMatch(/^error: Cannot import "[^"]+nowhere": no such file or folder \(ENOENT\)\n$/);
  expect(readdirSync(join(project.root, ".planner/specs"))).toEqual([]);
});

test("export --format csv quotes as RFC 4180 asks and --format markdown escapes its cells", async () => {
  using project = filled();

  const csv = await runPlanner(["export", "--format", "csv"], { cwd: project.root });
  const markdown = await runPlanner(["export", "-f", "markdown", "--label", "x"], { cwd: project.root });

  expect(csv.stdout).toBe(
    [
      "id,status,type,title,labels,depends_on,target_files,model,criteria,archived",
      `${A},pending,code,A | <one>,"x; a,b",,,,1/2,false`,
      `${B},completed,code,"B ""quoted"", twice",,${A},,,0/0,false`,
      "",
    ].join("\r\n"),
  );
  expect(markdown.stdout.split("\n")).toHaveLength(4);
  expect(markdown.stdout).toContain(`| ${A} | pending | code | A \\| \\<one\\> | x; a,b |`);
});

test("export filters, and ends with status 1 naming a file that it had to leave out", async () => {
  using project = filled();
  project.spec("2026-11-01-003-bad", "---\nstatus: [\n---\n");

  const { code, stdout, stderr } = await runPlanner(["export", "--status", "completed", "--archived"], {
    cwd: project.root,
  });

  const { specs, unreadable } = JSON.parse(stdout) as { specs: { id: string }[]; unreadable: { file: string }[] };
  expect(code).toBe(1);
  expect(specs.map(({ id }) => id)).toEqual([B, OLD]);
  expect(unreadable).toHaveLength(1);
  expect(stderr).toMatch(/^warning: Left out \.planner\/specs\/2026-11-01-003-bad\.md:\d+: /);
});

test("export -o replaces its file as a whole and refuses a folder", async () => {
  using project = filled();
  project.write("out.csv", "before ".repeat(10_000));

  const replaced = await runPlanner(["export", "-f", "csv", "-o", "out.csv"], { cwd: project.root });
  const folder = await runPlanner(["export", "-o", "."], { cwd: project.root });

  expect(replaced.code).toBe(0);
  expect(project.read("out.csv")).toStartWith("id,status,");
  expect(project.read("out.csv")).not.toContain("before");
  expect(folder).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: Cannot write "[^"]+": it is a folder \(EISDIR\)\n$/),
  });
});

test("import notes what is not read as a criterion, and sets no status beside something that says it", async () => {
  using project = tempProject();
  project.write("in/a.md", "---\nstatus: failed\n---\n# A\n\n## Acceptance Criteria\n\n- [✓] One\n");
  project.write("in/b.md", "---\nstate: done\n---\n# B\n\n- [ ] One\n  - by hand\n");
  project.write("in/c.md", "\n---\nstatus: cancelled\n---\n# C\n");

  const report = JSON.parse((await runPlanner(["import", "in", "--json"], { cwd: project.root })).stdout);

  expect(report.notes).toEqual([
    { source: "a.md", reason: expect.stringContaining("line 8 '- [✓] One': write '- [x] One'") },
  ]);
  expect(report.refused).toMatchObject([{ source: "c.md", reason: expect.stringContaining("line 2, column 1") }]);
  const [, b] = report.imported as { id: string }[];
  expect(project.read(`.planner/specs/${b?.id}.md`)).not.toContain("status: pending");
});
