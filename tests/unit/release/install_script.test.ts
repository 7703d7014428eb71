import { afterAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");
const WORK = mkdtempSync(join(tmpdir(), "planner-install-"));
afterAll(() => rmSync(WORK, { recursive: true, force: true }));

const TEXT = readFileSync(join(ROOT, "release/install.sh"), "utf8").replaceAll("@VERSION@", "1.2.3");
/** Files of an archive, beside the program. */
const CONTENT = (
  "LICENSE THIRD-PARTY-LICENSES.txt man/man1/planner.1 completions/planner.bash completions/_planner " +
  "completions/planner.fish"
).split(" ");

function put(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

function platform(): string {
  const sh = TEXT.replace('main "$@"', "name_platform");
  return spawnSync("sh", ["-c", sh], { encoding: "utf8" }).stdout;
}

/** Makes a release with a small program. @returns its address */
function release(name: string, missing: readonly string[] = []): string {
  const folder = join(WORK, name);
  const archive = `planner-1.2.3-${platform()}`;
  for (const file of CONTENT) if (!missing.includes(file)) put(join(folder, archive, file), file);
  put(join(folder, archive, "planner"), "#!/bin/sh\necho planner 1.2.3\n", 0o755);
  const sums: string[] = [];
  for (const [flags, file] of [
    ["-cJf", `${archive}.tar.xz`],
    ["-czf", `${archive}.tgz`],
  ] as const) {
    spawnSync("tar", [flags, join(folder, file), "-C", folder, archive]);
    if (!existsSync(join(folder, file))) continue;
    sums.push(
      `${createHash("sha256")
        .update(readFileSync(join(folder, file)))
        .digest("hex")}  ${file}\n`,
    );
  }
  put(join(folder, "SHA256SUMS"), sums.join(""));
  return `file://${folder}`;
}

interface Run {
  readonly text?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

function run(words: readonly string[], { text = TEXT, env = {}, cwd = WORK }: Run = {}) {
  const { status, stdout, stderr } = spawnSync("sh", ["-s", "--", ...words], {
    cwd,
    input: text,
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", ...env },
  });
  return { status, stdout, stderr };
}

let homes = 0;
function newHome(): string {
  homes += 1;
  const home = join(WORK, `home-${homes}`);
  mkdirSync(home);
  return home;
}
const filesOf = (folder: string) => readdirSync(folder, { recursive: true, encoding: "utf8" });

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

describe.skipIf(!hasCurl || process.platform === "win32")("install.sh", () => {
  const base = release("whole");

  test("installs the program with its licence, and removes all of it from another folder", () => {
    const cwd = newHome();

    expect(run(["--base-url", base, "--prefix", "below/here"], { cwd }).status).toBe(0);
    expect(filesOf(join(cwd, "below/here"))).toEqual(
      expect.arrayContaining(["bin/planner", "share/planner/LICENSE", "share/planner/THIRD-PARTY-LICENSES.txt"]),
    );
    const removed = run(["--uninstall", "--prefix", join(cwd, "below/here")], { cwd: newHome() });

    expect(removed.status).toBe(0);
    expect(filesOf(cwd)).toEqual([]);
  });

  test("runs nothing of a script that arrives in part", () => {
    for (let length = 1; length < TEXT.length - 12; length += 97) {
      const home = newHome();
      run(["--base-url", base], { text: TEXT.slice(0, length), env: { HOME: home } });
      expect([length, filesOf(home)]).toEqual([length, []]);
    }
  });

  test("undoes an installation that stops half way", () => {
    const home = newHome();
    const torn = release("torn", ["completions/planner.fish"]);

    const { status, stderr } = run(["--base-url", torn], { env: { HOME: home } });

    expect(status).not.toBe(0);
    expect(stderr).toContain("what was written was removed again");
    expect(filesOf(home)).toEqual([]);
  });

  test("keeps the earlier version if an upgrade stops half way", () => {
    const home = newHome();
    run(["--base-url", base], { env: { HOME: home } });

    const { status, stderr } = run(["--base-url", `file://${join(WORK, "torn")}`], { env: { HOME: home } });

    expect([status === 0, stderr.includes("--uninstall")]).toEqual([false, true]);
    expect(spawnSync(join(home, ".local/bin/planner"), { encoding: "utf8" }).stdout).toBe("planner 1.2.3\n");
    expect(run(["--uninstall"], { env: { HOME: home } }).status).toBe(0);
    expect(filesOf(home)).toEqual([]);
  });

  test("names what cannot be written before it downloads", () => {
    const home = newHome();
    put(join(home, ".local/share/fish"), "a file");

    const { status, stderr, stdout } = run(["--base-url", base], { env: { HOME: home } });

    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`${home}/.local/share/fish is not a folder: name another place with --prefix DIR`);
  });

  test("asks for a folder without HOME", () => {
    expect(run(["--base-url", base]).stderr).toContain("HOME is not set: name a folder with --prefix DIR");
  });

  test("refuses to install without a public key if a signature is required", () => {
    const home = newHome();

    const { status, stderr } = run(["--base-url", base, "--require-signature"], { env: { HOME: home } });

    expect([status, stderr]).toEqual([
      1,
      "install.sh: the signature cannot be checked: this installer contains no public key\n",
    ]);
    expect(filesOf(home)).toEqual([]);
  });

  describe.skipIf(spawnSync("minisign", ["-v"]).status !== 0)("with minisign", () => {
    const keys = join(WORK, "keys");
    const newKey = (name: string): string => {
      mkdirSync(keys, { recursive: true });
      const files = ["-p", join(keys, `${name}.pub`), "-s", join(keys, name)];
      const { status, stderr } = spawnSync("minisign", ["-G", "-W", ...files], { encoding: "utf8" });
      if (status !== 0) throw new Error(stderr);
      return readFileSync(join(keys, `${name}.pub`), "utf8").split("\n")[1] ?? "";
    };
    const sign = (name: string, folder: string) =>
      spawnSync("minisign", ["-S", "-s", join(keys, name), "-m", join(WORK, folder, "SHA256SUMS")]);

    test("installs a signed release, and refuses a wrong, a stranger's and a missing signature", () => {
      const text = TEXT.replaceAll("@PUBLIC_KEY@", newKey("ours"));
      newKey("stranger");
      const install = (address: string) => {
        const home = newHome();
        const { status, stderr } = run(["--base-url", address], { text, env: { HOME: home } });
        return [status, stderr.trim().split("\n").at(-1), filesOf(home).includes(".local/bin/planner")];
      };
      const address = release("signed");
      const wrong = "install.sh: the signature of SHA256SUMS is wrong: nothing was installed";

      sign("ours", "signed");
      expect(install(address)).toEqual([0, "", true]);
      writeFileSync(join(WORK, "signed/SHA256SUMS"), `${readFileSync(join(WORK, "signed/SHA256SUMS"), "utf8")}\n`);
      expect(install(address)).toEqual([1, wrong, false]);
      sign("stranger", "signed");
      expect(install(address)).toEqual([1, wrong, false]);
      rmSync(join(WORK, "signed/SHA256SUMS.minisig"));
      expect(install(address)).toEqual([1, `install.sh: cannot download ${address}/SHA256SUMS.minisig`, false]);
    });
  });

  test("refuses an archive that differs from its sum", () => {
    const forged = release("forged");
    const sums = join(WORK, "forged/SHA256SUMS");
    writeFileSync(sums, readFileSync(sums, "utf8").replace(/^[0-9a-f]{8}/gm, "00000000"));
    const home = newHome();

    expect(run(["--base-url", forged], { env: { HOME: home } }).stderr).toContain("nothing was installed");
    expect(filesOf(home)).toEqual([]);
  });

  test("leaves a program that it did not install alone", () => {
    const home = newHome();
    const program = join(home, ".local/bin/planner");
    put(program, "another program");

    expect(run(["--base-url", base], { env: { HOME: home } }).stderr).toContain("is another program");
    expect(readFileSync(program, "utf8")).toBe("another program");
  });
});
