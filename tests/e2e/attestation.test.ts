import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type GitProject, gitProject } from "../support/git_project.ts";

const ID = "2026-11-01-001-aaa";
const TYPE = "application/vnd.in-toto+json";

interface Envelope {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

/** Independent of the program: what DSSE says is signed. */
const signed = (payload: Buffer, type = TYPE): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload]);

function keygen(args: readonly string[], input: string | Buffer = "") {
  const { status, stdout } = spawnSync("ssh-keygen", args, { input });
  return { status, stdout: stdout.toString() };
}

interface Signing extends GitProject {
  /** Outside of the repository. */
  readonly keys: string;
}

/** A project with a committed spec whose check is accepted, and a key with which git signs. */
async function signing(criteria = "- [x] It has a file\n  verify: test -f a.txt\n"): Promise<Signing> {
  const made = await gitProject();
  const keys = join(made.root, ".git", "keys");
  const { mustGit, write } = made;
  write("a.txt", "a\n");
  made.spec(ID, `---\nid: ${ID}\nstatus: completed\n---\n\n# T\n\n## Acceptance Criteria\n\n${criteria}`);
  await mustGit("add", "--all");
  await mustGit("commit", "--quiet", "-m", "begin");
  spawnSync("mkdir", [keys]);
  for (const name of ["own", "other"]) keygen(["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", join(keys, name)]);
  await mustGit("config", "gpg.format", "ssh");
  await mustGit("config", "user.signingKey", join(keys, "own"));
  await mustGit("config", "gpg.ssh.allowedSignersFile", join(keys, "allowed"));
  const result = { ...made, keys };
  allow(result, "own", "");
  await made.planner(["approve", ID, "--yes"]);
  return result;
}

function allow({ keys, write }: Signing, name: string, options: string): void {
  const key = readFileSync(join(keys, `${name}.pub`), "utf8")
    .split(" ")
    .slice(0, 2)
    .join(" ");
  write(".git/keys/allowed", `ann@example.org ${options}${key}\n`);
}

/** Signs as a person could with the tool alone. */
const signatureBy = ({ keys }: Signing, name: string, namespace: string, bytes: Buffer): string =>
  keygen(["-q", "-Y", "sign", "-f", join(keys, name), "-n", namespace], bytes).stdout;

const base64 = (text: string | Buffer): string => Buffer.from(text).toString("base64");

test("ssh-keygen alone accepts an attestation, and no changed one", async () => {
  using made = await signing();
  const attested = await made.planner(["verify", ID, "--attest"]);
  const { payloadType, payload, signatures } = JSON.parse(attested.stdout) as Envelope;
  const bytes = Buffer.from(payload, "base64");
  made.write(".git/keys/sig", Buffer.from(signatures[0]?.sig ?? "", "base64").toString());
  const verify = (input: Buffer) =>
    keygen(
      [
        "-Y",
        "verify",
        "-f",
        join(made.keys, "allowed"),
        "-I",
        "ann@example.org",
        "-n",
        "planner",
        "-s",
        join(made.keys, "sig"),
      ],
      input,
    ).status;

  expect([attested.code, payloadType, verify(signed(bytes))]).toEqual([0, TYPE, 0]);
  const places = [...Array(24).keys()].map((index) => Math.floor((index * (bytes.length - 1)) / 23));
  const changed = places.map((place) => {
    const other = Buffer.from(bytes);
    other[place] = (other[place] ?? 0) ^ (1 + (place % 255));
    return verify(signed(other));
  });
  expect(changed.filter((status) => status === 0)).toEqual([]);
  expect(verify(signed(bytes, "application/json"))).not.toBe(0);

  const commit = (await made.mustGit("rev-parse", "HEAD")).trim();
  const blob = (await made.mustGit("rev-parse", `HEAD:.planner/specs/${ID}.md`)).trim();
  expect(JSON.parse(bytes.toString())).toMatchObject({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: ID, digest: { gitCommit: commit } }],
    predicateType: "https://in-toto.io/attestation/test-result/v0.1",
    predicate: {
      result: "PASSED",
      configuration: [
        {
          name: `.planner/specs/${ID}.md`,
          digest: { gitBlob: blob },
          annotations: { commands: [{ command: "test -f a.txt", status: 0 }] },
        },
      ],
      passedTests: ["1: It has a file"],
      warnedTests: [],
      failedTests: [],
    },
  });
});

test("only a signature of an allowed key, made for planner over these bytes, holds", async () => {
  using made = await signing();
  const envelope = JSON.parse((await made.planner(["verify", ID, "--attest"])).stdout) as Envelope;
  const bytes = Buffer.from(envelope.payload, "base64");
  const check = async (changed: Partial<Envelope>, args: readonly string[] = []) => {
    made.write(".git/keys/a.json", JSON.stringify({ ...envelope, ...changed }));
    const { code, stdout, stderr } = await made.planner(["verify", ...args, "--check-attestation", ".git/keys/a.json"]);
    return [code, stdout + stderr] as const;
  };
  const by = (name: string, namespace: string) => {
    const { keyid = "" } = envelope.signatures[0] ?? {};
    return [{ keyid, sig: base64(signatureBy(made, name, namespace, signed(bytes))) }];
  };
  const fails = (words: string): [number, string] => [1, expect.stringContaining(words)];

  expect(await check({}, [ID])).toEqual([
    0,
    expect.stringMatching(new RegExp(`^${ID}: PASSED on \\w{40}, signed by ann@example.org\n`)),
  ]);
  expect(await check({ payload: base64(bytes.toString().replace("PASSED", "passed")) })).toEqual(
    fails("does not hold"),
  );
  const loose = envelope.payload.replace(/=*$/, " ");
  expect(await check({ payload: loose })).toEqual(fails("payload is no Base64"));
  expect(await check({ payloadType: "application/json" })).toEqual(fails(`expected "${TYPE}"`));
  expect(await check({ signatures: by("own", "planner") })).toEqual([0, expect.any(String)]);
  expect(await check({ signatures: by("own", "git") })).toEqual(fails("does not hold"));
  expect(await check({ signatures: by("other", "planner") })).toEqual(fails("is not that of the signature"));
  expect(await check({ signatures: [] })).toEqual(fails("it is unsigned"));
  expect(await check({}, ["2026-11-01-002-bbb"])).toEqual([1, expect.stringContaining("2026-11-01-002-bbb")]);
  allow(made, "other", "");
  expect(await check({})).toEqual(fails("allows no signer with the key SHA256:"));
  allow(made, "own", 'namespaces="git" ');
  expect(await check({})).toEqual(fails('ann@example.org namespaces="git,planner" ssh-ed25519 '));
  await made.mustGit("config", "--unset", "gpg.ssh.allowedSignersFile");
  expect(await check({})).toEqual(fails("gpg.ssh.allowedSignersFile is not set"));
});

