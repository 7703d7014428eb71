import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_CONFIG } from "#planner/config/config.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { openGitHistory } from "#planner/store/git/git_history.ts";
import { openLogStore } from "#planner/store/logs/log_store.ts";
import { terminateProcess } from "#planner/store/processes/background.ts";
import { createConfigReader, createSettingsReader } from "#planner/store/project/prompt_store.ts";
import { eachTest } from "../../../support/each_test.ts";
import { type TempProject, tempProject } from "../../../support/temp_project.ts";

const ID = "2026-11-01-001-aaa" as SpecId;

const project = eachTest(tempProject);

describe("LogStore", () => {
  const FILE = `.planner/logs/${ID}.log`;

  test("tells size and time and reads any range of bytes", async () => {
    project.write(FILE, "0123456789ä");
    project.touch(FILE, new Date("2026-11-01T10:00:00Z"));

    const log = await openLogStore(project.root).open(ID);

    expect(log).toMatchObject({ file: FILE, size: 12, modified: new Date("2026-11-01T10:00:00Z") });
    const read = async (offset: number, length: number): Promise<string> =>
      Buffer.from((await log?.readBytes(offset, length)) ?? []).toString("latin1");
    expect(await read(3, 4)).toBe("3456");
    expect(await read(10, 100)).toBe("Ã¤");
    expect(await read(11, 1)).toBe("¤");
    expect(await read(50, 10)).toBe("");
    expect(await read(0, 0)).toBe("");
  });

  test("refuses a log that is a link out of the project", async () => {
    project.write(".planner/logs/keep", "");
    symlinkSync("/etc/hostname", join(project.root, FILE));

    await expect(openLogStore(project.root).open(ID)).rejects.toThrow("leads out of the project");
  });

  test("refuses what is no file, without waiting for a pipe", async () => {
    mkdirSync(join(project.root, FILE), { recursive: true });
    await expect(openLogStore(project.root).open(ID)).rejects.toMatchObject({
      kind: "failed_precondition",
      message: `Cannot read "${FILE}": it is not a file`,
    });

    rmSync(join(project.root, FILE), { recursive: true });
    execFileSync("mkfifo", [join(project.root, FILE)]);
    await expect(openLogStore(project.root).open(ID)).rejects.toThrow("it is not a file");
  });
});

describe("GitHistory", () => {
  function repository(): TempProject & { commit(message: string): string } {
    const project = tempProject();
    const git = (...args: readonly string[]): string =>
      execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
        cwd: project.root,
        encoding: "utf8",
      });
    git("init", "-q");
    return {
      ...project,
      commit(message) {
        git("commit", "-q", "--allow-empty", "-m", message);
        return git("log", "-1", "--format=%h").trim();
      },
    };
  }

  test("finds the commits that name the spec, newest first", async () => {
    using project = repository();
    const first = project.commit(`planner(${ID}): begin`);
    project.commit("planner(2026-11-01-001-aab): another");
    project.commit(`planner(${ID}.1): a member`);
    const last = project.commit(`Merge\n\nplanner(${ID}): end`);

    expect(await openGitHistory(project.root).listCommitsNaming(ID)).toEqual([last, first]);
  });

  test("takes an id for text and not for a pattern or an option", async () => {
    using project = repository();
    const hash = project.commit("planner(a.b*): x");
    project.commit("planner(aXbb): x");

    expect(await openGitHistory(project.root).listCommitsNaming("a.b*" as SpecId)).toEqual([hash]);
    expect(await openGitHistory(project.root).listCommitsNaming("--all" as SpecId)).toEqual([]);
  });

  test("answers nothing without a repository, a commit or a folder", async () => {
    expect(await openGitHistory(project.root).listCommitsNaming(ID)).toEqual([]);
    execFileSync("git", ["init", "-q"], { cwd: project.root });

    expect(await openGitHistory(project.root).listCommitsNaming(ID)).toEqual([]);
    expect(await openGitHistory(join(project.root, "gone")).listCommitsNaming(ID)).toEqual([]);
  });

  test("says so where there is a repository and no git", async () => {
    using project = repository();
    project.commit(`planner(${ID}): begin`);
    const path = process.env["PATH"];
    process.env["PATH"] = project.root;
    try {
      await expect(openGitHistory(project.root).listCommitsNaming(ID)).rejects.toThrow("Cannot run git");
    } finally {
      process.env["PATH"] = path;
    }
  });

  test("looks at the root's repository when a hook of another one asks", async () => {
    using project = repository();
    using other = repository();
    const hash = project.commit(`planner(${ID}): begin`);
    process.env["GIT_DIR"] = join(other.root, ".git");
    try {
      expect(await openGitHistory(project.root).listCommitsNaming(ID)).toEqual([hash]);
    } finally {
      process.env["GIT_DIR"] = undefined;
      delete process.env["GIT_DIR"];
    }
  });
});

