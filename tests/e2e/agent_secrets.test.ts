import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ID, ScriptedProject } from "../support/misbehaving_agent.ts";

const TOKEN = "tV3rySecretToken9x8y7z";
const PASSWORD = 'p4ss "word" one';
/** In parts, so that no scanner of secrets takes this file for a leak. */
const ISSUED = ["gh", "p_", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"].join("");
const KEY = [
  "-----BEGIN PRI",
  "VATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\\nabc=\\n-----END PRI",
  "VATE KEY-----",
].join("");

/** Parts of them that nothing may show, Base64 included. */
const SECRETS = [TOKEN, "p4ss", ISSUED.slice(4), "MIIEvQIB", btoa(TOKEN).slice(2, -4)];

/** Prints them in several ways, on both streams, as its last words too. */
const PRINTS = `
  for stream in 1 2; do
    { echo "The token is $SERVICE_TOKEN and the password $DB_PASSWORD."
      printf '{"password": "p4ss \\\\"word\\\\" one"}\\n'
      printf %s "$SERVICE_TOKEN" | base64
      echo 'export GH=${ISSUED}'
      printf '${KEY}\\n'; } >&$stream
  done
  printf %s "$SERVICE_TOKEN" | head -c 9; sleep 0.2; printf %s "$SERVICE_TOKEN" | tail -c +10; echo " in two writes"`;

/** All that is stored of the project outside of git's objects. */
function texts(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("/objects"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
}

async function everything(project: ScriptedProject): Promise<string> {
  // The agent's own script is what it is.
  const records = await project.git("for-each-ref", "--format=%(refname)", "refs/planner/runs");
  const kept = await Promise.all(
    records
      .split("\n")
      .filter(Boolean)
      .map((ref) => project.git("show", `${ref}:record.json`)),
  );
  const shown = await Promise.all(
    [
      ["log", ID],
      ["log", ID, "--run", "last", "--json"],
      ["diagnose", ID],
      ["status", "--activity"],
      ["show", ID],
    ].map(async (args) => Object.values(await project.planner(...args)).join("\n")),
  );
  expect(kept.length).toBeGreaterThan(0);
  return [...kept, ...shown, ...texts(project.root), await project.git("log", "--all", "-p")].join("\n");
}

test("secrets that an agent prints are stored nowhere and shown nowhere, whether it succeeds or fails", async () => {
  using project = await ScriptedProject.make();
  project.env = { SERVICE_TOKEN: TOKEN, DB_PASSWORD: PASSWORD };

  const failed = await project.work(`save a${PRINTS}; exit 3`);
  const first = await everything(project);
  // The prompt of a later run says how the last one ended.
  const completed = await project.work(`cat > prompt.seen; save b; tick${PRINTS}; rm prompt.seen`);
  const second = await everything(project);

  expect([failed.stdout, completed.stdout]).toEqual([expect.stringContaining(`${ID}: failed`), `${ID}: completed\n`]);
  for (const text of [first, second, ...Object.values(failed), ...Object.values(completed)]) {
    for (const secret of SECRETS) expect([secret, String(text).includes(secret)]).toEqual([secret, false]);
  }
  expect(first).toContain("The token is *** and the password ***.");
  expect(first).toContain("*** in two writes");
  expect(first).toContain("export GH=***");
  expect(project.read(`.planner/logs/${ID}.log`)).toContain("stderr: The token is ***");
});

test("secrets that set-up and verify commands print are not in the log", async () => {
  using project = await ScriptedProject.make();
  project.env = { SERVICE_TOKEN: TOKEN };
  const config = project
    .read(".planner/config.md")
    .replace(
      /\nworktree: .*\n---\n$/,
      "\nworktree: {setup: ['echo set-up $SERVICE_TOKEN']}\nverify: {commands: ['echo verify $SERVICE_TOKEN; echo $SERVICE_TOKEN >&2']}\n---\n",
    );
  await project.sh(`cat > .planner/config.md <<'END'\n${config}END`);

  const { stdout } = await project.work("save a; tick");

  expect(stdout).toBe(`${ID}: completed\n`);
  const log = project.read(`.planner/logs/${ID}.log`);
  expect(log).toContain("set-up ***");
  expect(log).toContain("verify ***");
  expect(await everything(project)).not.toContain(TOKEN);
});

test("what an agent writes into files is its work and stays as it is", async () => {
  using project = await ScriptedProject.make();
  project.env = { SERVICE_TOKEN: TOKEN };

  await project.work('echo "$SERVICE_TOKEN" > a.txt; git add a.txt; git commit -q -m "planner($id): a"; tick');
  await project.planner("merge", ID);

  expect(project.read("a.txt")).toBe(`${TOKEN}\n`);
});