test("an attestation holds for the commit and the files that this repository has, and not for failed checks", async () => {
  using made = await signing();
  const envelope = JSON.parse((await made.planner(["verify", ID, "--attest"])).stdout) as Envelope;
  const text = Buffer.from(envelope.payload, "base64").toString();
  const check = async (stated: string) => {
    const payload = Buffer.from(stated);
    const { keyid = "" } = envelope.signatures[0] ?? {};
    const signatures = [{ keyid, sig: base64(signatureBy(made, "own", "planner", signed(payload))) }];
    made.write(".git/keys/a.json", JSON.stringify({ ...envelope, payload: base64(payload), signatures }));
    const { code, stdout, stderr } = await made.planner(["verify", "--check-attestation", ".git/keys/a.json"]);
    return [code, stdout + stderr] as const;
  };
  const commit = (await made.mustGit("rev-parse", "HEAD")).trim();
  const blob = (await made.mustGit("rev-parse", `HEAD:.planner/specs/${ID}.md`)).trim();
  const failed = text.replace("PASSED", "FAILED").replace('"failedTests":[]', '"failedTests":["1: It has a file"]');

  expect(await check(text)).toEqual([0, expect.not.stringContaining("Another commit")]);
  expect(await check(failed)).toEqual([1, expect.stringContaining("it states that these failed: 1: It has a file")]);
  const other = "f".repeat(40);
  expect(await check(text.replace(commit, other))).toEqual([
    1,
    expect.stringContaining(`commit ${other} is not in this repository`),
  ]);
  expect(await check(text.replace(blob, other))).toEqual([
    1,
    expect.stringContaining(`".planner/specs/${ID}.md" is ${other} in it and ${blob} in ${commit}`),
  ]);
  expect(await check(text.replace(/"gitCommit":"\w+"/, '"other":""'))).toEqual([
    1,
    expect.stringContaining("it names no commit"),
  ]);
  await made.mustGit("commit", "--quiet", "--allow-empty", "-m", "on");
  expect(await check(text)).toEqual([0, expect.stringContaining("Another commit is checked out")]);
});

test("without a key it is unsigned, and a key that asks for a passphrase holds up nothing", async () => {
  using made = await signing();
  keygen(["-q", "-p", "-P", "", "-N", "secret", "-f", join(made.keys, "own")]);
  const locked = await made.planner(["verify", ID, "--attest"], { env: { SSH_AUTH_SOCK: "" } });
  await made.mustGit("config", "--unset", "user.signingKey");
  const unsigned = await made.planner(["verify", ID, "--attest"]);

  expect([locked.code, locked.stdout, locked.stderr]).toEqual([1, "", expect.stringContaining("Cannot sign with")]);
  expect([unsigned.code, (JSON.parse(unsigned.stdout) as Envelope).signatures]).toEqual([0, []]);
  expect(unsigned.stderr).toContain("The attestation is unsigned: git's user.signingKey is not set");
});

test("it states of what was not run that it was not proven, and nothing of what is in no commit or below a run", async () => {
  using made = await signing("- [x] Ticked\n- [x] Accepted\n  verify: test -f b.txt\n");
  const attest = async (env = {}) => made.planner(["verify", ID, "--attest"], { env });
  const failed = await attest();
  const inside = await attest({ PLANNER_RUN: `${ID}-1@${made.root}` });
  made.write("b.txt", "b\n");
  const uncommitted = await attest();
  await made.mustGit("add", "--all");
  await made.mustGit("commit", "--quiet", "-m", "more");
  const warned = await attest();
  const predicate = ({ stdout }: { readonly stdout: string }) =>
    JSON.parse(Buffer.from((JSON.parse(stdout) as Envelope).payload, "base64").toString()).predicate;

  expect(failed.code).toBe(1);
  expect(predicate(failed)).toMatchObject({
    result: "FAILED",
    failedTests: ["2: Accepted"],
    warnedTests: ["1: Ticked"],
  });
  expect([inside.code, inside.stdout, inside.stderr]).toEqual([
    1,
    "",
    expect.stringContaining("Cannot attest a spec in a run"),
  ]);
  expect([uncommitted.code, uncommitted.stdout, uncommitted.stderr]).toEqual([
    1,
    "",
    expect.stringContaining("these files are not committed: b.txt"),
  ]);
  expect(warned.code).toBe(0);
  expect(predicate(warned)).toMatchObject({
    result: "WARNED",
    passedTests: ["2: Accepted"],
    warnedTests: ["1: Ticked"],
  });
});