describe("openConfig", () => {
  const FILE = ".planner/config.md";

  test("reads the file again when it changed", async () => {
    const config = createConfigReader(project.root);
    project.write(FILE, "---\nproject:\n  name: one\n---\n");
    const first = await config();
    expect(first.project.name).toBe("one");
    expect(await config()).toBe(first);

    project.write(FILE, "---\nproject:\n  name: two\n---\n");

    expect((await config()).project.name).toBe("two");
  });

  test("refuses a file that is none", async () => {
    mkdirSync(join(project.root, FILE));

    await expect(createConfigReader(project.root)()).rejects.toMatchObject({
      kind: "failed_precondition",
      message: expect.stringMatching(/^Cannot read "\.planner\/config\.md": .*folder/),
    });
  });

  test("refuses a file that is not UTF-8 with the place", async () => {
    project.write(FILE, Buffer.from("---\nproject:\n  name: Caf\xe9\n---\n", "latin1"));

    await expect(createConfigReader(project.root)()).rejects.toMatchObject({
      kind: "failed_precondition",
      message: `Cannot read "${FILE}:3:12": Byte 0xe9 is not valid UTF-8: expected UTF-8 text`,
    });
  });
});

describe("openSettings", () => {
  const cases = {
    "no file": [null, "defaults"],
    "no frontmatter": ["text\n", "defaults"],
    "other settings": ["---\nproject:\n  name: one\n---\n", "defaults"],
    "empty parts": ["---\nschema:\nlint:\n  disable:\n---\n", "defaults"],
    "the defaults in words": [
      "---\nschema:\n  spec:\n    required: [status]\n    fields:\n      labels:\n        items: string\nlint:\n  disable: []\n---\n",
      "defaults",
    ],
    "another required field": ["---\nschema:\n  spec:\n    required: [status, labels]\n---\n", "all"],
    "another enum": ["---\nschema:\n  spec:\n    fields:\n      status:\n        enum: [pending]\n---\n", "all"],
    "another field": ["---\nschema:\n  spec:\n    fields:\n      team:\n        type: string\n---\n", "all"],
    "a rule switched off": ["---\nlint:\n  disable: [required]\n---\n", "all"],
    "a severity": ["---\nlint:\n  severity:\n    required: warning\n---\n", "all"],
    "a part of another type": ["---\nlint: strict\n---\n", "all"],
    braces: ["---\nlint: {disable: [required]}\n---\n", "all"],
    "a quoted key": ['---\n"lint":\n  disable: [required]\n---\n', "all"],
    "an open frontmatter": ["---\nlint:\n", "all"],
  } as const;

  for (const [name, [text, expected]] of Object.entries(cases)) {
    test(`asks for ${expected === "all" ? "all settings" : "nothing more"} with ${name}`, async () => {
      if (text !== null) project.write(".planner/config.md", text);
      let asked = 0;

      const { schema, lint } = await createSettingsReader(project.root, async () => {
        asked++;
        return DEFAULT_CONFIG;
      })("schema", "lint");

      expect(asked).toBe(expected === "all" ? 1 : 0);
      expect({ schema, lint }).toEqual({ schema: DEFAULT_CONFIG.schema, lint: DEFAULT_CONFIG.lint });
    });
  }
});

describe("ProcessControl", () => {
  test("signals no group of processes, whatever number it is given", async () => {
    for (const pid of [0, -1, 1, 1.5, Number.NaN, -process.pid]) {
      expect(await terminateProcess(pid)).toBe(false);
    }
  });
});
